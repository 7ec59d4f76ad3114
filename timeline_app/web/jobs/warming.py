"""What a fork server imports and builds before its first child, so that children need not."""

from __future__ import annotations

from typing import Any

from timeline_app.demos.player import STREAM
from timeline_app.evaluate.sandbox.messages import JobMessage
from timeline_app.web.jobs.evaluate import evaluate_plan
from timeline_app.web.jobs.guess import guess_declaration
from timeline_app.web.jobs.plans import check_plan_text, format_plan

_PLAN = {
    "version": 1,
    "name": "Warm",
    "nodes": {
        "state": {"op": "latest_event_to_state", "stream": "player", "params": {"field": "player_state"}},
        "played": {"op": "has_existed", "stream": "player", "params": {"where": 'player_state == "play"'}},
        "for": {"op": "duration_where", "inputs": {"of": "played"}},
        "total": {"op": "aggregate", "inputs": {"of": "for", "by": "state"}, "params": {"function": "p50"}},
    },
}
_EVENT = {"session_id": "s", "t": 1_700_000_000_000, "event_id": "1", "player_state": "play"}
_HEADER: dict[str, Any] = {
    "document": _PLAN,
    "known": {"player": {"document": STREAM, "seen": [], "lent": None}},
    "question": {},
    "budget": {},
    "partly": True,
    "events": {"player": [_EVENT]},
    "files": [],
    "mapping": {},
    "parts": None,
}


def warm_up() -> None:
    """Answer one small question of each kind: 0.1 s of grammars, 0.5 s of pyarrow's lazy imports."""
    evaluate_plan(JobMessage(_HEADER))
    check_plan_text(JobMessage({"text": format_plan(_PLAN), "known": _HEADER["known"]}))
    guess_declaration(JobMessage({"said": {}, "mapping": []}, [b"key,time\na,1700000000\nb,1700000001"]))
