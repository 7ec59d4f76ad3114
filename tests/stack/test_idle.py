"""The whole product on a stream that falls silent: what was said becomes final by itself, and again after a restart."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.browser.product import STREAM, Api, add_user, ask_patiently, build_leaf, wait_until
from workers.stack import Stack, health

pytestmark = [pytest.mark.stack, pytest.mark.long]
BEGIN = 1_719_820_800_000
NODES = {
    "state": build_leaf("latest_event_to_state", "calm", field="player_state"),
    "playing": {"op": "equal_to", "inputs": {"of": "state"}, "params": {"value": "play"}},
    "most": {"op": "aggregate", "inputs": {"of": "playing"}, "params": {"function": "count"}},
}


def read_final(ada: Api, digests: dict[str, str]) -> dict[str, int]:
    return {name: ada.get(f"nodes/{digest}/")["final_until"] or 0 for name, digest in digests.items()}


def wait_until_beyond(ada: Api, digests: dict[str, str], beyond: dict[str, int]) -> None:
    """Wait until all nodes are final beyond what they were."""
    wait_until(
        lambda: ask_patiently(
            lambda: all(now > beyond[name] for name, now in read_final(ada, digests).items())
        ),
        300,
    )


def test_a_silent_stream_becomes_final_in_every_node_and_goes_on_after_a_restart(tmp_path: Path) -> None:
    event = {"session_id": "s1", "t": BEGIN, "event_id": "1", "player_state": "play"}
    with Stack(tmp_path, demo=False, port=health.find_free_port()) as stack:
        ada = add_user(stack, "ada")
        ada.call("POST", "streams/", {"name": "calm", **STREAM, "idle_after": "2s"})
        ada.push("calm", [event])
        plan = ada.add_plan({"version": 1, "name": "Calm", "nodes": NODES})["id"]
        ada.call("POST", f"plans/{plan}/run/", {"placement": "together"})
        digests = ada.digests(plan)
        wait_until_beyond(ada, digests, dict.fromkeys(digests, BEGIN * 1_000))
        wait_until_beyond(ada, digests, read_final(ada, digests))
        ada.push("calm", [event | {"t": BEGIN - 60_000, "event_id": "2", "player_state": "stop"}])
        state = f"nodes/{digests['state']}/"
        wait_until(lambda: ask_patiently(lambda: bool(ada.get(state)["counters"]["late"] == 1)), 60)
        values = [point[1] for point in ada.timeline(digests["state"], "s1")]
        assert values == [None, "stop", "play"], "a late event counts, also where it was final"
        final = read_final(ada, digests)
    with Stack(tmp_path, demo=False, port=health.find_free_port()) as stack:
        ada = replace(ada, url=stack.url)
        assert all(now >= final[name] for name, now in read_final(ada, digests).items())
        wait_until_beyond(ada, digests, final)
