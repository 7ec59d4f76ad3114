"""A source that breaks a promise is found, and told which."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tests.connectors.brokers import SCHEMA, Journalled, Planned, build_harness, build_row, sift_rows
from timeline_app.connectors.source_contract import Acknowledge, Given, Restriction, resume
from timeline_app.connectors.source_kit import CASES, cases
from timeline_app.connectors.source_promises import PROMISES, BrokenSourcePromise
from timeline_app.connectors.splits.estimators import Estimator, Manual
from timeline_app.connectors.splits.tracker import Position, Tracker


class NoSuchColumn(Journalled):
    event_time = "when"


class OptionsUnsaid(Journalled):
    def __init__(self, server: str = "here") -> None:
        super().__init__()


class PlannedAndObserved(Planned):
    def estimator(self) -> Estimator | None:
        return Journalled.estimator(self)


class KeysTwice(Journalled):
    def restrictions(self) -> Iterable[Restriction]:
        return [*super().restrictions(), *super().restrictions()]


class PositionsThatAreNoJson(Journalled):
    def restrictions(self) -> Iterable[Restriction]:
        return [Restriction(key, {1, 2}) for key in self.shelf.logs]


class EndsBeforeItBegins(Planned):
    def restrictions(self) -> Iterable[Restriction]:
        return [Restriction(key, 10, 5) for key in self.shelf.logs]


class PlannedWithoutEnd(Planned):
    def restrictions(self) -> Iterable[Restriction]:
        return [Restriction(key, 0) for key in self.shelf.logs]


class SplitsOutside(Planned):
    def split(self, key: str, start: Position, end: Position, parts: int) -> Sequence[Position]:
        return [start, end]


class GivesUnclaimed(Journalled):
    def process(self, key: str, tracker: Tracker, watermark: Estimator, ack: Acknowledge) -> Given:
        yield build_row(1)
        return resume(1)


class GoesOnAfterARefusal(Journalled):
    def process(self, key: str, tracker: Tracker, watermark: Estimator, ack: Acknowledge) -> Given:
        for index in range(tracker.start, len(self.shelf.logs[key])):
            tracker.refused or tracker.try_claim(index + 1)
            number = self.shelf.logs[key][index]
            ack(number)
            yield build_row(number)
        return resume(1)


class ClaimsBackwards(Journalled):
    def process(self, key: str, tracker: Tracker, watermark: Estimator, ack: Acknowledge) -> Given:
        for place in reversed(range(tracker.start, len(self.shelf.logs[key]))):
            if not tracker.try_claim(place + 1):
                return
            yield build_row(self.shelf.logs[key][place])


class ClaimsMixedKinds(Journalled):
    def process(self, key: str, tracker: Tracker, watermark: Estimator, ack: Acknowledge) -> Given:
        if tracker.try_claim("first"):
            yield build_row(0)


class ManyAtOnce(Journalled):
    """Record batches of all that there is, claimed rightly."""

    size_of_claims = True

    def process(self, key: str, tracker: Tracker, watermark: Estimator, ack: Acknowledge) -> Given:
        numbers = self.shelf.logs[key][tracker.start : tracker.end]
        size = len(numbers) if self.size_of_claims else 1
        if numbers and tracker.try_claim(tracker.start + len(numbers), size):
            for number in numbers:
                ack(number)
            columns = list(zip(*map(build_row, numbers), strict=True))
            yield pa.RecordBatch.from_arrays(
                [pa.array(item, kind) for item, kind in zip(columns, SCHEMA.types, strict=True)],
                schema=SCHEMA,
            )
        return resume(1)


class ClaimsOneForMany(ManyAtOnce):
    size_of_claims = False


class ReadsBeyondItsEnd(Journalled):
    def process(self, key: str, tracker: Tracker, watermark: Estimator, ack: Acknowledge) -> Given:
        numbers = self.shelf.logs[key][tracker.start :]
        if numbers and tracker.try_claim(tracker.start + len(numbers), len(numbers)):
            for number in numbers:
                ack(number)
                yield build_row(number)
        return resume(1)


class AnotherColumn(Journalled):
    def process(self, key: str, tracker: Tracker, watermark: Estimator, ack: Acknowledge) -> Given:
        if tracker.try_claim(tracker.start + 1):
            yield pa.record_batch({"number": [1]})
        return resume(1)


class ShortRows(Journalled):
    def process(self, key: str, tracker: Tracker, watermark: Estimator, ack: Acknowledge) -> Given:
        if tracker.try_claim(tracker.start + 1):
            yield (1,)
        return resume(1)


class TextForANumber(Journalled):
    def process(self, key: str, tracker: Tracker, watermark: Estimator, ack: Acknowledge) -> Given:
        if tracker.try_claim(tracker.start + 1):
            yield ("one", None)
        return resume(1)


class LosesSome(Journalled):
    def process(self, key: str, tracker: Tracker, watermark: Estimator, ack: Acknowledge) -> Given:
        return (
            yield from sift_rows(super().process(key, tracker, watermark, ack), lambda row: row[0] % 7 != 0)
        )


class DoublesAtEdges(Planned):
    def process(self, key: str, tracker: Tracker, watermark: Estimator, ack: Acknowledge) -> Given:
        log = self.shelf.logs[key]
        if tracker.try_claim(tracker.end):
            yield from map(build_row, log[max(0, tracker.start - 1) : tracker.end])


class GivesAnythingWhenReadAgain(Journalled):
    def process(self, key: str, tracker: Tracker, watermark: Estimator, ack: Acknowledge) -> Given:
        for index in range(tracker.start, len(self.shelf.logs[key])):
            if not tracker.try_claim(index + 1):
                return None
            ack(self.shelf.logs[key][index])
            yield build_row(self.shelf.logs[key][-1 if tracker.end else index])
        return resume(1)


class TakesOutWhileReading(Journalled):
    """What it reads is gone for whoever reads after it."""

    def restrictions(self) -> Iterable[Restriction]:
        return [Restriction(key, 0) for key in self.shelf.logs]

    def has_data(self, key: str, start: Position, end: Position) -> bool:
        return bool(self.shelf.logs[key])

    def now(self, key: str) -> Position:
        return None

    def process(self, key: str, tracker: Tracker, watermark: Estimator, ack: Acknowledge) -> Given:
        while self.shelf.logs[key] and tracker.try_claim(tracker.last + 1):
            yield build_row(self.shelf.logs[key].pop(0))
        return resume(1)


class NeverAcknowledges(Journalled):
    def finalize(self, key: str, payloads: Sequence[Any]) -> None:
        return


class CannotAcknowledgeTwice(Journalled):
    def finalize(self, key: str, payloads: Sequence[Any]) -> None:
        if self.shelf.done & set(payloads):
            raise KeyError(payloads[0])
        self.shelf.done.update(payloads)


class AcknowledgesByNoJson(Journalled):
    def process(self, key: str, tracker: Tracker, watermark: Estimator, ack: Acknowledge) -> Given:
        if tracker.try_claim(tracker.start + 1):
            ack(self)
            yield build_row(1)
        return resume(1)


class BackInTime(Manual):
    def observe(self, event_time: int) -> None:
        self.said = (self.said or event_time) - 1


class WatermarkGoesBack(Journalled):
    def estimator(self) -> Estimator | None:
        return BackInTime()


class Forgetful(Manual):
    def observe(self, event_time: int) -> None:
        self.set(event_time)

    def restore(self, state: int) -> None:
        return


class WatermarkForgets(Journalled):
    def estimator(self) -> Estimator | None:
        return Forgetful()


class WaitsForEver(Journalled):
    def process(self, key: str, tracker: Tracker, watermark: Estimator, ack: Acknowledge) -> Given:
        while len(self.shelf.logs[key]) <= tracker.start + 1_000:
            time.sleep(0.05)
        yield build_row(0)


class GoesOnWhenClosed(Journalled):
    def process(self, key: str, tracker: Tracker, watermark: Estimator, ack: Acknowledge) -> Given:
        for index in range(tracker.start, len(self.shelf.logs[key])):
            if not tracker.try_claim(index + 1):
                return None
            ack(self.shelf.logs[key][index])
            try:
                yield build_row(self.shelf.logs[key][index])
            except GeneratorExit:
                yield build_row(-1)
        return resume(1)


class ReturnsAnything(Journalled):
    def process(self, key: str, tracker: Tracker, watermark: Estimator, ack: Acknowledge) -> Given:
        if tracker.try_claim(tracker.start + 1):
            yield build_row(0)
        return 5


BROKEN: list[tuple[type[Journalled], str, str]] = [
    (NoSuchColumn, "declaration", "the event time is 'when', which is none of its columns: number, at"),
    (OptionsUnsaid, "declaration", "say what it means: server: Annotated"),
    (PlannedAndObserved, "declaration", "use Wall, or a JournalledReader"),
    (KeysTwice, "restrictions", "the key 'log0' comes twice"),
    (PositionsThatAreNoJson, "restrictions", "a position of 'log0' is no JSON"),
    (EndsBeforeItBegins, "restrictions", "'log0' ends at 5, before its start 10"),
    (PlannedWithoutEnd, "restrictions", "'log0' of a planned source has no end"),
    (SplitsOutside, "splits", "edges ascend and lie between start and end"),
    (GivesUnclaimed, "claims", "a row was given before anything was claimed"),
    (GoesOnAfterARefusal, "claims", "a row was given after a refusal"),
    (ClaimsBackwards, "claims", "positions must ascend"),
    (ClaimsMixedKinds, "claims", "0 and 'first' cannot be compared"),
    (ClaimsOneForMany, "limit", "20 rows of 'log0' were given, and 1 claimed"),
    (ReadsBeyondItsEnd, "replay", "do not read beyond tracker.end"),
    (AnotherColumn, "schema", "a record batch has the columns number int64; the schema says"),
    (ShortRows, "schema", "a row is a tuple of 2 values: number, at"),
    (TextForANumber, "schema", "'one' does not fit the column 'number' (int64)"),
    (LosesSome, "whole", "lost (0, 7, 14"),
    (DoublesAtEdges, "whole", "doubled"),
    (GivesAnythingWhenReadAgain, "replay", "what lies between two positions is always the same"),
    (TakesOutWhileReading, "replay", "was read twice"),
    (NeverAcknowledges, "acknowledgement", "the broker still keeps 60 events"),
    (CannotAcknowledgeTwice, "acknowledgement", "what is acknowledged already is no error"),
    (AcknowledgesByNoJson, "acknowledgement", "is no JSON"),
    (WatermarkGoesBack, "watermark", "went back from"),
    (WatermarkForgets, "watermark", "state() is what restore(state) needs"),
    (WaitsForEver, "return", "has not ended after"),
    (GoesOnWhenClosed, "return", "let GeneratorExit through"),
    (ReturnsAnything, "return", "process returned 5"),
]


def find_first_broken(kind: type[Journalled]) -> BrokenSourcePromise | None:
    for case in CASES:
        try:
            case.run(build_harness(kind))
        except BrokenSourcePromise as broken:
            return broken
    return None


@pytest.mark.parametrize(("kind", "promise", "words"), BROKEN, ids=[kind.__name__ for kind, _, _ in BROKEN])
def test_a_broken_promise_is_found_and_named(
    kind: type[Journalled], promise: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if kind is WaitsForEver:
        monkeypatch.setattr(cases, "CASE_TIMEOUT_S", 0.5)
    broken = find_first_broken(kind)
    assert broken is not None
    assert (broken.promise, words in str(broken)) == (promise, True), str(broken)


def test_what_is_taken_out_while_it_is_read_is_called_acknowledged_too_early() -> None:
    case = next(case for case in CASES if case.name == "killed in the middle of reading")
    with pytest.raises(
        BrokenSourcePromise, match="nothing may be acknowledged, or taken out, before finalize"
    ) as broken:
        case.run(build_harness(TakesOutWhileReading))
    assert broken.value.promise == "acknowledgement"


def test_record_batches_of_all_that_there_is_are_right_where_their_claims_are() -> None:
    assert find_first_broken(ManyAtOnce) is None


def test_every_promise_has_a_source_that_breaks_it() -> None:
    result = {promise for _, promise, _ in BROKEN}
    assert result == set(PROMISES) - {"trouble"}


def test_the_page_tells_every_promise_as_it_is() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "sources.md").read_text()
    assert [
        f"| `{promise}` | {words} |"
        for promise, words in PROMISES.items()
        if f"| `{promise}` | {words} |" not in page
    ] == []


def test_what_is_gone_after_an_error_is_named() -> None:
    case = next(case for case in CASES if case.name == "aborted")
    with pytest.raises(BrokenSourcePromise, match="reading was given up in the middle") as broken:
        case.run(build_harness(TakesOutWhileReading))
    assert broken.value.promise == "trouble"
