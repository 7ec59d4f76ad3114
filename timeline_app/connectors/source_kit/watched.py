"""Wraps a source: passes on and checks all calls, and lets them fail where a case wants it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from timeline_app.connectors.source_contract import Acknowledge, Given, SplittableSource
from timeline_app.connectors.source_kit.memory import Faults
from timeline_app.connectors.source_promises import BrokenSourcePromise
from timeline_app.connectors.splits.estimators import Estimator
from timeline_app.connectors.splits.tracker import Tracker

ASKED = ("restrictions", "has_data", "size", "split")


class Watched:
    """Replaces the source. Each kind of call fails `troubles` times; `twice` acknowledges everything twice."""

    def __init__(
        self,
        source: SplittableSource,
        faults: Faults,
        *,
        troubles: int = 0,
        twice: bool = False,
        meanwhile: Callable[[], None] = lambda: None,
    ) -> None:
        """`meanwhile` is called after each row."""
        self.source, self.faults, self.twice, self.meanwhile = source, faults, twice, meanwhile
        self.troubles = dict.fromkeys((*ASKED, "finalize"), troubles)
        self.before: list[tuple[str, Sequence[Any]]] = []

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self.source, name)
        if name not in ASKED:
            return attribute

        def call(*arguments: Any) -> Any:
            self._trouble(name)
            return attribute(*arguments)

        return call

    def process(self, key: str, tracker: Tracker, watermark: Estimator, ack: Acknowledge) -> Given:
        """Yield the rows of the source, checking each."""
        rows, current = 0, watermark.current()
        batches = self.source.process(key, tracker, watermark, ack)
        while True:
            try:
                portion = next(batches)
            except StopIteration as end:
                self._counted(key, rows, tracker)
                self._restored(key, watermark)
                return end.value
            rows += portion.num_rows if isinstance(portion, pa.RecordBatch) else 1
            yield portion
            current = _require_no_less(key, current, watermark)
            self.faults.at("row")
            self.meanwhile()

    def finalize(self, key: str, payloads: Sequence[Any]) -> None:
        """Acknowledge, possibly everything twice, and earlier payloads once more."""
        self._trouble("finalize")
        self.source.finalize(key, payloads)
        if self.twice:
            self.before.append((key, payloads))
            for repeated in self.before[-2:]:
                self._again(*repeated)
        self.faults.at("acknowledged")

    def _again(self, key: str, payloads: Sequence[Any]) -> None:
        try:
            self.source.finalize(key, payloads)
        except Exception as why:
            words = f"finalize({key!r}, …) was told what it had been told before, and raised {why!r}"
            raise BrokenSourcePromise(
                "acknowledgement", f"{words}; what is acknowledged already is no error"
            ) from why

    def _trouble(self, name: str) -> None:
        if self.troubles[name]:
            self.troubles[name] -= 1
            raise OSError(f"the kit lets {name} fail")

    def _restored(self, key: str, before: Estimator) -> None:
        """Check that another process can restore the estimator's state."""
        after, watermark = self.source.estimator(), before.current()
        if after is None or watermark is None:
            return
        if before.state() is not None:
            after.restore(before.state())
        restored = after.current()
        if restored is None or restored < watermark:
            words = f"that of {key!r} was {watermark}, and {restored} once it was restored from {before.state()!r}"
            raise BrokenSourcePromise("watermark", f"{words}; state() is what restore(state) needs")

    def _counted(self, key: str, rows: int, tracker: Tracker) -> None:
        journalled = not self.source.reader.asks_for_ends
        if journalled and self.source.unit == "rows" and rows > tracker.progress:
            words = f"{rows} rows of {key!r} were given, and {tracker.progress} claimed"
            raise BrokenSourcePromise(
                "limit", f"{words}; try_claim(position, size) is told how many rows it stands for"
            )


def _require_no_less(key: str, before: int | None, watermark: Estimator) -> int | None:
    now = watermark.current()
    if before is not None and (now is None or now < before):
        raise BrokenSourcePromise("watermark", f"that of {key!r} went back from {before} to {now}")
    return now
