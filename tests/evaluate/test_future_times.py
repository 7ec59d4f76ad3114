"""`evaluate` reads files, in which there is no arrival: it takes events of the future, and warns of them."""

from __future__ import annotations

import time

import pytest

from tests.evaluate.desk import Desk

NOW = int(time.time())
STREAM = "stream dev(key = device, time = t, unit = s{})\nn = event_count(dev)\n"


def list_warnings(desk: Desk, *times: int, text: str = "") -> list[str]:
    plan = desk.write("plan.txt", STREAM.format(text))
    events = [{"device": f"d{index}", "t": at} for index, at in enumerate(times)]
    return desk.warnings(plan, desk.write("events.jsonl", events))


def test_an_event_too_far_after_now_is_told_by_key_and_time(desk: Desk) -> None:
    assert list_warnings(desk, NOW, 4_083_955_200, NOW + 80_000) == [
        "warning: stream dev: 1 event lies more than 1d after now: 'd1' at 2099-06-01T00:00:00Z;"
        " set the clock of its sender right: a stream rejects it; or declare a longer allowed_ahead"
    ]


def test_of_many_the_first_are_shown(desk: Desk) -> None:
    [line] = list_warnings(
        desk, *(4_083_955_200 + index for index in range(1_200)), text=", allowed_ahead = 2h"
    )
    assert line.startswith("warning: stream dev: 1,200 events lie more than 2h after now: 'd0' at ")
    assert "'d9' at 2099-06-01T00:00:09Z, …; " in line


@pytest.mark.parametrize("text", [", allowed_ahead = 36500d", ", allowed_ahead = never"])
def test_what_the_stream_allows_is_no_warning(desk: Desk, text: str) -> None:
    assert list_warnings(desk, NOW, 4_083_955_200, text=text) == []
