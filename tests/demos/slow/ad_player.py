"""Players stopped by advertisements: at every instant at which it could change, look at all that was said by then."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

from tests.demos.slow.reading import (
    SECOND,
    Answers,
    Event,
    Step,
    build_flat_lines,
    build_steps,
    list_values,
    read,
    read_at,
)

SLOW, STILL = 5 * SECOND, 2 * SECOND
Said = list[tuple[int, Any]]


def compute_answers(text: str) -> Answers:
    """Of every player, how many there are at once, and of every device."""
    players = read(text, "session_id")
    stopped = {name: judge_player(events) for name, events in players.items()}
    devices = {name: list_values(events, "device") for name, events in players.items()}
    stuck = {name: restrict_to_iphone(value, devices[name]) for name, value in stopped.items()}
    kinds = sorted({device for facts in devices.values() for _, device in facts})
    return {
        "stuck": stuck,
        "stuck_now": {"*": build_flat_lines(count_true(list(stuck.values())))},
        "stopped_by_device": {
            kind: build_flat_lines(
                count_true([restrict_to_kind(kind, stopped[name], facts) for name, facts in devices.items()])
            )
            for kind in kinds
        },
    }


def judge_player(events: list[Event]) -> list[Step]:
    """Whether a player stands still while an advertisement loads slowly."""
    places, ads = list_values(events, "position"), list_values(events, "ad")
    instants = {time + wait for time, _ in places for wait in (0, STILL)}
    instants |= {time + wait for time, _ in ads for wait in (0, SLOW)}
    return build_steps(
        None,
        [
            (now, combine_both(is_standing(places, now), is_loading_slowly(ads, now)))
            for now in sorted(instants)
        ],
    )


def is_standing(places: Said, now: int) -> bool | None:
    """Whether it has been where it is for two seconds."""
    reached = [time for time, _ in places if time <= now]
    return now - reached[-1] >= STILL if reached else None


def is_loading_slowly(ads: Said, now: int) -> bool | None:
    """Whether an advertisement has been loading for five seconds."""
    past = [(time, ad) for time, ad in ads if time <= now]
    return past[-1][1] == "loading" and now - past[-1][0] >= SLOW if past else None


def combine_both(left: bool | None, right: bool | None) -> bool | None:
    """And; what is not known decides nothing."""
    if left is False or right is False:
        return False
    return None if left is None or right is None else True


def restrict_to_iphone(stopped: list[Step], device: Said) -> list[Step]:
    """The same, for iPhones only."""
    instants = sorted({time for time, _ in stopped if time is not None} | {time for time, _ in device})
    items = []
    for now in instants:
        kind = read_at(device, now)
        items.append(
            (now, combine_both(read_value_at(stopped, now), None if kind is None else kind == "iPhone"))
        )
    return build_steps(None, items)


def restrict_to_kind(kind: str, stopped: list[Step], device: Said) -> list[Step]:
    """The same, false while the player is not known to be of this kind."""
    instants = sorted({time for time, _ in stopped if time is not None} | {time for time, _ in device})
    return build_steps(
        False,
        [(now, read_at(device, now) == kind and read_value_at(stopped, now) is True) for now in instants],
    )


def read_value_at(steps: list[Step], now: int) -> bool | None:
    """The value of a step function."""
    value = [value for time, value in steps if time is None or time <= now][-1]
    assert value is None or isinstance(value, bool)
    return value


def count_true(stepses: list[list[Step]]) -> list[Step]:
    """How many are true."""
    changes: Counter[int] = Counter()
    for item in stepses:
        for (_, before), (time, value) in itertools.pairwise(item):
            assert time is not None
            changes[time] += (value is True) - (before is True)
    count, items = 0, []
    for time in sorted(changes):
        count += changes[time]
        items.append((time, count))
    return build_steps(0, items)
