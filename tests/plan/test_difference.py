"""What differs between two versions: each least part once, and one sentence that says it."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, settings

from tests.plan.test_merge import BASE, ODD, build_changed, remove_seeking, rename_seeking
from tests.strategies.edits import Document, anyhow, apply_edits
from timeline_app.plan.versions import Difference, compute_difference, format_sentence, group_by_subject
from timeline_app.plan.versions.names import rename_nodes
from timeline_app.plan.versions.values import ABSENT, PARTS, SECTIONS, format_canonical


def apply_difference(difference: Difference, document: Document) -> Document:
    """The document with the changes made to it."""
    after: Document = copy.deepcopy(rename_nodes(document, difference.renames))
    for change in difference.changes:
        place: Any = after
        for part in change.path[:-1]:
            place = place.setdefault(part, {})
        if change.after is ABSENT:
            del place[change.path[-1]]
        else:
            place[change.path[-1]] = change.after
    return after


def strip_empty(document: Document) -> str:
    """Without containers that hold nothing."""
    kept = {key: value for key, value in document.items() if value != {} or key not in SECTIONS}
    if isinstance(nodes := kept.get("nodes"), dict):
        kept["nodes"] = {
            name: {k: v for k, v in node.items() if v != {} or k not in PARTS}
            if isinstance(node, dict)
            else node
            for name, node in nodes.items()
        }
    return format_canonical(kept)


@given(anyhow())
@settings(deadline=None)
def test_the_changes_lead_from_one_to_the_other(case: Any) -> None:
    base, edits, others = case
    left, right = apply_edits(base, edits), apply_edits(base, others)
    assert strip_empty(apply_difference(compute_difference(left, right), left)) == strip_empty(right)


@given(ODD, ODD)
def test_of_any_json_the_changes_lead_from_one_to_the_other(left: Document, right: Document) -> None:
    difference = compute_difference(left, right)
    assert format_sentence(difference)
    assert strip_empty(apply_difference(difference, left)) == strip_empty(right)
    assert bool(difference) == (strip_empty(left) != strip_empty(right))


@pytest.mark.parametrize(
    ("after", "words"),
    [
        (BASE, "Nothing changed."),
        (build_changed(nodes__late={"op": "not"}, layout__late=[1, 2]), "Added late."),
        (remove_seeking(), "Removed seeking; rewired calm."),
        (rename_seeking(), "Renamed seeking to sought."),
        (build_changed(nodes__seeking__params__where="y"), "Changed where of seeking."),
        (
            build_changed(nodes__seeking__params={"where": "y", "duration": "1s"}),
            "Changed where and duration of seeking.",
        ),
        (build_changed(nodes__calm__inputs__of="played"), "Rewired calm."),
        (build_changed(layout__calm=[1, 1]), "Moved calm."),
        (build_changed(layout={}), "Moved 4 nodes."),
        (build_changed(results=[], name="Other"), "Changed the plan's name and the results."),
        (
            build_changed(**{f"nodes__n{i}": {"op": "not"} for i in range(5)}, layout__calm=[1, 1]),
            "Added n0, n1 and 3 more; moved calm.",
        ),
    ],
)
def test_one_sentence_says_what_changed(after: Document, words: str) -> None:
    assert format_sentence(compute_difference(BASE, after)) == words


def test_changes_are_gathered_by_what_they_happened_to() -> None:
    after = build_changed(nodes__seeking__params__where="y", layout__seeking=[5, 5], name="Other")
    [seeking, plan] = [item.to_document() for item in group_by_subject(compute_difference(BASE, after))]
    assert (seeking["name"], seeking["node"], seeking["did"]) == ("seeking", True, ["changed", "moved"])
    assert [(change["field"], change["before"], change["after"]) for change in seeking["changes"]] == [
        ("where", "x == 1", "y"),
        ("place", [0, 0], [5, 5]),
    ]
    assert (plan["name"], plan["node"], plan["did"]) == ("name", False, ["changed"])
