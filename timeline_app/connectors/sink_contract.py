"""The contract of a sink: rows come in numbered batches, and each batch is published whole, and once.

A batch is staged, invisible to readers of the target, then published. The delivering process may be killed at any
moment; another process then repeats the batch with the same rows, and a second publish does nothing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import ClassVar

import pyarrow as pa

from timeline_app.algebra.kinds import Kind
from timeline_app.connectors.delivered_rows import build_schema
from timeline_app.connectors.egress.policy import Destination, Egress


class TargetUnavailable(RuntimeError):
    """The target cannot be used now; the message says why, and what to do. Callers retry."""

    def __init__(self, words: str, wait: float | None = None) -> None:
        """`wait` is the number of seconds after which the target itself allows a retry."""
        super().__init__(words)
        self.wait = wait


class Once(StrEnum):
    """How often a row arrives, whatever is killed."""

    EXACTLY = "exactly once"
    AT_LEAST = "at least once"


@dataclass(frozen=True, slots=True)
class Delivery:
    """The rows of one node, under an identity that no other delivery ever has.

    `base` is the directory for sinks that write files.
    """

    identity: str
    node: str
    kind: Kind
    base: Path

    @property
    def schema(self) -> pa.Schema:
        """The columns of all its rows."""
        return build_schema(self.kind)


class IdempotentSink(ABC):
    """A target. Its options are the parameters of its class, as for sources (`timeline_app.connectors.options`).

    `open` is called first and once. One object is used by one thread.
    """

    title: ClassVar[str]
    """The name for people."""
    once: ClassVar[Once]
    """The guarantee."""
    place: ClassVar[tuple[str, ...]] = ()
    """The options that decide where it delivers to.

    When one changes, everything is delivered there from the beginning, and secrets must be entered again.
    """
    nearby: ClassVar[bool] = False
    """Whether `check` only needs the disk; then a problem is reported when the options are saved."""
    egress: Egress = Egress()
    """What it may reach. Connect to hosts of options by `egress.connect`, or to `egress.addresses`.

    Ask for the addresses again for each connection.
    """
    every: float = 0.0
    """The least number of seconds between two batches, unless much waits: for sinks where each batch is a file."""

    def destinations(self) -> Iterable[Destination]:
        """Return the hosts and ports that its options name; unreachable ones are refused when the options are saved."""
        return ()

    @abstractmethod
    def check(self, delivery: Delivery) -> None:
        """Check that rows could be delivered, without leaving a trace. Raises `TargetUnavailable`."""

    @abstractmethod
    def open(self, delivery: Delivery) -> None:
        """Create the table or directory. Raises `TargetUnavailable`, also where it belongs to another delivery."""

    def last(self) -> int | None:
        """Return the number of this delivery's last published batch, -1 for none; None where the target cannot tell."""
        return None

    @abstractmethod
    def stage(self, batch: int, rows: pa.Table) -> None:
        """Store the rows of a batch invisibly, replacing what was staged of it before."""

    @abstractmethod
    def publish(self, batch: int) -> None:
        """Make the staged rows visible, all at once; do nothing for a batch that was published before.

        Raises `TargetUnavailable`: the batch may or may not have been published, and is staged and published again.
        """

    @abstractmethod
    def abort(self, batch: int) -> None:
        """Forget what was staged of a batch. Published rows stay."""

    def sweep(self) -> None:  # noqa: B027  (most have nothing to sweep)
        """Remove what dead processes staged; called after `open`, before anything is staged."""

    def close(self) -> None:  # noqa: B027  (nor to close)
        """Close connections; may be called twice."""
