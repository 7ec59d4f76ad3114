"""The contract of a notifier: a message is sent until the receiver confirms it, always with the same identity.

A message may arrive more than once: the process may be killed between the answer and its record.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from timeline_app.connectors.egress.policy import Destination, Egress


@dataclass(frozen=True, slots=True)
class IncidentNews:
    """A message's news of one incident. Times are event times in microseconds; None is unbounded, or open."""

    number: int
    key: str
    state: str
    change: str
    start: int | None
    end: int | None
    text: str


@dataclass(frozen=True, slots=True)
class AlertMessage:
    """The changed incidents of one alert; a repeated message has the same `identity`."""

    identity: str
    alert: dict[str, Any]
    subject: str
    news: Sequence[IncidentNews]
    left_out: int = 0
    """How many more incidents changed than the message names."""


class Notifier(ABC):
    """A receiver of messages. Its options are the parameters of its class, as for sources and sinks.

    One object is used by one thread.
    """

    title: ClassVar[str]
    """The name for people."""
    place: ClassVar[tuple[str, ...]] = ()
    """The options that decide where messages go: when one changes, the secrets must be entered again."""
    max_news: ClassVar[int] = 500
    """How many incidents a message names at most."""
    summarises: ClassVar[bool] = False
    """Whether a message only counts further incidents; else the next message names them."""
    egress: Egress = Egress()
    """What it may reach."""

    def destinations(self) -> Iterable[Destination]:
        """Return the hosts and ports that its options name."""
        return ()

    @abstractmethod
    def send(self, message: AlertMessage) -> None:
        """Send a message. Raises `TargetUnavailable` unless the receiver confirms it."""

    def close(self) -> None:  # noqa: B027  (most have nothing to close)
        """Close connections; may be called twice."""
