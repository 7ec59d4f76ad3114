"""Two changes of one plan come together: nothing is lost, whoever was first, and what cannot be is asked."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategies.edits import Document, anyhow, apply_edits, disjoint
from timeline_app.plan.versions import compute_difference, describe_conflict, merge
from timeline_app.plan.versions.values import ABSENT, format_canonical

JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(0, 2), st.floats(0, 1), st.sampled_from(["a", "b", "c"])),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["a", "b", "c", "id"]), inner, max_size=3),
    ),
    max_leaves=8,
)
KEYS = st.sampled_from(
    ["version", "name", "nodes", "results", "layout", "groups", "comments", "streams", "odd"]
)
ODD = st.dictionaries(KEYS, JSON, max_size=5)
BASE: Document = {
    "version": 1,
    "name": "Plan",
    "nodes": {
        "seeking": {
            "op": "has_existed_within",
            "stream": "player",
            "params": {"where": "x == 1", "duration": "5s"},
        },
        "played": {"op": "has_existed", "stream": "player", "params": {"where": "x == 2"}},
        "calm": {"op": "not", "inputs": {"of": "seeking"}},
        "both": {"op": "and", "inputs": {"of": ["played", "calm"]}},
    },
    "results": ["both"],
    "layout": {"seeking": [0, 0], "played": [0, 200], "calm": [300, 0], "both": [600, 0]},
}


def to_json(document: Any) -> str:
    return json.dumps(document)


def sort_to_json(document: Document) -> str:
    """The document, without the order in which things were added."""
    lists = {
        "results": sorted(document["results"]),
        "comments": sorted(format_canonical(comment) for comment in document["comments"]),
    }
    bare = copy.deepcopy(document) | lists
    for node in bare["nodes"].values():
        for part in ("inputs", "params"):
            if node.get(part) == {}:
                del node[part]
    return format_canonical(bare)


@pytest.mark.deep
@given(disjoint())
@settings(deadline=None)
def test_disjoint_changes_are_as_if_one_person_had_made_both(case: Any) -> None:
    base, adas, bobs = case
    merged = merge(base, apply_edits(base, adas), apply_edits(base, bobs))
    assert merged.conflicts == ()
    assert sort_to_json(merged.document) == sort_to_json(apply_edits(base, adas, bobs))


@pytest.mark.deep
@given(disjoint())
@settings(deadline=None)
def test_it_does_not_matter_who_was_first(case: Any) -> None:
    base, adas, bobs = case
    ada, bob = apply_edits(base, adas), apply_edits(base, bobs)
    assert to_json(merge(base, ada, bob).document) == to_json(merge(base, bob, ada).document)


@given(anyhow())
@settings(deadline=None)
def test_what_both_changed_is_asked_and_each_answer_settles_it(case: Any) -> None:
    base, adas, bobs = case
    ada, bob = apply_edits(base, adas), apply_edits(base, bobs)
    open_ones = merge(base, ada, bob).conflicts
    for side in ("ours", "theirs"):
        settled = merge(base, ada, bob, {item.path: side for item in open_ones})
        assert settled.conflicts == ()
        for conflict in open_ones:
            assert describe_conflict(conflict.path)


@given(anyhow())
@settings(deadline=None)
def test_no_part_that_one_side_alone_changed_is_lost(case: Any) -> None:
    base, adas, bobs = case
    ada, bob = apply_edits(base, adas), apply_edits(base, bobs)
    merged = merge(base, ada, bob)
    if compute_difference(base, ada).renames or compute_difference(base, bob).renames or merged.conflicts:
        return
    theirs = {item.path for item in compute_difference(base, bob).changes}
    left = {item.path: item.after for item in compute_difference(merged.document, ada).changes}
    for change in compute_difference(base, ada).changes:
        near = [
            path
            for path in theirs
            if path[: len(change.path)] == change.path or change.path[: len(path)] == path
        ]
        if not near and change.after is not ABSENT:
            assert change.path not in left, (change, merged.document)


@given(ODD, ODD, ODD)
@settings(deadline=None)
def test_any_json_is_merged_in_peace(base: Document, ours: Document, theirs: Document) -> None:
    before = to_json([base, ours, theirs])
    merged = merge(base, ours, theirs)
    merge(base, ours, theirs, {conflict.path: "ours" for conflict in merged.conflicts})
    json.dumps(merged.document)
    assert to_json([base, ours, theirs]) == before


@given(ODD, ODD)
def test_who_changed_nothing_gets_what_the_other_has(base: Document, side: Document) -> None:
    for merged in (merge(base, side, base), merge(base, base, side), merge(base, side, side)):
        assert (to_json(merged.document), merged.conflicts) == (to_json(side), ())


def build_changed(**paths: Any) -> Document:
    """The plan with values at paths, `nodes__calm__op` and the like; None takes away."""
    document = copy.deepcopy(BASE)
    for path, value in paths.items():
        *way, last = path.split("__")
        place = document
        for part in way:
            place = place.setdefault(part, {})
        if value is None:
            del place[last]
        else:
            place[last] = value
    return document


def test_two_fields_of_one_node() -> None:
    ours, theirs = (
        build_changed(nodes__seeking__params__where="x == 3"),
        build_changed(nodes__seeking__params__duration="9s"),
    )
    merged = merge(BASE, ours, theirs)
    assert merged.document["nodes"]["seeking"]["params"] == {"where": "x == 3", "duration": "9s"}
    assert merged.conflicts == ()


def test_one_field_changed_by_both_is_a_conflict_and_stays_theirs_until_decided() -> None:
    ours, theirs = (
        build_changed(nodes__seeking__params__where="mine"),
        build_changed(nodes__seeking__params__where="theirs"),
    )
    path = ("nodes", "seeking", "params", "where")
    [conflict] = (merged := merge(BASE, ours, theirs)).conflicts
    assert (conflict.path, conflict.base, conflict.ours, conflict.theirs) == (
        path,
        "x == 1",
        "mine",
        "theirs",
    )
    assert describe_conflict(path) == "where of seeking"
    assert merged.document["nodes"]["seeking"]["params"]["where"] == "theirs"
    assert merge(BASE, ours, theirs, {path: "ours"}).document["nodes"]["seeking"]["params"]["where"] == "mine"


def test_both_wire_something_to_a_port_for_many() -> None:
    ours = build_changed(nodes__a={"op": "not"}, nodes__both__inputs__of=["played", "a", "calm"])
    theirs = build_changed(nodes__b={"op": "or"}, nodes__both__inputs__of=["calm", "b"])
    merged = merge(BASE, ours, theirs)
    assert merged.document["nodes"]["both"]["inputs"]["of"] == ["a", "calm", "b"]
    assert merged.conflicts == ()


def test_both_take_all_wires_from_a_port() -> None:
    ours, theirs = build_changed(nodes__both__inputs__of=["calm"]), build_changed(nodes__both__inputs=None)
    merged = merge(BASE, ours, theirs)
    assert "inputs" not in merged.document["nodes"]["both"]


def rename_seeking() -> Document:
    document = build_changed(nodes__calm__inputs__of="sought")
    for part in ("nodes", "layout"):
        document[part] = {
            "sought" if name == "seeking" else name: value for name, value in document[part].items()
        }
    return document


def test_a_renamed_node_takes_the_others_change_with_it() -> None:
    theirs = build_changed(nodes__seeking__params__duration="9s", layout__seeking=[7, 7])
    for merged in (merge(BASE, rename_seeking(), theirs), merge(BASE, theirs, rename_seeking())):
        assert merged.conflicts == ()
        assert list(merged.document["nodes"]) == ["sought", "played", "calm", "both"]
        assert merged.document["nodes"]["sought"]["params"]["duration"] == "9s"
        assert merged.document["layout"]["sought"] == [7, 7]
        assert merged.document["nodes"]["calm"] == {"op": "not", "inputs": {"of": "sought"}}


def test_two_names_for_one_node_are_a_conflict_about_its_name() -> None:
    theirs = json.loads(to_json(rename_seeking()).replace("sought", "looked"))
    [conflict] = (merged := merge(BASE, rename_seeking(), theirs)).conflicts
    assert (conflict.path, conflict.ours, conflict.theirs) == (("names", "seeking"), "sought", "looked")
    assert merged.document["nodes"].keys() == {"looked", "played", "calm", "both"}
    mine = merge(BASE, rename_seeking(), theirs, {("names", "seeking"): "ours"}).document
    assert mine["nodes"]["calm"]["inputs"]["of"] == "sought"


def test_two_new_nodes_of_one_name_are_both_kept() -> None:
    ours = build_changed(
        nodes__held={"op": "not", "inputs": {"of": "both"}}, layout__held=[900, 0], results=["held"]
    )
    theirs = build_changed(nodes__held={"op": "not", "inputs": {"of": "played"}}, layout__held=[900, 300])
    merged = merge(BASE, ours, theirs)
    assert merged.conflicts == ()
    assert merged.document["nodes"]["held"]["inputs"]["of"] == "played"
    assert merged.document["nodes"]["held_2"]["inputs"]["of"] == "both"
    assert merged.document["results"] == ["held_2"]


def remove_seeking() -> Document:
    return build_changed(nodes__seeking=None, layout__seeking=None, nodes__calm__inputs=None)


def test_a_node_removed_by_one_and_changed_by_the_other_is_asked() -> None:
    theirs = build_changed(nodes__seeking__params__duration="9s", layout__seeking=[7, 7])
    [conflict] = merge(BASE, remove_seeking(), theirs).conflicts
    assert (conflict.path, conflict.ours) == (("nodes", "seeking"), ABSENT)
    assert describe_conflict(conflict.path) == "whether seeking stays"
    away = merge(BASE, remove_seeking(), theirs, {conflict.path: "ours"}).document
    assert away == remove_seeking()
    stays = merge(BASE, remove_seeking(), theirs, {conflict.path: "theirs"}).document
    assert stays["nodes"]["seeking"]["params"]["duration"] == "9s"
    assert stays["layout"]["seeking"] == [7, 7]


def test_a_node_removed_by_one_and_moved_by_the_other_is_gone() -> None:
    merged = merge(BASE, remove_seeking(), build_changed(layout__seeking=[7, 7]))
    assert (merged.document, merged.conflicts) == (remove_seeking(), ())


def test_a_node_removed_by_one_and_wired_anew_by_the_other_is_asked() -> None:
    theirs = build_changed(nodes__late={"op": "not", "inputs": {"of": "seeking"}}, layout__late=[5, 5])
    [conflict] = merge(BASE, remove_seeking(), theirs).conflicts
    assert conflict.path == ("nodes", "seeking")
    stays = merge(BASE, remove_seeking(), theirs, {conflict.path: "theirs"}).document
    assert stays["nodes"]["late"]["inputs"] == {"of": "seeking"}
    assert stays["layout"]["seeking"] == [0, 0]
    away = merge(BASE, remove_seeking(), theirs, {conflict.path: "ours"}).document
    assert "seeking" not in away["nodes"]
    assert away["nodes"]["late"] == {"op": "not"}


@pytest.mark.parametrize("part", ["groups", "comments"])
def test_two_that_got_the_same_id_are_both_kept(part: str) -> None:
    ours, theirs = (
        build_changed(**{part: {"1": {"title": "mine"}}}),
        build_changed(**{part: {"1": {"title": "theirs"}}}),
    )
    merged = merge(BASE, ours, theirs)
    assert merged.document[part] == {"1": {"title": "theirs"}, "1_2": {"title": "mine"}}


def test_things_with_ids_are_merged_one_by_one() -> None:
    base = build_changed(comments=[{"id": "a", "text": "x", "at": [0, 0]}])
    ours = base | {
        "comments": [{"id": "a", "text": "y", "at": [0, 0]}, {"id": "b", "text": "new", "at": [1, 1]}]
    }
    theirs = base | {"comments": [{"id": "a", "text": "x", "at": [9, 9]}]}
    merged = merge(base, ours, theirs).document["comments"]
    assert merged == [{"id": "a", "text": "y", "at": [9, 9]}, {"id": "b", "text": "new", "at": [1, 1]}]


def test_groups_and_comments_are_known_again_by_what_they_say() -> None:
    note = {"text": "Look", "before": None, "at": [0, 0]}
    base = build_changed(groups=[{"title": "CDN", "nodes": ["calm"]}], comments=["head", note])
    ours = base | {
        "groups": [{"title": "Network", "nodes": ["calm"]}],
        "comments": ["head", note | {"at": [9, 9]}],
    }
    theirs = base | {
        "groups": [{"title": "CDN", "nodes": ["calm", "both"]}],
        "comments": ["head", note | {"text": "Look here"}, "tail"],
    }
    merged = merge(base, ours, theirs)
    assert merged.conflicts == ()
    assert merged.document["groups"] == [{"title": "Network", "nodes": ["calm", "both"]}]
    assert merged.document["comments"] == [
        "head",
        {"text": "Look here", "before": None, "at": [9, 9]},
        "tail",
    ]


def test_free_comments_of_both_are_kept() -> None:
    base, ours, theirs = (
        build_changed(comments=["a"]),
        build_changed(comments=["a", "mine"]),
        build_changed(comments=["a", "theirs"]),
    )
    assert merge(base, ours, theirs).document["comments"] == ["a", "mine", "theirs"]


def test_true_is_not_one() -> None:
    merged = merge(
        build_changed(nodes__calm__comment=1),
        build_changed(nodes__calm__comment=True),
        build_changed(nodes__calm__comment=1),
    )
    assert merged.document["nodes"]["calm"]["comment"] is True
