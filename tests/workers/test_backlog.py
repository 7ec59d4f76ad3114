"""What waits behind an offset is counted once and then only what is new."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.workers.conftest import MakeNode, build_state, compile_programs, land_line
from timeline_app.algebra.kinds import Ints
from timeline_app.fs.layout import Places
from timeline_app.landing.log import Landing
from workers.engine import bucket_choice
from workers.engine.backlog import Tally, count_waiting
from workers.engine.bucket_choice import choose_buckets


def build_lines(count: int) -> bytes:
    return b"\n".join(b'{"k": "k%d", "t": 1000}' % number for number in range(count))


def test_events_between_offsets(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for count in (3, 1, 5):
        land_line(data, build_lines(count))
    tally = Tally(Landing(Places(data).landing, "s"))
    assert [tally.between(*span) for span in ((1, 3), (0, 3), (2, 2), (3, 3), (0, 1))] == [6, 9, 0, 0, 3]
    land_line(data, build_lines(2))
    looked: list[tuple[int, int]] = []
    sizes = tally.landing.sizes

    def get_events(start: int, end: int) -> Ints:
        looked.append((start, end))
        return sizes(start, end)

    monkeypatch.setattr(tally.landing, "sizes", get_events)
    assert tally.between(2, 4) == 7
    assert looked == [(3, 4)]


def test_one_bucket_is_enough_until_there_is_much_to_compute(
    make_node: MakeNode, data: Path, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    seen_node = {"op": "has_existed", "stream": "s", "params": {"where": 'x == "1"'}}
    count = {"op": "aggregate", "inputs": {"of": "seen", "by": "x"}, "params": {"function": "count"}}
    programs, places = (
        compile_programs({"seen": seen_node, "x": build_state("x"), "count": count}),
        Places(data),
    )
    nodes = {name: make_node(program) for name, program in programs.items()}
    monkeypatch.setattr(bucket_choice, "MAX_EVENTS_FOR_ONE_BUCKET", 5)
    land_line(data, build_lines(5))
    assert {name: choose_buckets(node.query, places) for name, node in nodes.items()} == dict.fromkeys(
        nodes, 1
    )
    land_line(data, build_lines(1))
    assert {name: choose_buckets(node.query, places) for name, node in nodes.items()} == dict.fromkeys(
        nodes, 2
    )
    settings.BUCKETS = 7
    assert {choose_buckets(node.query, places) for node in nodes.values()} == {7}


def test_what_waits_for_a_query_whose_offsets_nobody_knows_is_everything(data: Path) -> None:
    program = compile_programs({"a": build_state("x")})["a"]
    assert count_waiting(program, Places(data), ()) == 0
    land_line(data, build_lines(4))
    assert count_waiting(program, Places(data), ()) == 4
    assert count_waiting(program, Places(data), (1,)) == 0
