"""The cases of the kit. Each starts with an empty source and raises `BrokenSourcePromise` for what it breaks."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import count

from timeline_app.connectors.options import BadKind, describe
from timeline_app.connectors.source_kit.memory import POINTS, Killed
from timeline_app.connectors.source_kit.query import MAX_EMPTY_TRIGGERS, Query
from timeline_app.connectors.source_kit.watched import Watched
from timeline_app.connectors.source_kit.world import SourceHarness
from timeline_app.connectors.source_promises import BrokenSourcePromise
from timeline_app.connectors.splits.backoff import MAX_PAUSE_S
from timeline_app.connectors.splits.estimators import Manual
from timeline_app.connectors.splits.readers import NotThere
from timeline_app.connectors.splits.tracker import Tracker

CASE_TIMEOUT_S = 60.0
"""A case that takes longer hangs."""
Make = Callable[[], SourceHarness]


@dataclass(frozen=True, slots=True)
class SourceCase:
    """A case of the kit."""

    name: str
    body: Callable[[SourceHarness], None]

    def __str__(self) -> str:
        return self.name

    def run(self, make: Make) -> None:
        """Run the case. Raises `BrokenSourcePromise`, and unexpected errors of the source."""
        raised: list[BaseException] = []
        thread = threading.Thread(target=self._run, args=(make, raised), daemon=True)
        thread.start()
        thread.join(CASE_TIMEOUT_S)
        if thread.is_alive():
            words = f"the case {self.name!r} has not ended after {CASE_TIMEOUT_S:.0f} s"
            raise BrokenSourcePromise(
                "return", f"{words}; process waits a second or so at most, then returns resume(…)"
            )
        if raised:
            raise raised[0]

    def _run(self, make: Make, raised: list[BaseException]) -> None:
        world = make()
        try:
            self.body(world)
        except NotThere as why:
            raised.append(BrokenSourcePromise("replay", f"{why}, though nothing is wrong with its broker"))
        except BaseException as why:
            raised.append(why)
        finally:
            world.close()


def check_declaration(world: SourceHarness) -> None:
    """Check that the class declares its rows, its reader and its options."""
    source = world.source()
    try:
        describe(type(source))
    except BadKind as why:
        raise BrokenSourcePromise("declaration", str(why)) from None
    Query(world).start()
    source.close()
    source.close()


def check_empty(world: SourceHarness) -> None:
    """Read an empty source."""
    query = Query(world)
    query.start()
    query.drain()
    check_complete(query, ())


def check_plain(world: SourceHarness) -> None:
    """Check that every event arrives."""
    world.send(range(60))
    check_drained(Query(world), 60)


def check_trickling(world: SourceHarness) -> None:
    """Send events slowly, one by one, and with pauses."""
    query = Query(world)
    query.start()
    for number in range(12):
        world.send([number])
        for _ in range(number % 3 + 1):
            query.trigger()
    query.drain()
    check_complete(query, range(12))


def check_throttled(world: SourceHarness) -> None:
    """Read in small batches."""
    world.send(range(40))
    check_drained(Query(world, most=3), 40)


def check_split(world: SourceHarness) -> None:
    """Read with many tasks."""
    world.send(range(200))
    check_drained(Query(world, tasks=8, watch=_Small), 200)


def check_read_twice(world: SourceHarness) -> None:
    """Read each batch twice, as a batch with two actions does, while more events come."""
    more = iter(range(30, 60))

    def meanwhile() -> None:
        number = next(more, None)
        if number is not None:
            world.send([number])

    world.send(range(30))
    query = Query(world, most=7, readings=2, watch=partial(Watched, meanwhile=meanwhile))
    query.start()
    query.drain()
    check_complete(query, range(60))


def check_endless(world: SourceHarness) -> None:
    """Check that batches end although each read event is followed by a new one."""
    numbers = count(20)
    polls_left = [300]

    def meanwhile() -> None:
        if polls_left[0]:
            polls_left[0] -= 1
            world.send([next(numbers)])

    world.send(range(20))
    query = Query(world, most=10, watch=partial(Watched, meanwhile=meanwhile))
    query.start()
    query.drain()
    check_complete(query, range(next(numbers)))


def check_bounded_read(world: SourceHarness) -> None:
    """Check that a bounded read ends with what was there, although more events come all the time."""
    numbers = count(25)
    world.send(range(25))
    query = Query(world, most=10)
    query.start()
    query.planner.prepare()
    quiet = 0
    for _ in range(20 * MAX_EMPTY_TRIGGERS):
        quiet = 0 if query.trigger() else quiet + 1
        if quiet == MAX_EMPTY_TRIGGERS:
            break
        world.send([next(numbers)])
    else:
        raise BrokenSourcePromise(
            "return", "what was there at a moment is never at its end; say where that is with now(key)"
        )
    check_complete(query, range(25), more=True)


def check_failing(world: SourceHarness) -> None:
    """Let each of the planner's calls fail at first."""
    world.send(range(30))
    query = Query(world, watch=partial(Watched, troubles=2))
    query.start()
    for _ in range(20):
        query.clock.now += MAX_PAUSE_S
        query.trigger()
    query.drain()
    check_complete(query, range(30))
    check_acknowledged(world, query)


