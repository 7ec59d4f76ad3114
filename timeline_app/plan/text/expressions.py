"""The forms of expressions that make a node: infix signs and words, and calls."""

from __future__ import annotations

from timeline_app.operators import operators
from timeline_app.plan.text.build import Builder, Made, Maker, Node, start_of
from timeline_app.plan.text.calls import Call
from timeline_app.plan.text.deep import Walk
from timeline_app.plan.text.literals import get_token, is_literal, list_branches, name_of, read_value
from timeline_app.plan.text.parser import Branch, SyntaxProblem
from timeline_app.plan.text.words import MEANINGS, MIRRORED
from timeline_app.problems.problem import suggest_nearest


def build_junction(builder: Builder, tree: Branch) -> Walk[Made]:
    """`and` and `or`: one node of all parts."""
    op = "and" if tree.data == "conjunction" else "or"
    names = yield builder.wires(list_branches(tree))
    return Made({"op": op, "inputs": {"of": names}}, {"of": start_of(tree)})


def build_inversion(builder: Builder, tree: Branch) -> Walk[Made]:
    """`not`."""
    [operand] = list_branches(tree)
    name = yield builder.wire(operand)
    return Made({"op": "not", "inputs": {"of": name}}, {"of": start_of(operand)})


def build_signs(builder: Builder, tree: Branch) -> Walk[Made | None]:
    """Comparisons and arithmetic, with a value on one side at most."""
    left, right = list_branches(tree)
    sign = str(get_token(tree, 1))
    if is_literal(left):
        if is_literal(right) or sign not in MIRRORED:
            _refuse_values(builder, left, right, sign)
            return None
        left, right, sign = right, left, MIRRORED[sign]
    of = yield builder.wire(left)
    node: Node = {"op": MEANINGS[sign], "inputs": {"of": of}}
    places = {"of": start_of(left), "other": start_of(right), "value": start_of(right)}
    if is_literal(right):
        try:
            node["params"] = {"value": read_value(right)}
        except SyntaxProblem as error:
            builder.caught(error, port="value")
    else:
        node["inputs"]["other"] = yield builder.wire(right)
    return Made(node, places)


def _refuse_values(builder: Builder, left: Branch, right: Branch, sign: str) -> None:
    if is_literal(right):
        message, hint = "both sides are values", "write a timeline on one side"
    else:
        message = f"a value stands on the left of {sign}"
        hint = "write x * -1 + 3 for 3 - x" if sign == "-" else "only a timeline can be divided: write x / 3"
    builder.refuse(start_of(left), "value_on_the_left", message, hint)


def call(builder: Builder, tree: Branch) -> Walk[Made | None]:
    """`operator(argument, …)`."""
    head = name_of(tree)
    op = operators().get(head)
    if op is None:
        hint = (
            f"{head} is a node, not an operator"
            if head in builder.names
            else suggest_nearest(head, operators())
        )
        builder.refuse(start_of(tree), "unknown_operator", f"there is no operator {head!r}", hint)
        return None
    built: Made = yield Call(builder, op, tree).made()
    return built


MAKERS: dict[str, Maker] = {
    "disjunction": build_junction,
    "conjunction": build_junction,
    "inversion": build_inversion,
    "comparison": build_signs,
    "sum": build_signs,
    "product": build_signs,
    "call": call,
}
