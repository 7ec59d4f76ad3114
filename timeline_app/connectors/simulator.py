"""Made-up events, as the demos have them: a stream that is fed without anything to connect to."""

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

WAIT = 0.1
"""Seconds until it is looked again whether something has arrived."""
MOST, FASTEST = 5_000, 5_000
"""A portion is so many events at most; and so many may happen in a second."""
SAMPLE = 20
NAME = "simulator"


def _check_rate(value: float) -> str | None:
    return None if 0 <= value <= FASTEST else f"must be from 0 (as the scenario has it) to {FASTEST} a second"


def _share(value: float) -> str | None:
    return None if 0 <= value <= 1 else "must be from 0 (none) to 1 (all)"


def _check_seed(value: int) -> str | None:
    return None if abs(value) < 2**63 else "has more than 63 bits: choose a smaller one"


class Simulator:
    """A scenario that goes on for ever, from now on; its stream is declared as that of the demo."""

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
        """Nothing has happened yet."""
        self.scenario, self.rate, self.seed = scenario, rate or None, seed
        self._demo = replace(load_demos()[scenario], later=late)

    def open(self, known: Mapping[str, Any]) -> SimulatorReader:
        """Go on counting; what happens begins anew, now, with keys that never were."""
        return SimulatorReader(self, int(known.get(NAME, 0)))

    def destinations(self) -> Iterable[Destination]:
        """None: it reaches nothing."""
        return ()

    def sample(self) -> list[Message]:
        """What would come first."""
        return [self.message(item, number) for number, item in enumerate(islice(self.arriving(0), SAMPLE))]

    def arriving(self, given: int) -> Iterator[Delivery]:
        """What arrives from now on, where so many events were given before."""
        seed = hash((self.seed, given))
        return self._demo.deliveries(seed=seed, rate=self.rate, start=time.time_ns() // 1_000_000)

    def message(self, delivery: Delivery, number: int) -> Message:
        """An event as it comes."""
        return Message(orjson.dumps(delivery.event), self.scenario, number)


class SimulatorReader:
    """A scenario that has begun."""

    def __init__(self, options: Simulator, given: int) -> None:
        """So many events were given before."""
        self._options, self._given = options, given
        self._arriving = options.arriving(given)
        self._next = next(self._arriving)
        self.missed = 0

    @property
    def positions(self) -> dict[str, Any]:
        """How many events were given: who finds that there were more leaves off."""
        return {NAME: self._given}

    def take(self) -> Portion:
        """What has arrived by now."""
        messages: list[Message] = []
        until = time.time_ns() // 1_000_000
        while self._next.at <= until and len(messages) < MOST:
            messages.append(self._options.message(self._next, self._given))
            self._given += 1
            self._next = next(self._arriving)
        if not messages:
            time.sleep(WAIT)
        return Portion(messages, self.positions)

    def lag(self) -> int:
        """Nothing waits: what has not arrived yet has not been sent."""
        return 0

    def close(self) -> None:
        """It is over."""
