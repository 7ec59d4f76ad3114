"""The contract of a notifier: a message is sent until the receiver has it, each time with the same identity.

A message may arrive more than once: the process may be killed between the answer and the note that it came.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from timeline_app.connectors.egress.policy import Destination, Egress


@dataclass(frozen=True, slots=True)
class IncidentNews:
    """What a message says of one incident. Times are event times in microseconds: None is since ever, or open."""

    number: int
    key: str
    state: str
    change: str
    start: int | None
    end: int | None
    text: str


@dataclass(frozen=True, slots=True)
class AlertMessage:
    """What changed of the incidents of one alert; sent again it has the same `identity`."""

    identity: str
    alert: dict[str, Any]
    subject: str
    news: Sequence[IncidentNews]
    left_out: int = 0
    """How many more incidents changed than the message names."""


class Notifier(ABC):
    """A receiver of messages. Its options are the parameters of its class, as of sources and sinks.

    One object is used by one thread.
    """

    title: ClassVar[str]
    """What people call it."""
    place: ClassVar[tuple[str, ...]] = ()
    """The options that say where messages go: where one of these changes, secrets are to be given again."""
    max_news: ClassVar[int] = 500
    """So many incidents a message names."""
    summarises: ClassVar[bool] = False
    """Whether a message says of further incidents only how many there are; else the next message names them."""
    egress: Egress = Egress()
    """What it may reach."""

    def destinations(self) -> Iterable[Destination]:
        """The hosts and ports that its options name."""
        return ()

    @abstractmethod
    def send(self, message: AlertMessage) -> None:
        """Send a message; raises `TargetUnavailable` unless the receiver has it."""

    def close(self) -> None:  # noqa: B027  (most have nothing to close)
        """Let go of connections; may be called twice."""
