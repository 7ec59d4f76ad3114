"""Conditions that can be read, and say something else than they seem to.

They are never true, or always, or compare numbers in the order of text.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any

from timeline_app.operators import operators
from timeline_app.plan.document import Graph, PlanNode
from timeline_app.predicates import Predicate
from timeline_app.predicates.tree import COMPARISONS, Comparison, Junction, Literal, Membership, Missing, Not
from timeline_app.problems.problem import Problem, make_warning

Params = Mapping[str, Mapping[str, Any]]
_SYMBOLS = {
    "equal_to": "==", "not_equal_to": "!=", "less_than": "<",
    "less_or_equal": "<=", "greater_than": ">", "greater_or_equal": ">=",
}  # fmt: skip


def warn_of_conditions(graph: Graph, params: Params) -> Iterator[Problem]:
    """Yield warnings of conditions on events, and of states joined by `and` and `or`."""
    for name in graph.order:
        node = graph.nodes[name]
        op = operators().get(node.op)
        for port, stream, condition in op.conditions(params.get(name, {})) if op is not None else ():
            yield from _warn_of_events(node, port, stream or node.stream, condition)
        if node.op in ("and", "or"):
            yield from _warn_of_states(graph, params, node)


def _warn_of_events(node: PlanNode, port: str, stream: str | None, condition: Predicate) -> Iterator[Problem]:
    subject = {"node": node.name, "port": port, "stream": stream}
    for part in _list_parts(condition):
        if isinstance(part, Comparison) and _is_ordering_numbers_as_text(part):
            message = f'{part.text()} goes by the order of text, in which "10" comes before "9"'
            hint = (
                f"if it is a number, declare it so in stream {stream} and write {part.literal} without quotes"
            )
            yield make_warning("text_order", message, hint, field=part.field, **subject)
        if isinstance(part, Junction):
            for field in sorted(_find_fixed_fields(part)):
                yield _warn_of_join(
                    part.word, part.text(), f"every event that has {field!r}", field=field, **subject
                )


def _warn_of_states(graph: Graph, params: Params, node: PlanNode) -> Iterator[Problem]:
    """Warn of a join of comparisons of one state with values: what it asks of that state."""
    compared = (_read_comparison(graph, params, wire) for wire in node.inputs.get("of", ()))
    joined = defaultdict[Hashable, list[Predicate]](list)
    for state, condition in filter(None, compared):
        joined[state].append(condition if node.op == "and" else condition.negate())
    if any(_is_contradiction(conditions) for conditions in joined.values()):
        words = f" {node.op} ".join(node.inputs["of"])
        yield _warn_of_join(node.op, words, "every known state", node=node.name, port="of")


def _read_comparison(graph: Graph, params: Params, wire: str) -> tuple[Hashable, Predicate] | None:
    """Return which state a node compares with a value, and how; None where it does something else."""
    node = graph.nodes.get(wire)
    value = params.get(wire, {}).get("value")
    if node is None or node.op not in _SYMBOLS or value is None or len(node.inputs.get("of", ())) != 1:
        return None
    of = graph.nodes.get(node.inputs["of"][0])
    if of is None:
        return None
    state = of.name if of.stream is None else (of.op, of.stream, repr(sorted(of.params.items())))
    return state, Comparison("state", _SYMBOLS[node.op], value)


def _warn_of_join(word: str, text: str, of_what: str, **subject: Any) -> Problem:
    if word == "and":
        hint = 'join them with "or" if one of them is enough'
        return make_warning(
            "never_true", f"{text} is never true: its parts exclude each other", hint, **subject
        )
    hint = 'join them with "and" if all of them are meant'
    return make_warning("always_true", f"{text} is true for {of_what}", hint, **subject)


def _list_parts(condition: Predicate) -> Iterator[Predicate]:
    """Yield the condition, and all that it joins or negates."""
    yield condition
    inner = condition.parts if isinstance(condition, Junction) else ()
    for part in (condition.of,) if isinstance(condition, Not) else inner:
        yield from _list_parts(part)


def _is_ordering_numbers_as_text(part: Comparison) -> bool:
    if part.symbol in ("==", "!=") or not isinstance(part.literal, str):
        return False
    return part.literal.strip().lstrip("+-").replace(".", "", 1).isdecimal()


def _find_fixed_fields(join: Junction) -> Iterator[str]:
    """Yield the fields of which an `and` asks what excludes itself; of an `or`, whose opposite does."""
    by_field = defaultdict[str, list[Predicate]](list)
    for part in join.parts:
        condition = part if join.word == "and" else part.negate()
        if _is_of_field(condition):
            by_field[condition.fields[0]].append(condition)
    return (field for field, parts in by_field.items() if _is_contradiction(parts))


def _is_of_field(part: Predicate) -> bool:
    """Return whether a condition concerns a field itself, and not a value computed from it."""
    condition = part.of if isinstance(part, Not) else part
    return isinstance(condition, (Comparison, Membership, Missing))


def _is_contradiction(parts: Iterable[Predicate]) -> bool:
    """Return whether no value meets all of these conditions on one field."""
    conditions = list(parts)
    if len(conditions) < 2:
        return False
    if Missing(conditions[0].fields[0]) in conditions:
        return True
    values = [_list_values(part) for part in conditions if _list_values(part)]
    if values:
        return not any(
            all(_is_met(part, value) for part in conditions) for value in set.intersection(*values)
        )
    return _is_empty_range(
        [part for part in conditions if isinstance(part, Comparison) and part.symbol != "!="]
    )


def _list_values(part: Predicate) -> set[Literal]:
    """Return the only values that meet it; none where others do."""
    if isinstance(part, Membership):
        return set(part.literals)
    return {part.literal} if isinstance(part, Comparison) and part.symbol == "==" else set()


def _is_met(part: Predicate, value: Literal) -> bool:
    if isinstance(part, Membership):
        return value in part.literals
    if isinstance(part, Not):
        return isinstance(part.of, Missing) or not _is_met(part.of, value)
    assert isinstance(part, Comparison)
    is_same_type = isinstance(value, str) is isinstance(part.literal, str)
    return not is_same_type or bool(COMPARISONS[part.symbol](value, part.literal))


def _is_empty_range(bounds: Iterable[Comparison]) -> bool:
    """Return whether a lower bound lies at or above an upper one, and not both take its value."""
    numbers = [bound for bound in bounds if isinstance(bound.literal, float)]
    lower = [bound for bound in numbers if bound.symbol in (">", ">=")]
    upper = [bound for bound in numbers if bound.symbol in ("<", "<=")]
    if not lower or not upper:
        return False
    low = max(lower, key=lambda bound: (bound.literal, bound.symbol == ">"))
    high = min(upper, key=lambda bound: (bound.literal, bound.symbol == "<="))
    return low.literal > high.literal or (  # type: ignore[operator]  # both are floats
        low.literal == high.literal and (low.symbol, high.symbol) != (">=", "<=")
    )
