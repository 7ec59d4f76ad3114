"""Programs hold what lies below each node: making all of them takes no more steps than they have together."""

from __future__ import annotations

import cProfile
import pstats
from typing import Any

import pytest

from timeline_app.compiler import compile_plan

STREAMS = {"player": {"key": "k", "time": "t"}}
MAX_RATIO = 5.0
"""Twice the nodes: programs together are four times as long; by each path, or by each wire of each, it is eight."""


def build_existed(word: str) -> dict[str, Any]:
    return {"op": "has_existed", "stream": "player", "params": {"where": f'a == "{word}"'}}


def build_wired(op: str, *names: str) -> dict[str, Any]:
    return {"op": op, "inputs": {"of": list(names)}}


def build_ladder(rungs: int) -> dict[str, Any]:
    """Two nodes a rung, each of which reads both of the rung below."""
    nodes = {"n0": build_existed("x"), "m0": build_existed("y")}
    for rung in range(1, rungs):
        below = (f"n{rung - 1}", f"m{rung - 1}")
        nodes |= {f"n{rung}": build_wired("and", *below), f"m{rung}": build_wired("or", *below)}
    return nodes


def build_fan(width: int) -> dict[str, Any]:
    """A chain of nodes, each of which reads the same many others."""
    leaves = {f"a{index}": build_existed(str(index)) for index in range(width)}
    chain = {"n0": build_wired("and", *leaves)}
    for index in range(1, width):
        chain[f"n{index}"] = build_wired("or" if index % 2 else "and", *leaves, f"n{index - 1}")
    return leaves | chain


def build_totals(rungs: int) -> dict[str, Any]:
    """A ladder, and over each rung a sum for all keys, which needs to know what that rung says without events."""
    nodes = build_ladder(rungs)
    for rung in range(rungs):
        nodes[f"d{rung}"] = {"op": "duration_where", "inputs": {"of": f"n{rung}"}}
        of = {"of": f"d{rung}"}
        nodes[f"g{rung}"] = {"op": "aggregate", "inputs": of, "params": {"function": "sum"}}
    return nodes


def count_calls(nodes: dict[str, Any]) -> int:
    """How many functions are called to compile a plan of these nodes."""
    document = {"version": 1, "streams": STREAMS, "nodes": nodes, "results": list(nodes)}
    with cProfile.Profile() as profile:
        compile_plan(document, {})
    return int(pstats.Stats(profile).total_calls)  # type: ignore[attr-defined]


@pytest.mark.parametrize("shape", [build_ladder, build_fan, build_totals])
def test_twice_the_nodes_take_no_more_than_programs_grow(shape: Any) -> None:
    count_calls(shape(4))  # what is read once in a process
    small, large = count_calls(shape(40)), count_calls(shape(80))
    assert large / small < MAX_RATIO, f"{small:,} calls became {large:,}"
