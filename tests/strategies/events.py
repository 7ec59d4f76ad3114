"""Random streams and deliveries: few keys and clustered times, so that everything collides."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.referee import JsonEvent
from tests.strategies.values import FIELDS, NUMBERS, STATES

_BASE = 1_719_820_797_000
"""Three seconds before eight o'clock, so that a minute, an hour and opening hours begin among the events."""
_MISFITS: dict[str, list[Any]] = {
    "state": [["nested"], {"deep": 1}, None, 7, True],
    "bitrate": ["12", True, None, [1]],
    "live": ["true", 1, None],
    "id": [None, [1], True],
}


_NUMBERS: list[Any] = [1, 2, 9.5, 10, 2**53, 2**53 + 1, -3]
_TEXTS: list[Any] = [9, "10", "9", "09", -3, -20, "a10", "a2", "é", 2**53, 2**53 + 1]


@st.composite
def declarations(draw: st.DrawFn, *, spans: bool = False) -> dict[str, Any]:
    """A stream as a plan document declares it, with or without ids; with `spans` its rows may have ends."""
    ids = draw(st.sampled_from(["none", "text", "number"]))
    fields = {**FIELDS, "id": "number"} if ids == "number" else dict(FIELDS)
    lateness = draw(st.sampled_from(["1s", "30s"]))
    declared: dict[str, Any] = {"key": "k", "time": "t", "fields": fields, "allowed_lateness": lateness}
    if spans and draw(st.booleans()):
        declared["until"] = "u"
    return declared if ids == "none" else {**declared, "id": "id"}


@st.composite
def ended(draw: st.DrawFn, declared: dict[str, Any], event: JsonEvent, *, most: int = 8) -> JsonEvent:
    """An event as a row of the stream: where it declares `until`, most have an end, after they begin."""
    steps = draw(st.sampled_from([None, *range(1, most)])) if "until" in declared else None
    return event if steps is None else {**event, "u": event["t"] + 500 * steps}


@st.composite
def deliveries(
    draw: st.DrawFn, declared: dict[str, Any], *, most: int = 14, prefix: str = "", mistyped: bool = False
) -> list[JsonEvent]:
    """Delivered events: late ones, ties, and (with ids) copies, some of which differ.

    With `mistyped`, some fields hold what does not fit their type, null among it.
    """
    ids = _NUMBERS if "id" in declared["fields"] else _TEXTS
    optional = {
        "state": st.sampled_from(STATES),
        "cdn": st.sampled_from(["CDN1", "CDN2"]),
        "bitrate": st.sampled_from(NUMBERS),
        "live": st.booleans(),
        "sent": st.one_of(st.integers(0, 12).map(lambda step: _BASE + 250 * step), st.just("never")),
        **({"id": st.sampled_from(ids)} if "id" in declared else {}),
    }
    required = {
        "k": st.sampled_from([f"{prefix}{key}" for key in ("x", "x", "y", "z")]),
        "t": st.integers(0, 12).map(lambda step: _BASE + 500 * step),
    }
    event = st.fixed_dictionaries(required, optional=optional)
    drawn = draw(st.lists(event, min_size=draw(st.sampled_from((1, 4, 8, 12))), max_size=most))
    events = [draw(ended(declared, item)) for item in drawn]
    copies = draw(st.lists(st.sampled_from(events), max_size=3)) if "id" in declared else []
    delivered = [dict(event) for event in (*events, *copies)]
    for place, name in draw(_spoiled(len(delivered))) if mistyped else []:
        delivered[place][name] = draw(st.sampled_from(_MISFITS[name]))
    return delivered


def _spoiled(size: int) -> st.SearchStrategy[list[tuple[int, str]]]:
    """Which field of which event does not fit."""
    return st.lists(st.tuples(st.integers(0, size - 1), st.sampled_from([*_MISFITS])), max_size=2)
