"""Edits of a plan document, as a page makes them: functions, so that any order of them can be tried."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import strategies as st

from tests.strategies.plans import plans

Document = dict[str, Any]
Edit = Callable[[Document], None]


@st.composite
def drawn_plans(draw: st.DrawFn) -> Document:
    """A plan with places, groups and free comments."""
    plan: Document = json.loads(json.dumps(draw(plans())))
    names = list(plan["nodes"])
    plan["name"] = "Drawn"
    plan["layout"] = {name: [40 * index, 0] for index, name in enumerate(names)}
    plan["groups"] = {"g": {"title": "First", "nodes": names[:2]}}
    plan["comments"] = [{"text": "free", "before": None}]
    return plan


def node_edits(name: str, tag: str) -> st.SearchStrategy[Edit]:
    """Something done to one node that no other node feels."""
    values = st.sampled_from(["1s", "7s", 3, True])

    def edit_parameter(value: Any) -> Edit:
        return lambda document: document["nodes"][name].setdefault("params", {}).update({"odd": value})

    def edit_comment(text: str) -> Edit:
        return lambda document: document["nodes"][name].update({"comment": text})

    def move(x: int) -> Edit:
        return lambda document: document["layout"].update({name: [x, 77]})

    def add_wire(source: str) -> Edit:
        return lambda document: document["nodes"][name].setdefault("inputs", {}).update({"extra": source})

    def edit_result(_: None) -> Edit:
        return lambda document: document["results"].remove(name) if name in document["results"] else None

    def remove_wires(_: None) -> Edit:
        return lambda document: document["nodes"][name].pop("inputs", None)

    return st.one_of(
        values.map(edit_parameter),
        st.sampled_from([f"{tag} says", f"{tag} asks"]).map(edit_comment),
        st.integers(0, 5).map(move),
        st.just(name).map(add_wire),
        st.none().map(edit_result),
        st.none().map(remove_wires),
    )


def plan_edits(tag: str) -> st.SearchStrategy[Edit]:
    """Something added that nobody else adds."""

    def add_node(number: int) -> Edit:
        name = f"{tag}_{number}"

        def add(document: Document) -> None:
            document["nodes"][name] = {"op": "not", "inputs": {"of": "n0"}, "comment": name}
            document["layout"][name] = [number, ord(tag[0])]
            document["results"] = [result for result in document["results"] if result != name] + [name]

        return add

    def group(number: int) -> Edit:
        return lambda document: document["groups"].update({f"{tag}{number}": {"title": tag, "nodes": ["n0"]}})

    def add_comment(number: int) -> Edit:
        return lambda document: document["comments"].append({"text": f"{tag}{number}", "before": None})

    numbers = st.integers(0, 3)
    return st.one_of(numbers.map(add_node), numbers.map(group), numbers.map(add_comment))


def rename(old: str, new: str) -> Edit:
    """A node gets another name, everywhere."""

    def call(name: Any) -> Any:
        return new if name == old else name

    def edit(document: Document) -> None:
        for part in ("nodes", "layout"):
            document[part] = {call(name): value for name, value in document[part].items()}
        for node in document["nodes"].values():
            for port, held in node.get("inputs", {}).items():
                node["inputs"][port] = [call(item) for item in held] if isinstance(held, list) else call(held)
        document["results"] = [call(name) for name in document["results"]]
        for group in document["groups"].values():
            group["nodes"] = [call(name) for name in group["nodes"]]

    return edit


def remove(name: str) -> Edit:
    """A node that nobody reads goes away; what is added reads `n0`."""

    def edit(document: Document) -> None:
        del document["nodes"][name], document["layout"][name]
        document["results"] = [result for result in document["results"] if result != name]
        for group in document["groups"].values():
            group["nodes"] = [node for node in group["nodes"] if node != name]

    return edit


def apply_edits(document: Document, *rounds: Sequence[Edit]) -> Document:
    """The document after these edits."""
    after = copy.deepcopy(document)
    for edits in rounds:
        for edit in edits:
            edit(after)
    return after


@st.composite
def disjoint(draw: st.DrawFn) -> tuple[Document, list[Edit], list[Edit]]:
    """A plan, and what two persons do to different parts of it."""
    plan = draw(drawn_plans())
    owners = {name: draw(st.booleans()) for name in plan["nodes"]}
    return plan, _draw_edits_of_one(draw, plan, owners, True), _draw_edits_of_one(draw, plan, owners, False)


def _draw_edits_of_one(draw: st.DrawFn, plan: Document, owners: dict[str, bool], who: bool) -> list[Edit]:
    tag, mine = ("ada" if who else "bob"), [name for name, owner in owners.items() if owner is who]
    edits = draw(st.lists(plan_edits(tag), max_size=3))
    read = {"n0"} | {
        source
        for node in plan["nodes"].values()
        for held in node.get("inputs", {}).values()
        for source in _list_all(held)
    }
    for name in mine:
        fate = draw(st.sampled_from(["leave", "edit", "edit", "rename", "remove"]))
        if fate == "remove" and name not in read:
            edits.append(remove(name))
        elif fate == "edit":
            edits += draw(st.lists(node_edits(name, tag), max_size=3))
        elif fate == "rename" and name != "n0":
            edits.append(rename(name, f"{tag}_was_{name}"))
    return edits


def _list_all(held: Any) -> list[str]:
    return held if isinstance(held, list) else [held]


@st.composite
def anyhow(draw: st.DrawFn) -> tuple[Document, list[Edit], list[Edit]]:
    """A plan, and what two persons do to the same nodes, each without knowing of the other."""
    plan = draw(drawn_plans())
    chosen = st.sampled_from(sorted(plan["nodes"]))
    both = []
    for tag in ("ada", "bob"):
        edits = [
            edit for name in draw(st.lists(chosen, max_size=4)) for edit in [draw(node_edits(name, tag))]
        ]
        edits += draw(st.lists(plan_edits("new"), max_size=2))
        last = draw(st.sampled_from(["nothing", "rename", "remove"]))
        name = draw(chosen)
        edits += {"nothing": [], "rename": [rename(name, tag)], "remove": [remove(name)]}[last]
        both.append(edits)
    return plan, both[0], both[1]
