"""Hours of the week at the edges of time, where zones are ahead of it or behind."""

from __future__ import annotations

import numpy as np
import pytest

from timeline_app.algebra.kinds import BEGINNING, OPEN
from timeline_app.times.calendar import DAY
from timeline_app.times.schedule import Schedule
from timeline_app.times.units import EARLIEST, LATEST
from timeline_app.times.week import read_clock, read_days, spell_clock, spell_days

HOUR = DAY // 24


@pytest.mark.parametrize("zone", ["UTC", "Pacific/Kiritimati", "America/Los_Angeles"])
def test_it_can_be_asked_at_the_edges_of_time(zone: str) -> None:
    schedule = Schedule(9 * HOUR, 17 * HOUR, (0, 1, 2, 3, 4), zone)
    assert schedule.is_open(np.array([BEGINNING, EARLIEST, LATEST, OPEN])).shape == (4,)
    for time in (BEGINNING, EARLIEST, LATEST, OPEN):
        assert EARLIEST <= schedule.next_switch(time) <= LATEST


def test_what_is_always_open_never_switches() -> None:
    assert Schedule(0, DAY, tuple(range(7)), "Europe/Berlin").next_switch(0) == OPEN


@pytest.mark.parametrize(
    ("text", "spelled"),
    [("mon-fri", "mon-fri"), ("sat-mon", "mon,sat-sun"), ("Friday", "fri"), ("sun, tue wed", "tue-wed,sun")],
)
def test_days_have_one_spelling(text: str, spelled: str) -> None:
    assert spell_days(read_days(text)) == spelled
    assert read_days(spelled) == read_days(text)


@pytest.mark.parametrize(
    ("text", "spelled"), [("7:05", "07:05"), ("24:00", "24:00"), ("00:00:09", "00:00:09")]
)
def test_times_of_day_have_one_spelling(text: str, spelled: str) -> None:
    assert spell_clock(read_clock(text)) == spelled
