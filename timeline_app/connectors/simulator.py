"""Made-up events of the demos: feeds a stream without an external system."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import Annotated, Any, ClassVar, Literal

import orjson

from timeline_app.connectors.egress.policy import Destination, Egress
from timeline_app.connectors.options import Option
from timeline_app.connectors.reading import Message, Portion
from timeline_app.demos import load_demos
from timeline_app.simulation.deliveries import Delivery

POLL_INTERVAL_S = 0.1
MAX_EVENTS_PER_PORTION, MAX_RATE_PER_S = 5_000, 5_000
SAMPLE_EVENTS = 20
NAME = "simulator"


def _check_rate(value: float) -> str | None:
    return (
        None
        if 0 <= value <= MAX_RATE_PER_S
        else f"must be from 0 (as the scenario has it) to {MAX_RATE_PER_S} a second"
    )


def _share(value: float) -> str | None:
    return None if 0 <= value <= 1 else "must be from 0 (none) to 1 (all)"


def _check_seed(value: int) -> str | None:
    return None if abs(value) < 2**63 else "has more than 63 bits: choose a smaller one"


class Simulator:
    """An endless scenario that starts now; its stream is declared as that of the demo."""

    title: ClassVar = "Simulator"
    egress: Egress = Egress()
    where: ClassVar = ("scenario",)

    def __init__(
        self,
        *,
        scenario: Annotated[
            Literal["player", "ad_player", "card", "machine", "playback"],
            Option("The demo whose events come; declare the stream as that of the demo is"),
        ] = "player",
        rate: Annotated[float, Option("Events a second; 0: as many as the demo has", _check_rate)] = 0.0,
        late: Annotated[
            float, Option("The share of events that come half a minute to two minutes late, 0 to 1", _share)
        ] = 0.0,
        seed: Annotated[int, Option("Another one makes up other events", _check_seed)] = 1,
    ) -> None:
        """Start when opened."""
        self.scenario, self.rate, self.seed = scenario, rate or None, seed
        self._demo = replace(load_demos()[scenario], later=late)

    def open(self, positions: Mapping[str, Any]) -> SimulatorReader:
        """Continue counting; the scenario restarts now, with fresh keys."""
        return SimulatorReader(self, int(positions.get(NAME, 0)))

    def destinations(self) -> Iterable[Destination]:
        """Return nothing: it reaches no host."""
        return ()

    def sample(self) -> list[Message]:
        """Return the first events."""
        return [
            self.message(item, number) for number, item in enumerate(islice(self.arriving(0), SAMPLE_EVENTS))
        ]

    def arriving(self, given_count: int) -> Iterator[Delivery]:
        """Yield the events that arrive from now on, after `given_count` earlier ones."""
        seed = hash((self.seed, given_count))
        return self._demo.deliveries(seed=seed, rate=self.rate, start=time.time_ns() // 1_000_000)

    def message(self, delivery: Delivery, number: int) -> Message:
        """Convert an event to a message."""
        return Message(orjson.dumps(delivery.event), self.scenario, number)


class SimulatorReader:
    """A running scenario."""

    def __init__(self, options: Simulator, given_count: int) -> None:
        """Continue after `given_count` events."""
        self._options, self._given = options, given_count
        self._arriving = options.arriving(given_count)
        self._next = next(self._arriving)
        self.missed = 0

    @property
    def positions(self) -> dict[str, Any]:
        """The number of given events; a reader that finds more recorded stops."""
        return {NAME: self._given}

    def take(self) -> Portion:
        """Return what has arrived by now."""
        messages: list[Message] = []
        until = time.time_ns() // 1_000_000
        while self._next.at <= until and len(messages) < MAX_EVENTS_PER_PORTION:
            messages.append(self._options.message(self._next, self._given))
            self._given += 1
            self._next = next(self._arriving)
        if not messages:
            time.sleep(POLL_INTERVAL_S)
        return Portion(messages, self.positions)

    def lag(self) -> int:
        """Return 0: future events have not been sent."""
        return 0

    def close(self) -> None:
        """Do nothing."""
