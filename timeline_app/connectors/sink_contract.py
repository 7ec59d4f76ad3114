"""The contract of a sink: rows come in batches with numbers, and each batch is published whole, and once.

A batch is staged, where nobody who reads the target sees it, then published. Whoever delivers it may be killed at any
instant, and another process does the same batch again, with the same rows: a second publish does nothing.
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
    """The target cannot be used now; in words, with what to do. It is tried again."""

    def __init__(self, words: str, wait: float | None = None) -> None:
        """`wait`: the target itself said after how many seconds it may be tried again."""
        super().__init__(words)
        self.wait = wait


class Once(StrEnum):
    """How often a row arrives, whatever is killed."""

    EXACTLY = "exactly once"
    AT_LEAST = "at least once"


@dataclass(frozen=True, slots=True)
class Delivery:
    """What is delivered: rows of one node, under an identity that no other delivery ever has.

    `base` is the directory that files are written below.
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
    """A target. Its options are the parameters of its class, as of sources (`timeline_app.connectors.options`).

    `open` is called first and once. One object is used by one thread.
    """

    title: ClassVar[str]
    """What people call it."""
    once: ClassVar[Once]
    """What it promises."""
    place: ClassVar[tuple[str, ...]] = ()
    """The options that say where it delivers to: where one of these changes, all is delivered there from the beginning,
    and secrets are to be given again."""
    nearby: ClassVar[bool] = False
    """Whether `check` asks nobody but the disk: then what it refuses is refused as soon as it is set."""
    egress: Egress = Egress()
    """What it may reach; every connection to a host that an option names is made by `egress.connect`, or to one of
    `egress.addresses`, which are asked again for each connection."""
    every: float = 0.0
    """So many seconds lie between two batches at least, unless much waits: where each batch is a file of its own."""

    def destinations(self) -> Iterable[Destination]:
        """The hosts and ports that its options name: what may not be reached is refused as soon as it is set."""
        return ()

    @abstractmethod
    def check(self, delivery: Delivery) -> None:
        """Could it be delivered there? Nothing is kept; raises `TargetUnavailable`."""

    @abstractmethod
    def open(self, delivery: Delivery) -> None:
        """Create the table or directory; raises `TargetUnavailable`, also if another delivery has it."""

    def last(self) -> int | None:
        """The number of the last batch that was published of this delivery, -1: none; None: the target cannot tell."""
        return None

    @abstractmethod
    def stage(self, batch: int, rows: pa.Table) -> None:
        """Take the rows of a batch; nobody sees them yet. Whatever was staged of that batch before is replaced."""

    @abstractmethod
    def publish(self, batch: int) -> None:
        """Let everybody see what was staged, all at once; of a batch that was published before, do nothing.

        Raises `TargetUnavailable`: then it may have been published, or not, and is staged and published again.
        """

    @abstractmethod
    def abort(self, batch: int) -> None:
        """Forget what was staged of a batch. What was published stays."""

    def sweep(self) -> None:  # noqa: B027  (most have nothing to sweep)
        """Remove what dead processes staged; called after `open`, before anything is staged."""

    def close(self) -> None:  # noqa: B027  (nor to close)
        """Let go of connections; may be called twice."""
