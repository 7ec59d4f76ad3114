"""Questions about what came in the last minutes: different cards, outliers, failed logins."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from statistics import mean, pstdev
from typing import Any

import pytest

from tests.questions.asking import JsonEvent, assert_answers, jumble_events
from timeline_app.algebra.kinds import SECOND

CARDS = """
stream tap(key = machine, time = t, unit = s, id = id, fields = {card: text}, allowed_lateness = 10min)
cards = values_within(tap.card, 10min, distinct)
many = cards > 3
"""
READINGS = """
stream sensor(key = name, time = t, unit = s, id = id, fields = {value: number}, allowed_lateness = 10min)
usual = values_within(sensor.value, 1h, mean)
spread = values_within(sensor.value, 1h, deviation)
outside = absolute(latest_event_to_state(sensor.value) - usual) > spread * 3
"""
LOGINS = """
stream login(key = user, time = t, unit = s, id = id, fields = {result: text}, allowed_lateness = 10min)
attacked = count_within(login.result == "failed", 10min) > 5
"""


def drop_copies(events: list[JsonEvent]) -> list[JsonEvent]:
    """Each event once."""
    return list({event["id"]: event for event in events}.values())


def list_instants(events: list[JsonEvent], seconds: int) -> list[int]:
    """Where an event comes or leaves a window of so many seconds, and the microsecond before."""
    times = {(event["t"] + later) * SECOND for event in events for later in (0, seconds)}
    return [time - early for time in times for early in (0, 1)]


def select_last(events: list[JsonEvent], key: str, name: str, at: int, seconds: int) -> list[JsonEvent]:
    """The events of a key in the last so many seconds."""
    return [
        event
        for event in drop_copies(events)
        if event[key] == name and at - seconds * SECOND < event["t"] * SECOND <= at
    ]


@pytest.mark.parametrize("seed", range(3))
def test_different_cards_at_a_machine_in_ten_minutes(seed: int) -> None:
    noise = Random(seed)
    events: list[Any] = [
        {"id": str(number), "machine": noise.choice("pq"), "card": noise.choice("ABCDEF"), "t": t}
        for number, t in enumerate(sorted(noise.sample(range(7_200), 90)))
    ]

    def answer_slowly(delivered: list[JsonEvent], machine: str, at: int) -> bool:
        return len({event["card"] for event in select_last(delivered, "machine", machine, at, 600)}) > 3

    assert_answers(
        CARDS, "many", "tap", jumble_events(noise, events), answer_slowly, list_instants(events, 600)
    )


@pytest.mark.parametrize("seed", range(3))
def test_a_reading_outside_three_standard_deviations_of_the_last_hour(seed: int) -> None:
    noise = Random(seed)
    events: list[Any] = [
        {
            "id": str(number),
            "name": noise.choice("ab"),
            "value": round(noise.gauss(20, 1), 1) if noise.random() < 0.95 else 60.5,
            "t": t,
        }
        for number, t in enumerate(sorted(noise.sample(range(20_000), 120)))
    ]
    verdicts: list[bool] = []

    def answer_slowly(delivered: list[JsonEvent], name: str, at: int) -> bool | None:
        hour = select_last(delivered, "name", name, at, 3_600)
        if len(hour) < 2:
            return None
        values = [Fraction(str(event["value"])) for event in hour]
        newest = Fraction(str(max(hour, key=lambda event: int(event["t"]))["value"]))
        verdicts.append(abs(newest - mean(values)) > 3 * pstdev(values))
        return verdicts[-1]

    assert_answers(
        READINGS,
        "outside",
        "sensor",
        jumble_events(noise, events),
        answer_slowly,
        list_instants(events, 3_600),
    )
    assert {*verdicts} == {True, False}


@pytest.mark.parametrize("seed", range(3))
def test_more_than_five_failed_logins_in_ten_minutes(seed: int) -> None:
    noise = Random(seed)
    events: list[Any] = [
        {"id": str(number), "user": noise.choice("uv"), "result": noise.choice(["ok", "failed"]), "t": t}
        for number, t in enumerate(sorted(noise.choices(range(4_000), k=80)))
    ]
    values: list[bool] = []

    def answer_slowly(delivered: list[JsonEvent], user: str, at: int) -> bool:
        tried = select_last(delivered, "user", user, at, 600)
        values.append(sum(event["result"] == "failed" for event in tried) > 5)
        return values[-1]

    assert_answers(
        LOGINS, "attacked", "login", jumble_events(noise, events), answer_slowly, list_instants(events, 600)
    )
    assert {*values} == {True, False}
