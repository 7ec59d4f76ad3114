"""Video players whose viewers come and go: events of sessions, late, doubled and out of order.

The same seed, rate and start give the same deliveries, for ever.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

Event = dict[str, Any]

CDNS = ("CDN1", "CDN2", "CDN3")
BUFFERING = {"CDN1": 0.16, "CDN2": 0.07, "CDN3": 0.04}
"""How often a player on this network runs out of data: CDN1 is the one to find."""
GAP = 3.0
"""Mean seconds between two events of a session."""
LATE, LATEST = 0.04, 29_000
UNORDERED, JITTER = 0.12, 1_500
DOUBLED, AGAIN = 0.02, 8_000
"""Shares of events, and how many milliseconds late they are at most."""


@dataclass(frozen=True, order=True)
class Delivery:
    """An event, and when it arrives (milliseconds since the epoch)."""

    at: int
    order: int
    event: Event = field(compare=False)


@dataclass
class Session:
    """One viewer's player, from joining to leaving."""

    name: str
    at: int
    dice: random.Random
    cdn: str = ""
    state: str = ""
    count: int = 0
    left: int = 0

    def next_event(self) -> Event:
        """What happens now; `at` moves on to when the next thing happens."""
        said = self.join() if not self.count else self.leave() if self.left <= 0 else self.act()
        event = {"session_id": self.name, "event_id": f"{self.name}-{self.count}", "t": self.at, **said}
        self.count += 1
        self.left -= 1
        self.at += max(50, round(self.dice.expovariate(1 / self.pause()) * 1000))
        return event

    @property
    def over(self) -> bool:
        """Whether the viewer is gone."""
        return self.state == "stopped"

    def pause(self) -> float:
        """Mean seconds until the next event: a player buffers for a shorter while than it plays."""
        return {"buffer": 0.5 * GAP, "init": 0.4 * GAP, "play": 1.3 * GAP}.get(self.state, GAP)

    def join(self) -> Event:
        """The player starts, on some network."""
        self.cdn, self.state = self.dice.choice(CDNS), "init"
        self.left = self.dice.randint(15, 80)
        return {"player_state": "init", "cdn": self.cdn}

    def leave(self) -> Event:
        """The viewer stops."""
        self.state = "stopped"
        return {"player_state": "stopped", "user_action": "stop"}

    def act(self) -> Event:
        """Whatever comes after the state that the player is in."""
        chance = self.dice.random()
        if self.state != "play":
            self.state = "play"
            return {"player_state": "play"}
        if chance < BUFFERING[self.cdn]:
            self.state = "buffer"
            return {"player_state": "buffer"}
        if chance < 0.40:
            self.state = "buffer"
            return {"player_state": "buffer", "user_action": "seek"}
        if chance < 0.50:
            self.state = "pause"
            return {"player_state": "pause", "user_action": "pause"}
        if chance < 0.60:
            self.cdn = self.dice.choice([cdn for cdn in CDNS if cdn != self.cdn])
            return {"cdn": self.cdn}
        return {"player_state": "play"}


def happenings(dice: random.Random, rate: float, start: int) -> Iterator[Event]:
    """Events in the order in which they happen, about `rate` a second, for ever."""
    stamp = _base36(start // 1000)
    viewers = max(1, round(rate * GAP))
    sessions = [
        (start + dice.randint(0, round(GAP * 1000)), number, Session(f"{stamp}-{number}", 0, dice))
        for number in range(viewers)
    ]
    heapq.heapify(sessions)
    number = viewers
    while True:
        at, order, session = heapq.heappop(sessions)
        session.at = at
        yield session.next_event()
        if session.over:
            # The next viewer comes a little later.
            at, order = session.at, number
            session, number = Session(f"{stamp}-{number}", at, dice), number + 1
        heapq.heappush(sessions, (session.at, order, session))


def deliveries(*, seed: int, rate: float, start: int) -> Iterator[Delivery]:
    """Events in the order in which they arrive, for ever; `start` in milliseconds since the epoch."""
    dice = random.Random(seed)  # noqa: S311  (nothing secret)
    waiting: list[Delivery] = []
    order = 0
    for event in happenings(dice, rate, start):
        while waiting and waiting[0].at <= event["t"]:
            yield heapq.heappop(waiting)
        for delay in delays(dice):
            heapq.heappush(waiting, Delivery(event["t"] + delay, order, event))
            order += 1


def delays(dice: random.Random) -> list[int]:
    """After how many milliseconds an event arrives; twice, when it is doubled."""
    chance = dice.random()
    found = [dice.randint(0, 40)]
    if chance < LATE:
        found = [dice.randint(2_000, LATEST)]
    elif chance < LATE + UNORDERED:
        found = [dice.randint(40, JITTER)]
    if dice.random() < DOUBLED:
        found.append(found[0] + dice.randint(100, AGAIN) if found[0] < LATEST - AGAIN else found[0])
    return found


def _base36(number: int) -> str:
    digits = ""
    while number:
        number, digit = divmod(number, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + digits
    return digits or "0"
