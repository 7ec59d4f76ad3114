"""Rewrites that keep the meaning, unknown included, so that plans that mean the same share the same nodes.

Each rule is one function: it takes a computation whose inputs are rewritten already, and gives another one, or
the digest of one that is in the table, or None where it has nothing to say. Together they leave `not` only where
nothing else says it, and put what may stand in any order into one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from timeline_app.algebra.kinds import Kind
from timeline_app.compiler.computation import Computation, compute_digest
from timeline_app.operators import all_operators
from timeline_app.operators.base import Facts
from timeline_app.operators.parameters import MAX_DURATION_MICROS, parse_duration, spell_duration


class Table(dict[str, Computation]):
    """Distinct computations by digest, inputs before those that use them, and the digests of their negations."""

    def __init__(self) -> None:
        super().__init__()
        self.negated: dict[str, str] = {}


Rule = Callable[[Computation, Table], Computation | str | None]


def expand_by_definition(item: Computation, table: Table) -> Computation | str | None:
    """Expand derived operators: `hysteresis(x, 80, 70)` is `latch(x > 80, x < 70)`."""
    made_of = all_operators()[item.op].made_of

    def make(op: str, inputs: Mapping[str, tuple[str, ...]], **params: Any) -> str:
        declared, below = all_operators()[op], {port: table[wires[0]] for port, wires in inputs.items()}
        facts = declared.facts(
            {port: value.facts for port, value in below.items()}, params, lambda _: Kind.TEXT
        )
        groups = declared.across_keys is not None or any(entry.groups for entry in below.values())
        stream, identity = (item.stream, item.identity) if declared.needs_stream else (None, None)
        digest = compute_digest(op, params, inputs, identity)
        return rewrite(Computation(digest, op, params, inputs, stream, facts, groups, identity), table)

    return None if made_of is None else made_of(make, item.inputs, item.params)


def cancel_double_not(item: Computation, table: Table) -> Computation | str | None:
    """`not not x` is x, also where x is unknown."""
    if item.op != "not":
        return None
    inner = table[item.inputs["of"][0]]
    return inner.inputs["of"][0] if inner.op == "not" else None


def invert_comparison(item: Computation, table: Table) -> Computation | str | None:
    """`not (x > y)` is `x <= y`, `not (x == y)` is `x != y`: a comparison with unknown is unknown either way."""
    if item.op != "not":
        return None
    inner = table[item.inputs["of"][0]]
    other = all_operators()[inner.op].opposite
    return replace(inner, op=other) if other else None


def apply_de_morgan(item: Computation, table: Table) -> Computation | str | None:
    """`not (a and b)` is `not a or not b`, and the other way round."""
    if item.op != "not":
        return None
    inner = table[item.inputs["of"][0]]
    dual = all_operators()[inner.op].dual
    if not dual:
        return None
    turned = tuple(find_negation(wire, table) for wire in inner.inputs["of"])
    return replace(inner, op=dual, inputs={"of": turned})


def flatten_junction(item: Computation, table: Table) -> Computation | str | None:
    """`(a and b) and c` is `a and b and c`; the same for or."""
    if not all_operators()[item.op].commutes:
        return None
    wires = [
        wire
        for outer in item.inputs["of"]
        for wire in (table[outer].inputs["of"] if table[outer].op == item.op else (outer,))
    ]
    return None if tuple(wires) == item.inputs["of"] else replace(item, inputs={"of": tuple(wires)})


def sort_operands(item: Computation, table: Table) -> Computation | str | None:
    """`b and a and a` is `a and b`; the same for or."""
    if not all_operators()[item.op].commutes:
        return None
    wires = tuple(sorted(set(item.inputs["of"])))
    return None if wires == item.inputs["of"] else replace(item, inputs={"of": wires})


def unwrap_single_operand(item: Computation, table: Table) -> Computation | str | None:
    """`and` or `or` of a single x is x."""
    if not all_operators()[item.op].commutes or len(item.inputs["of"]) > 1:
        return None
    return item.inputs["of"][0]


def mirror_comparison(item: Computation, table: Table) -> Computation | str | None:
    """`x < y` is `y > x`; `x == y`, `x + y` and the like have no order."""
    mirror = all_operators()[item.op].mirror
    if not mirror or not item.inputs.get("other"):
        return None
    of, other = item.inputs["of"], item.inputs["other"]
    if (mirror, other) >= (item.op, of):
        return None
    return replace(item, op=mirror, inputs={"of": other, "other": of})


def simplify_truth(item: Computation, table: Table) -> Computation | str | None:
    """`x == true` is x, and `x == false` is `not x`, for a bool x."""
    value = item.params.get("value")
    if item.op not in ("equal_to", "not_equal_to") or not isinstance(value, bool):
        return None
    wire = item.inputs["of"][0]
    return wire if value == (item.op == "equal_to") else find_negation(wire, table)


def add_negative_value(item: Computation, table: Table) -> Computation | str | None:
    """`x - 3` is `x + -3`."""
    if item.op != "subtract" or "value" not in item.params:
        return None
    return replace(item, op="add", params={"value": -item.params["value"] + 0.0})


def merge_shifts(item: Computation, table: Table) -> Computation | str | None:
    """`shift(shift(x, 5s), 10s)` is `shift(x, 15s)`; beyond the longest duration it is the longest, and a rest."""
    if item.op != "shift":
        return None
    inner = table[item.inputs["of"][0]]
    if inner.op != "shift" or parse_duration(inner.params["duration"]) == MAX_DURATION_MICROS:
        return None
    together = sum(parse_duration(shift.params["duration"]) for shift in (item, inner))
    if together <= MAX_DURATION_MICROS:
        return replace(item, params={"duration": spell_duration(together)}, inputs=inner.inputs)
    longest = rewrite(_build_shift(inner, MAX_DURATION_MICROS), table)
    return replace(_build_shift(item, together - MAX_DURATION_MICROS), inputs={"of": (longest,)})


def _build_shift(shift: Computation, micros: int) -> Computation:
    params = {"duration": spell_duration(micros)}
    return replace(shift, params=params, digest=compute_digest(shift.op, params, shift.inputs))


def sort_branches(item: Computation, table: Table) -> Computation | str | None:
    """`when(not c, x, y)` is `when(c, y, x)`: the condition with the lesser digest is taken."""
    if item.op != "when" or not item.inputs.get("otherwise"):
        return None
    condition = item.inputs["if"][0]
    turned = find_negation(condition, table)
    if turned >= condition:
        return None
    branches = {"of": item.inputs["otherwise"], "otherwise": item.inputs["of"]}
    return replace(item, inputs={"if": (turned,), **branches})


RULES: tuple[Rule, ...] = (
    expand_by_definition, cancel_double_not, invert_comparison, apply_de_morgan, flatten_junction, sort_operands,
    unwrap_single_operand, mirror_comparison, simplify_truth, add_negative_value, merge_shifts, sort_branches,
)  # fmt: skip


def find_negation(wire: str, table: Table) -> str:
    """The digest of `not` of a computation that is in the table; what De Morgan's law needs below it comes first."""
    todo = [wire]
    while todo:
        inner = table[todo[-1]]
        below = inner.inputs["of"] if all_operators()[inner.op].dual else ()
        waiting = [other for other in below if other not in table.negated]
        if waiting:
            todo += waiting
        elif (current := todo.pop()) not in table.negated:
            table.negated[current] = rewrite(_build_not(current, inner), table)
    return table.negated[wire]


def _build_not(wire: str, inner: Computation) -> Computation:
    inputs = {"of": (wire,)}
    return Computation(
        compute_digest("not", {}, inputs), "not", {}, inputs, None, Facts(inner.facts.kind), inner.groups
    )


def rewrite(item: Computation, table: Table) -> str:
    """Apply the rules until none has anything to say; the digest of the result, which is in the table."""
    rules = iter(RULES)
    while (rule := next(rules, None)) is not None:
        changed = rule(item, table)
        if isinstance(changed, str):
            return changed
        if changed is not None:
            digest = compute_digest(changed.op, changed.params, changed.inputs, changed.identity)
            item = replace(changed, digest=digest)
            rules = iter(RULES)
    table.setdefault(item.digest, item)
    return item.digest
