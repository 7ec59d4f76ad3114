"""Made-up events as a source: those of the demos, in their own time, other ones for another seed."""

from __future__ import annotations

import time
from typing import Any

import orjson
import pytest

from timeline_app.connectors.messages import decode_messages
from timeline_app.connectors.options import BadOptions, describe, read
from timeline_app.connectors.reading import Message
from timeline_app.connectors.simulator import NAME, Simulator
from timeline_app.demos import load_demos
from timeline_app.events.declaration import StreamDeclaration
from timeline_app.landing.request_body import read_lines


def parse_events(messages: list[Message]) -> list[dict[str, Any]]:
    return [orjson.loads(message.value or b"") for message in messages]


def test_every_demo_is_a_scenario() -> None:
    (scenario,) = (option for option in describe(Simulator) if option.name == "scenario")
    assert sorted(scenario.choices) == sorted(load_demos())


@pytest.mark.parametrize("scenario", sorted(load_demos()))
def test_a_stream_that_is_declared_as_that_of_the_demo_takes_its_events(scenario: str) -> None:
    declared = StreamDeclaration.from_document(scenario, load_demos()[scenario].declaration)
    lines = decode_messages(Simulator(scenario=scenario).sample(), declared)  # type: ignore[arg-type]
    table, problems = read_lines(lines.lines, declared)
    assert (len(table), problems, lines.wrong) == (20, [], [])


def take_messages(reader: Any, count: int) -> list[Message]:
    messages: list[Message] = []
    while len(messages) < count:
        messages += reader.take().messages
    return messages


def test_events_come_when_they_happen_and_whoever_opens_it_again_goes_on_counting() -> None:
    source = Simulator(rate=2_000)
    reader = source.open({})
    first = take_messages(reader, 200)
    assert [item.number for item in first] == list(range(len(first)))
    assert all(event["t"] <= time.time_ns() // 1_000_000 for event in parse_events(first))
    again = source.open(reader.positions)
    second = take_messages(again, 200)
    assert second[0].number == len(first)
    assert again.positions == {NAME: len(first) + len(second)}
    assert (again.lag(), again.missed) == (0, 0)


def list_acts(seed: int) -> list[dict[str, Any]]:
    """What is done, without who and when."""
    own = ("t", "event_id", "session_id")
    events = parse_events(Simulator(seed=seed).sample())
    return [{name: value for name, value in item.items() if name not in own} for item in events]


def test_a_seed_makes_up_the_same_and_another_one_something_else() -> None:
    assert list_acts(7) == list_acts(7)
    assert list_acts(7) != list_acts(8)


def test_a_share_of_late_events_comes_late() -> None:
    source = Simulator(rate=1_000, late=1.0)
    first = next(source.arriving(0))
    assert first.at - first.event["t"] >= 29_000
    punctual = next(Simulator(rate=1_000).arriving(0))
    assert punctual.at - punctual.event["t"] < 29_000


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"scenario": "weather"}, "scenario: must be one of player, ad_player, card, machine, playback, not 'weather'"),
        ({"scenario": ""}, "scenario: must be one of"),
        ({"rate": -1}, "rate: must be from 0 (as the scenario has it) to 5000 a second"),
        ({"rate": 1e9}, "rate: must be from 0"),
        ({"rate": float("nan")}, "rate: must be from 0"),
        ({"rate": "fast"}, "rate: must be a number, not 'fast'"),
        ({"late": 4}, "late: must be from 0 (none) to 1 (all)"),
        ({"late": True}, "late: must be a number, not True"),
        ({"seed": 1.5}, "seed: must be a whole number, not 1.5"),
        ({"seed": 10**30}, "seed: has more than 63 bits"),
        ({"speed": 1}, "speed: is no option here; there are scenario, rate, late, seed"),
    ],
)  # fmt: skip
def test_options_that_cannot_be_used_are_said_with_a_hint(options: dict[str, Any], words: str) -> None:
    with pytest.raises(BadOptions) as bad:
        read(Simulator, options)
    assert words in str(bad.value)
