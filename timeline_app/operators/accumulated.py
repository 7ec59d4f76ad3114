"""What `so_far` and `per` share: their calendar, and how they speak of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from timeline_app.algebra.calendars import Calendar
from timeline_app.operators.reasons import Question, Reason
from timeline_app.operators.words import format_clock
from timeline_app.times.periods import find_next_period, get_shortest_period, list_periods, start_period
from timeline_app.times.zones import convert_to_local

NAMES = {"1min": "minute", "1h": "hour", "1d": "day", "1w": "week", "1month": "month"}


def make_calendar(every: str, zone: str) -> Calendar:
    """Return the periods of a zone, for the algebra."""
    return Calendar(
        lambda time: start_period(time, every, zone),
        lambda time: find_next_period(time, every, zone),
        lambda start, end: list_periods(start, end, every, zone),
        get_shortest_period(every),
    )


def find_boundary_after(params: Mapping[str, Any], frontier: int) -> int:
    """Return the first beginning of a period after an instant."""
    return int(find_next_period(np.array([frontier]), params["every"], params["zone"])[0])


def find_beginning(question: Question, time: int) -> int:
    """Return the beginning of the period that an instant lies in."""
    return int(start_period(np.array([time]), question.params["every"], question.params["zone"])[0])


def name_period(question: Question) -> str:
    """Return what a period is called: `day`, `10min`."""
    every: str = question.params["every"]
    return NAMES.get(every, every)


def spell_instant(question: Question, time: int) -> str:
    """Return an instant by the clocks of the zone."""
    zone = question.params["zone"]
    return format_clock(convert_to_local(time, zone), convert_to_local(question.at, zone))


def explain_unreached(question: Question) -> Reason | None:
    """Unknown because time has not come so far; None where that is not the reason."""
    of, result = question.look_at_input(), question.result
    if not of.born or of.value is None or result.value is not None:
        return None
    cause = "events or heartbeats tell that time has come there"
    return Reason(f"{question.head} because no {cause}", ends=f"ends when {cause}")
