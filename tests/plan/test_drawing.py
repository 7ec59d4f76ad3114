"""Where nodes lie, groups and comments: a check says everything that is wrong, and they change no answer."""

from __future__ import annotations

from typing import Any

import pytest

from timeline_app.compiler import compile_plan
from timeline_app.plan import check
from timeline_app.plan.drawing import COLOURS, MAX_COMMENTS, MAX_GROUPS

STREAM = {"key": "k", "time": "t", "fields": {"state": "text"}}
PLAY = {"op": "has_existed", "stream": "s", "params": {"where": 'state == "play"'}}
PLAN = {
    "version": 1,
    "nodes": {"x": PLAY, "y": {"op": "not", "inputs": {"of": "x"}}},
    "streams": {"s": STREAM},
}
GROUP = {"title": "CDN", "nodes": ["x"]}


def build_plan(**parts: Any) -> dict[str, Any]:
    return {**PLAN, **parts}


BAD: dict[str, tuple[dict[str, Any], str, str, str]] = {
    "a layout that is a list": ({"layout": []}, "layout", "bad_layout", "cirr"),
    "one number for a place": ({"layout": {"x": [1]}}, "layout", "bad_layout", "[x, y]"),
    "a place that is not finite": ({"layout": {"x": [0, float("inf")]}}, "layout", "bad_layout", "[x, y]"),
    "a place of yes and no": ({"layout": {"x": [True, False]}}, "layout", "bad_layout", "[x, y]"),
    "groups as an object": ({"groups": {"CDN": ["x"]}}, "groups", "bad_groups", "title"),
    "too many groups": ({"groups": [GROUP] * (MAX_GROUPS + 1)}, "groups", "too_many_groups", "away"),
    "a group that is a text": ({"groups": ["x"]}, "groups.1", "bad_group", "title"),
    "a group without a title": ({"groups": [{"nodes": ["x"]}]}, "groups.1", "bad_title", "shorten"),
    "a title that is too long": ({"groups": [{"title": "x" * 201, "nodes": []}]}, "groups.1", "bad_title", "shorten"),
    "a group without nodes": ({"groups": [{"title": "CDN"}]}, "groups.1", "bad_group", "nodes"),
    "a node that is none": ({"groups": [{"title": "CDN", "nodes": ["xx"]}]}, "groups.1", "unknown_member", "x"),
    "a node in two groups": ({"groups": [GROUP, GROUP]}, "groups.2", "grouped_twice", "one of them"),
    "a node twice in a group": ({"groups": [{**GROUP, "nodes": ["x", "x"]}]}, "groups.1", "grouped_twice", "one"),
    "a colour that is none": ({"groups": [{**GROUP, "colour": "mauve"}]}, "groups.1", "bad_colour", "blue"),
    "a key that no group has": ({"groups": [{**GROUP, "color": "blue"}]}, "groups.1", "unknown_key", "colour"),
    "comments as a text": ({"comments": "hello"}, "comments", "bad_comments", "text"),
    "too many comments": ({"comments": ["x"] * (MAX_COMMENTS + 1)}, "comments", "too_many_comments", "away"),
    "a comment that is a number": ({"comments": ["a", 5]}, "comments.2", "bad_comment", "shorten"),
    "a comment without text": ({"comments": [{"at": [0, 0]}]}, "comments.1", "bad_comment", "shorten"),
    "a comment with a NUL": ({"comments": ["a\0"]}, "comments.1", "bad_comment", "shorten"),
    "a comment at no place": ({"comments": [{"text": "a", "at": 5}]}, "comments.1", "bad_comment", "240"),
    "a comment before a number": ({"comments": [{"text": "a", "before": 5}]}, "comments.1", "bad_comment", "null"),
    "a key that no comment has": ({"comments": [{"text": "a", "place": 5}]}, "comments.1", "unknown_key", "known"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_what_is_drawn_wrongly_is_refused_with_its_place_and_a_hint(name: str) -> None:
    parts, port, code, hint = BAD[name]
    problems = check(build_plan(**parts), {}).problems
    assert [(item.node, item.port, item.code) for item in problems] == [(None, port, code)]
    assert hint in problems[0].hint


GOOD: dict[str, Any] = {
    "layout": {"x": [0, 1.5], "gone": [3, 4]},
    "groups": [{"title": title, "nodes": [], "colour": title} for title in COLOURS] + [GROUP],
    "comments": [
        "top",
        {"text": "", "before": "y"},
        {"text": "a\nb", "before": None, "at": [0, 0], "size": [240, 96]},
    ],
}


def test_what_is_drawn_changes_no_node_and_no_digest() -> None:
    assert check(build_plan(**GOOD), {}).problems == ()
    plain, rich = compile_plan(build_plan(), {}), compile_plan(build_plan(**GOOD), {})
    assert (plain.names, plain.table) == (rich.names, rich.table)


def test_a_member_that_is_gone_stops_no_run() -> None:
    assert check(build_plan(groups=[{"title": "CDN", "nodes": ["gone"]}]), {}).ok