def check_aborted(world: SourceHarness) -> None:
    """Abort reading in the middle, and repeat it."""
    world.send(range(20))
    source = world.source()
    for restriction in source.restrictions():
        batches = source.process(
            restriction.key,
            Tracker(restriction.start, restriction.end),
            source.estimator() or Manual(),
            _ignore_acknowledgement,
        )
        for _ in range(2):
            next(batches, None)
        try:
            batches.close()
        except RuntimeError as why:
            words = "a generator that is closed ends: let GeneratorExit through"
            raise BrokenSourcePromise(
                "return", f"reading {restriction.key!r} went on after it was closed ({why}); {words}"
            ) from None
    source.close()
    with blame_losses_on("trouble", "reading was given up in the middle"):
        check_drained(Query(world), 20)


def check_acknowledged_twice(world: SourceHarness) -> None:
    """Acknowledge events twice, as after a kill."""
    query = Query(world, most=7, watch=partial(Watched, twice=True))
    query.start()
    for first in range(0, 40, 10):
        world.send(range(first, first + 10))
        query.trigger()
    query.drain()
    check_complete(query, range(40))
    check_acknowledged(world, query)


def check_watermark(world: SourceHarness) -> None:
    """Check that the watermark never goes back, and that a new process restores its state."""
    query = Query(world, most=7)
    query.start()
    last: int | None = None
    for first in range(0, 30, 5):
        world.send(range(first, first + 5))
        query.trigger()
        query.start()
        now = query.plan().watermark
        if last is not None and (now is None or now < last):
            raise BrokenSourcePromise("watermark", f"a plan told {last}, the next one {now}")
        last = now


def check_killed(point: str, world: SourceHarness) -> None:
    """Kill the process at a point, several times, each time at another batch or row."""
    query = Query(world, most=9)
    for round_, times in enumerate((1, 2, 3, 5)):
        world.send(range(15 * round_, 15 * round_ + 15))
        query.faults.arm(point, times)
        _run_until_killed(query)
    early = point in ("planned", "offset", "row", "read", "noted")
    words = "nothing may be acknowledged, or taken out, before finalize"
    with blame_losses_on("acknowledgement" if early else "whole", f"killed {POINTS[point]}; {words}"):
        _check_ended(query, 60)
    check_acknowledged(world, query)


def _run_until_killed(query: Query) -> None:
    try:
        query.start()
        query.drain()
    except Killed:
        query.start()


def _check_ended(query: Query, events: int) -> None:
    query.start()
    query.drain()
    check_complete(query, range(events))


def check_drained(query: Query, events: int) -> None:
    """Check that everything is read and acknowledged."""
    _check_ended(query, events)
    check_acknowledged(query.world, query)


def check_complete(query: Query, events: Iterable[int], *, more: bool = False) -> None:
    """Check that each of the events was read once, and nothing else (`more` allows others)."""
    counted, expected = Counter(query.numbers()), set(events)
    lost, doubled = (
        sorted(expected - set(counted)),
        sorted(digit for digit, times in counted.items() if times > 1),
    )
    foreign = [] if more else sorted(set(counted) - expected)
    complaints = [
        f"{len(numbers)} {words} ({', '.join(map(str, numbers[:8]))}{', …' if len(numbers) > 8 else ''})"
        for numbers, words in ((lost, "lost"), (doubled, "doubled"), (foreign, "never sent"))
        if numbers
    ]
    if complaints:
        troubles = "; ".join(trouble["words"] for trouble in query.planner.status()["troubles"])
        raise BrokenSourcePromise(
            "whole", f"of {len(expected)} events {', '.join(complaints)}{'; ' if troubles else ''}{troubles}"
        )


@contextmanager
def blame_losses_on(promise: str, words: str) -> Iterator[None]:
    """Report losses in this block as another broken promise."""
    try:
        yield
    except BrokenSourcePromise as broken:
        if broken.promise != "whole":
            raise
        raise BrokenSourcePromise(promise, f"{words}: {broken.words}") from None


def check_acknowledged(world: SourceHarness, query: Query) -> None:
    """Check that the broker keeps nothing for us in the end."""
    query.trigger()
    unacknowledged = world.unacknowledged()
    if unacknowledged:
        words = f"everything was read and is durable, and the broker still keeps {unacknowledged} events"
        raise BrokenSourcePromise(
            "acknowledgement", f"{words}; give ack(…) what finalize needs, for every row"
        )


class _Small(Watched):
    """A source for which small splits are worth it."""

    least = 1


def _ignore_acknowledgement(payload: object) -> None:
    """Nothing is acknowledged."""


CASES = (
    *(
        SourceCase(case.__name__.removeprefix("check_").replace("_", " "), case)
        for case in (
            check_declaration, check_empty, check_plain, check_trickling, check_throttled, check_split,
            check_read_twice, check_endless, check_bounded_read, check_failing, check_aborted,
            check_acknowledged_twice, check_watermark,
        )
    ),
    *(SourceCase(f"killed {words}", partial(check_killed, point)) for point, words in POINTS.items()),
)  # fmt: skip
"""All cases of the kit."""
