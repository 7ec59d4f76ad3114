"""The cases of the kit. Each starts with an empty target and raises `BrokenSinkPromise` for what a sink breaks."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

import pyarrow as pa

from timeline_app.algebra.fold import Point
from timeline_app.algebra.kinds import Kind
from timeline_app.connectors.delivered_rows import Rows
from timeline_app.connectors.options import BadKind, describe
from timeline_app.connectors.sink_contract import Delivery, IdempotentSink, Once, TargetUnavailable
from timeline_app.connectors.sink_kit.world import Row, SinkHarness
from timeline_app.connectors.sink_promises import BrokenSinkPromise

T = 1_719_820_800_000_000
Make = Callable[[], SinkHarness]


@dataclass(frozen=True, slots=True)
class SinkCase:
    """A case of the kit."""

    name: str
    body: Callable[[SinkHarness], None]

    def __str__(self) -> str:
        return self.name

    def run(self, make: Make) -> None:
        """Run the case. Raises `BrokenSinkPromise`, and unexpected errors of the sink."""
        world = make()
        try:
            self.body(world)
        finally:
            world.close()


def build_delivery(world: SinkHarness, kind: Kind = Kind.TEXT, identity: str = "first") -> Delivery:
    """Return a delivery."""
    return Delivery(identity, "d" * 64, kind, world.base)


def open_sink(world: SinkHarness, delivery: Delivery | None = None) -> IdempotentSink:
    """Open a sink as a newly started process does."""
    sink = world.sink()
    sink.open(delivery or build_delivery(world))
    sink.sweep()
    return sink


def build_batch(number: int, size: int = 4) -> pa.Table:
    """Return rows that are unique, also across batches."""
    rows = Rows(Kind.TEXT)
    for digit in range(size):
        key, value = (
            f"key {number}.{digit}",
            ("plain", "it's “quoted”; \\ \"\t\n{}$1%s", "日本 🎈", None)[digit % 4],
        )
        rows.add(key, [[T + digit, value]], None if digit % 2 else T + 60, T + 100 + number)
    return rows.table()


def deliver_batches(sink: IdempotentSink, numbers: Iterable[int]) -> None:
    """Stage and publish batches, one after the other."""
    for number in numbers:
        sink.stage(number, build_batch(number))
        sink.publish(number)


def check_declaration(world: SinkHarness) -> None:
    """Check that the class declares what it is."""
    sink = world.sink()
    try:
        options = {option.name for option in describe(type(sink))}
    except BadKind as why:
        raise BrokenSinkPromise("declaration", str(why)) from None
    if not isinstance(getattr(sink, "title", None), str) or not isinstance(getattr(sink, "once", None), Once):
        raise BrokenSinkPromise(
            "declaration", "give the class a title, and once = Once.EXACTLY or Once.AT_LEAST"
        )
    if strange := set(sink.place) - options:
        raise BrokenSinkPromise(
            "declaration", f"place names {', '.join(sorted(strange))}, which are no options"
        )
    sink.check(build_delivery(world))
    if list(world.rows()):
        raise BrokenSinkPromise("hidden", "check left something there; it only looks")
    sink.close()
    sink.close()


def check_plain_batches(world: SinkHarness) -> None:
    """Check that batches arrive."""
    sink = open_sink(world)
    deliver_batches(sink, range(5))
    sink.close()
    check_arrived(world, range(5))


def check_empty_batch(world: SinkHarness) -> None:
    """Check that a batch without rows is a batch, too."""
    sink = open_sink(world)
    sink.stage(0, build_batch(0, 0))
    sink.publish(0)
    check_last_batch(sink, 0)
    deliver_batches(sink, [1])
    sink.close()
    check_arrived(world, [1])


def check_kind(world: SinkHarness, kind: Kind, points: list[Point]) -> None:
    """Check that all values of a kind arrive unchanged."""
    delivery = build_delivery(world, kind)
    rows = Rows(kind)
    rows.add("ключ", points, None, T)
    sink = open_sink(world, delivery)
    sink.stage(0, rows.table())
    sink.publish(0)
    sink.close()
    check_same_rows(world, rows.table().to_pylist())


def check_staged_is_hidden(world: SinkHarness) -> None:
    """Check that staged rows are invisible."""
    sink = open_sink(world)
    deliver_batches(sink, [0])
    sink.stage(1, build_batch(1))
    if len(list(world.rows())) != 4:
        raise BrokenSinkPromise("hidden", "a batch was staged, and its rows are seen; show them in publish")
    check_last_batch(sink, 0)
    sink.publish(1)
    sink.close()
    check_arrived(world, [0, 1])


def check_published_twice(world: SinkHarness) -> None:
    """Publish again, at once and after others."""
    sink = open_sink(world)
    deliver_batches(sink, [0])
    sink.publish(0)
    deliver_batches(sink, [0, 1])
    check_last_batch(sink, 1)
    sink.close()
    reopened = open_sink(world)
    check_last_batch(reopened, 1)
    deliver_batches(reopened, [1, 2])
    reopened.close()
    check_arrived(world, range(3))


def check_staged_twice(world: SinkHarness) -> None:
    """Check that the rows staged last are published."""
    sink = open_sink(world)
    sink.stage(0, build_batch(9))
    sink.stage(0, build_batch(0))
    sink.publish(0)
    sink.close()
    check_arrived(world, [0])


def check_killed_after_staging(world: SinkHarness) -> None:
    """Let a process die after staging, and another one repeat its batch."""
    deliver_batches(open_sink(world), [0])
    dead = open_sink(world)
    dead.stage(1, build_batch(1))
    unfinished = open_sink(world)
    if world.leftovers():
        raise BrokenSinkPromise("swept", "what a dead process staged is still there; remove it in sweep")
    check_last_batch(unfinished, 0)
    deliver_batches(unfinished, [1, 2])
    unfinished.close()
    check_arrived(world, range(3))


def check_aborted(world: SinkHarness) -> None:
    """Check that aborted rows do not arrive, and that published rows stay."""
    sink = open_sink(world)
    deliver_batches(sink, [0])
    sink.stage(1, build_batch(9))
    sink.abort(1)
    sink.abort(1)
    sink.abort(0)
    if world.leftovers():
        raise BrokenSinkPromise("abort", "what was aborted is still staged")
    check_last_batch(sink, 0)
    deliver_batches(sink, [1])
    sink.abort(1)
    sink.close()
    check_arrived(world, range(2), promise="abort")


def check_two_at_once(world: SinkHarness) -> None:
    """Let two processes that do not know of each other publish the same batch."""
    deliver_batches(open_sink(world), [0])
    sinks = [open_sink(world) for _ in range(2)]
    start, raised = threading.Barrier(2), list[BaseException]()

    def deliver(sink: IdempotentSink) -> None:
        start.wait()
        try:
            deliver_batches(sink, [1])
        except TargetUnavailable:
            pass  # the other one was first
        except BaseException as why:
            raised.append(why)

    threads = [threading.Thread(target=deliver, args=(sink,)) for sink in sinks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if raised:
        raise BrokenSinkPromise(
            "once", f"of two that publish one batch one raised {raised[0]!r}; raise Trouble or nothing"
        )
    last = open_sink(world)
    deliver_batches(last, [1])
    last.close()
    check_arrived(world, range(2))


def check_another_delivery(world: SinkHarness) -> None:
    """Let another delivery use the same place: it is refused, or both arrive."""
    sink = open_sink(world)
    deliver_batches(sink, [0])
    before = Counter(map(_format_row, world.rows()))
    other = world.sink()
    try:
        other.open(replace(build_delivery(world), identity="second"))
        deliver_batches(other, [0])
    except TargetUnavailable:
        pass
    else:
        if before - Counter(map(_format_row, world.rows())):
            raise BrokenSinkPromise(
                "own", "another delivery came, and what was there is gone; refuse it in open"
            )
        if len(list(world.rows())) != 8:
            raise BrokenSinkPromise(
                "own", "the first batch of another delivery was taken for ours; tell them apart by identity"
            )
    deliver_batches(sink, [1])
    other.close()
    sink.close()


def check_target_away(world: SinkHarness) -> None:
    """Make the target unavailable for a while."""
    sink = open_sink(world)
    deliver_batches(sink, [0])
    if not world.away():
        return
    try:
        deliver_batches(sink, [1])
    except TargetUnavailable as why:
        if len(str(why)) < 10:
            raise BrokenSinkPromise(
                "trouble", f"Trouble says {str(why)!r}; say in words what is wrong and what to do"
            ) from None
    except Exception as why:
        raise BrokenSinkPromise("trouble", f"it raised {why!r}; raise Trouble with words") from None
    else:
        raise BrokenSinkPromise("trouble", "a batch was published though the target is away")
    sink.close()
    world.back()
    reopened = open_sink(world)
    deliver_batches(reopened, [1, 2])
    reopened.close()
    check_arrived(world, range(3))


def check_last_batch(sink: IdempotentSink, batch: int) -> None:
    """Check that the sink reports the last batch."""
    last = sink.last()
    if last not in (None, batch):
        raise BrokenSinkPromise("last", f"batch {batch} is the last that was published, and it says {last}")


def check_arrived(world: SinkHarness, numbers: Iterable[int], *, promise: str = "once") -> None:
    """Check that the rows of these batches are there, each once, and no others."""
    check_same_rows(world, [row for number in numbers for row in build_batch(number).to_pylist()], promise)


def check_same_rows(world: SinkHarness, expected: Iterable[Row], promise: str = "once") -> None:
    """Check that these rows are there, each once."""
    actual, expected_counts = Counter(map(_format_row, world.rows())), Counter(map(_format_row, expected))
    if lost := expected_counts - actual:
        strange = f"; there is {next(iter(actual - expected_counts))}" if actual - expected_counts else ""
        raise BrokenSinkPromise(
            "whole", f"{lost.total()} rows are lost, the first is {next(iter(lost))}{strange}"
        )
    if more := actual - expected_counts:
        raise BrokenSinkPromise(
            promise, f"{more.total()} rows are there too often, the first is {next(iter(more))}"
        )


def _format_row(row: Row) -> str:
    """Format a row as text, whatever type its target uses for instants."""
    document = {
        name: round(value.timestamp() * 1e6) if isinstance(value, datetime) else value
        for name, value in row.items()
    }
    return repr(sorted(document.items()))


def _iterate_kind_cases() -> Iterable[SinkCase]:
    samples: dict[Kind, list[Point]] = {
        Kind.BOOL: [[None, None], [T, True], [T + 1, False]],
        Kind.TEXT: [[None, None], [T, ""], [T + 1, "null"], [T + 2, "\\N"]],
        Kind.NUMBER: [
            [None, None, 0.0],
            [T, 0.1 + 0.2, 1.0],
            [T + 1, -1e300, 5e-324],
            [T + 2, 2.0**53 + 2, 0.0],
        ],
        Kind.RATIO: [[None, None, 0.0, None, 0.0], [T, 1.0, 1.0, 3.0, 0.5], [T + 1, 1.0, 0.0, 0.0, 1.0]],
    }
    for kind, points in samples.items():
        yield SinkCase(f"rows of {kind}", partial(check_kind, kind=kind, points=points))


CASES = (
    *(
        SinkCase(body.__name__.removeprefix("check_").replace("_", " "), body)
        for body in (
            check_declaration, check_plain_batches, check_empty_batch, check_staged_is_hidden, check_published_twice,
            check_staged_twice, check_killed_after_staging, check_aborted, check_two_at_once, check_another_delivery,
            check_target_away,
        )
    ),
    *_iterate_kind_cases(),
)  # fmt: skip
"""All cases of the kit."""
