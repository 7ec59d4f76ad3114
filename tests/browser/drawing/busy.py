"""A plan of three nodes that changed 100,000 times for the key `ann`: a state, whether it plays, and for how long."""

from __future__ import annotations

from tests.browser.drawing.log import SECOND, Log
from tests.browser.product import Api, Document, build_leaf
from workers.stack import Stack

CHANGE_COUNT = 100_000
STEP_MICROS = 300_000
STATES = ("play", "buffer", "pause")


def build_busy_plan(stream: str, name: str) -> Document:
    """The plan, on a stream."""
    nodes = {
        "state": build_leaf("latest_event_to_state", stream, field="player_state"),
        "playing": {"op": "equal_to", "inputs": {"of": "state"}, "params": {"value": "play"}},
        "played": {"op": "duration_where", "inputs": {"of": "playing"}},
    }
    return {"version": 1, "name": name, "nodes": nodes, "results": ["played"]}


def fill_busy(stack: Stack, user: Api, plan: int, start: int) -> None:
    """What its nodes say since then, a change every `STEP_MICROS` microseconds."""
    log = Log(stack, user.digests(plan))
    at = [start + n * STEP_MICROS for n in range(CHANGE_COUNT)]
    log.say("state", "ann", [[None, None], *([t, STATES[n % 3]] for n, t in enumerate(at))])
    turns = [(n, t) for n, t in enumerate(at) if n % 3 != 2]
    log.say("playing", "ann", [[None, None], *([t, n % 3 == 0] for n, t in turns)])
    seconds = [[t, (n + 2) // 3 * STEP_MICROS / SECOND, 1.0 if n % 3 == 0 else 0.0] for n, t in turns]
    log.say("played", "ann", [[None, 0.0, 0.0], *seconds])
    log.publish()
