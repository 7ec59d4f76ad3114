"""The contract's example, a folder with plans and events, and the command `evaluate`."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

ROOT = Path(__file__).parents[2]
STREAM: dict[str, Any] = {
    "key": "session_id",
    "time": "t",
    "unit": "ms",
    "fields": {"n": "number", "live": "bool"},
}
START = 1_719_820_800_000
WHERE = 'player_state == "play"'
NODES: dict[str, Any] = {
    "played": {"op": "has_existed", "stream": "player", "params": {"where": WHERE}},
    "seeking": {
        "op": "has_existed_within",
        "stream": "player",
        "params": {"where": 'user_action == "seek"', "duration": "5s"},
    },
    "calm": {"op": "not", "inputs": {"of": "seeking"}},
    "state": {"op": "latest_event_to_state", "stream": "player", "params": {"field": "player_state"}},
    "buffering": {"op": "equal_to", "inputs": {"of": "state"}, "params": {"value": "buffer"}},
    "induced": {"op": "and", "inputs": {"of": ["played", "calm", "buffering"]}},
    "cirr": {"op": "duration_where", "inputs": {"of": "induced"}},
}
CIRR = {
    "version": 1,
    "name": "Connection-induced rebuffering",
    "nodes": NODES,
    "results": ["cirr"],
    "streams": {"player": STREAM},
}
EVENTS = [
    {"session_id": "s1", "t": START, "player_state": "play"},
    {"session_id": "s1", "t": START + 7_000, "player_state": "buffer"},
    {"session_id": "s1", "t": START + 10_000, "player_state": "play"},
    {"session_id": "s1", "t": 1_719_824_430_000},
]
EXPECTED = (
    '{"node": "cirr", "key": "s1", "kind": "number", "final_until": 1719824400000000, '
    '"points": [{"t": null, "value": 0.0, "slope": 0.0}, '
    '{"t": 1719820807000000, "value": 0.0, "slope": 1.0}, '
    '{"t": 1719820810000000, "value": 3.0, "slope": 0.0}]}\n'
)


class Desk:
    """A folder with plans and events, and the command."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, name: str, content: Any) -> str:
        path = self.folder / name
        if isinstance(content, bytes):
            path.write_bytes(content)
        elif name.endswith(".jsonl"):
            path.write_text("".join(json.dumps(item) + "\n" for item in content))
        else:
            path.write_text(content if isinstance(content, str) else json.dumps(content))
        return str(path)

    def run(self, *arguments: str) -> str:
        out = StringIO()
        call_command("evaluate", *arguments, stdout=out)
        return out.getvalue()

    def warnings(self, *arguments: str) -> list[str]:
        err = StringIO()
        call_command("evaluate", *arguments, stdout=StringIO(), stderr=err)
        return err.getvalue().splitlines()

    def refusal(self, *arguments: str) -> str:
        with pytest.raises(CommandError) as refusal:
            self.run(*arguments)
        return str(refusal.value)
