"""How events arrive: late, doubled and out of order; the same dice give the same deliveries, for ever."""

from __future__ import annotations

import heapq
import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from timeline_app.simulation.actors import Event

LATE, MAX_LATE_MS = 0.04, 29_000
MAX_VERY_LATE_MS = 120_000
UNORDERED, JITTER = 0.12, 1_500
DOUBLED, AGAIN = 0.02, 8_000
"""Shares of events, and how many milliseconds late they are at most."""


@dataclass(frozen=True, order=True)
class Delivery:
    """An event, and when it arrives (milliseconds since the epoch)."""

    at: int
    order: int
    event: Event = field(compare=False)


def iterate_arrivals(happening: Iterator[Event], dice: random.Random, later: float) -> Iterator[Delivery]:
    """Yield events in the order in which they arrive; a share of `later` comes after the allowed lateness."""
    waiting: list[Delivery] = []
    order = 0
    for event in happening:
        while waiting and waiting[0].at <= event["t"]:
            yield heapq.heappop(waiting)
        for delay in draw_delays(dice, later):
            heapq.heappush(waiting, Delivery(event["t"] + delay, order, event))
            order += 1


def draw_delays(dice: random.Random, later: float) -> list[int]:
    """After how many milliseconds an event arrives; twice, when it is doubled."""
    chance = dice.random()
    delays = [dice.randint(0, 40)]
    if chance < later:
        delays = [dice.randint(MAX_LATE_MS, MAX_VERY_LATE_MS)]
    elif chance < later + LATE:
        delays = [dice.randint(2_000, MAX_LATE_MS)]
    elif chance < later + LATE + UNORDERED:
        delays = [dice.randint(40, JITTER)]
    if dice.random() < DOUBLED:
        delays.append(delays[0] + dice.randint(100, AGAIN) if delays[0] < MAX_LATE_MS - AGAIN else delays[0])
    return delays
