"""Examples for OpenAPI: generated from the wire types, with realistic values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Schema = Mapping[str, Any]
PLAN: dict[str, Any] = {
    "version": 1,
    "name": "Rebuffering",
    "nodes": {
        "state": {"op": "latest_event_to_state", "stream": "player", "params": {"field": "player_state"}},
        "buffering": {"op": "equal_to", "inputs": {"of": "state"}, "params": {"value": "buffer"}},
    },
    "results": ["buffering"],
}
SHOWN_ONCE = "6b0d3f1c9e5a7b8d2f4c6e8a0b1d3f5c7e9a1b3d5f7c9e0a2b4d6f8c0e1a3b5d"
NOON = 1_783_080_000_000_000
TEXTS = {
    "cdn": "CDN1",
    "code": "unknown_operator",
    "hint": "Use one of those that GET /api/operators/ tells.",
    "digest": "5f0c1d7e9a3b48266d1f0e9c7b5a39481726354f0e1d2c3b4a59687786950413",
    "edit": "0b6c1f6e-6d0e-4a3e-9a43-6d3f6c2f9a11",
    "error": "",
    "field": "player_state",
    "id": "c1",
    "key": "s1",
    "message": "There is no operator 'equals'.",
    "name": "buffering",
    "node": "buffering",
    "op": "equal_to",
    "operator": "equal_to",
    "owner": "ada",
    "plan_name": "Rebuffering",
    "saved_by": "ada",
    "sender": "ada",
    "stream": "player",
    "text": 'buffering = state == "buffer"',
    "time": "at",
    "title": "Buffering",
    "token": SHOWN_ONCE,
    "trouble": "",
    "unit": "ms",
    "username": "ada",
    "words": "running",
    "allowed_lateness": "30s",
    "retention": "7d",
    "range": "5m",
    "zone": "Europe/Berlin",
}
"""Example texts by the name of their field."""
MOMENTS = {
    "as_of",
    "stopped_at",
    "at",
    "final_until",
    "from",
    "known_at",
    "known_from",
    "last_event_at",
    "last_progress",
}
MOMENTS |= {"now", "since", "start", "t", "to", "end"}
OBJECTS: dict[str, Any] = {
    "document": PLAN,
    "base": PLAN,
    "fields": {"player_state": "text", "position": "number"},
    "values": {"player_state": "buffer"},
    "events": {"player": [{"session_id": "s1", "at": NOON // 1000, "player_state": "buffer"}]},
    "renames": {"state": "player_state"},
    "replayed_events": {"player": 120_000},
}
"""Example objects by the name of their field, where nothing else is known."""


def build_refusal_example(code: str, message: str, /, **problem: Any) -> dict[str, Any]:
    keys = ("node", "port", "line", "column", "field", "code", "message", "hint", "severity", "stream")
    full_problem = dict.fromkeys(keys) | {"severity": "error"} | problem
    return {"code": code, "message": message, "problems": [full_problem] if problem else []}


ERRORS: dict[str, dict[str, Any]] = {
    "400": build_refusal_example(
        "invalid",
        "limit: '0' is not possible. Give a whole number from 1 to 200.",
        field="limit",
        code="invalid",
        message="'0' is not possible.",
        hint="Give a whole number from 1 to 200.",
    ),
    "401": build_refusal_example("not_authenticated", "Authentication credentials were not provided."),
    "403": build_refusal_example(
        "not_yours", "This plan belongs to ada. Ask ada, or make a copy of your own."
    ),
    "404": build_refusal_example(
        "unknown_plan", "There is no plan of this number; it may have been deleted."
    ),
    "405": build_refusal_example("method_not_allowed", 'Method "PATCH" not allowed.'),
    "408": build_refusal_example(
        "body_stalled", "Nothing was taken: no byte of the body came for 30 s. Send it again."
    ),
    "409": build_refusal_example(
        "conflict", "Somebody saved this dashboard in the meantime: it is at version 3."
    ),
    "411": build_refusal_example("length_required", "The body comes in chunks. Send it with Content-Length."),
    "412": build_refusal_example("changed_meanwhile", "It is at another version by now. Load it again."),
    "413": build_refusal_example(
        "body_too_large", "The body is larger than 8 MiB. Send at most 8 MiB in one request."
    ),
    "415": build_refusal_example(
        "unsupported_encoding",
        "The Content-Encoding 'deflate' is not taken. Send gzip, zstd or br, or the body as it is.",
    ),
    "422": build_refusal_example(
        "plan_refused",
        "The plan cannot run.",
        node="buffering",
        port="of",
        code="not_wired",
        message="Nothing is wired to of.",
        hint="Wire something that says texts.",
    ),
    "429": build_refusal_example("throttled", "Too many requests. Try again in 12 seconds."),
    "503": build_refusal_example("not_written", "Nothing was taken: the server cannot write. Send it again."),
    "507": build_refusal_example("disk_full", "Nothing was taken: there is no room on the server's disk."),
}


def build_example(schema: Schema, components: Mapping[str, Schema], name: str = "") -> Any:
    """Return a value of this type that suits the name of its field."""
    if "$ref" in schema:
        return build_example(components[schema["$ref"].rsplit("/", 1)[1]], components, name)
    for choice in ("allOf", "oneOf", "anyOf"):
        if choice in schema:
            return build_example(schema[choice][0], components, name)
    if "enum" in schema:
        return schema["enum"][0]
    kinds = schema.get("type", [])
    kind = kinds if isinstance(kinds, str) else next(iter(kinds), "any")
    return build_example_by_type(kind, schema, components, name)


def build_example_by_type(kind: str, schema: Schema, components: Mapping[str, Schema], name: str) -> Any:
    if kind == "object":
        return build_object_example(schema, components, name)
    if "prefixItems" in schema:
        return [build_example(item_schema, components, name) for item_schema in schema["prefixItems"]]
    if kind == "array":
        least = schema.get("minItems", 1)
        return [build_example(schema.get("items", {}), components, name.removesuffix("s"))] * least
    if kind == "string":
        return build_text_example(schema, name)
    if kind == "integer":
        return NOON if name in MOMENTS else max(1, schema.get("minimum", 1))
    return {"number": 1.5, "boolean": True, "null": None}.get(kind, "buffer")


def build_object_example(schema: Schema, components: Mapping[str, Schema], name: str) -> dict[str, Any]:
    """Return an object with all its properties, or a known example of a free-form object."""
    if "properties" in schema:
        return {
            property_name: build_example(inner, components, property_name)
            for property_name, inner in schema["properties"].items()
            if property_name not in ("num", "den")
        }
    examples = OBJECTS.get(name, {})
    inner = schema.get("additionalProperties")
    if isinstance(inner, dict) and inner:
        return {next(iter(examples), "buffering"): build_example(inner, components)}
    return dict(examples)


def build_text_example(schema: Schema, name: str) -> str:
    """Return a text that suits the format and the name of its field."""
    formats = {
        "date-time": "2026-07-03T12:00:00Z",
        "binary": "",
        "uri": "http://127.0.0.1:8000/api/plans/?cursor=cD0y",
    }
    return formats.get(schema.get("format", "")) or TEXTS.get(name, name or "buffer")
