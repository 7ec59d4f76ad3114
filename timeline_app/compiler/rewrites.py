"""Rewrites that keep the meaning, so that plans that mean the same share the same nodes.

Each rule is one function: it takes a computation whose inputs are rewritten already, and gives another one, or
the digest of one that is in the table, or None where it has nothing to say.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from timeline_app.compiler.computation import Computation, digest_of
from timeline_app.operators import operators

Table = dict[str, Computation]
Rule = Callable[[Computation, Table], Computation | str | None]


def not_not(item: Computation, table: Table) -> Computation | str | None:
    """`not not x` is x, also where x is unknown."""
    if item.op != "not":
        return None
    inner = table[item.inputs["of"][0]]
    return inner.inputs["of"][0] if inner.op == "not" else None


def flattened(item: Computation, table: Table) -> Computation | str | None:
    """`(a and b) and c` is `a and b and c`; the same for or."""
    if not operators()[item.op].commutes:
        return None
    wires = [
        wire
        for outer in item.inputs["of"]
        for wire in (table[outer].inputs["of"] if table[outer].op == item.op else (outer,))
    ]
    return None if tuple(wires) == item.inputs["of"] else replace(item, inputs={"of": tuple(wires)})


def in_order(item: Computation, table: Table) -> Computation | str | None:
    """`b and a and a` is `a and b`; the same for or."""
    if not operators()[item.op].commutes:
        return None
    wires = tuple(sorted(set(item.inputs["of"])))
    return None if wires == item.inputs["of"] else replace(item, inputs={"of": wires})


def alone(item: Computation, table: Table) -> Computation | str | None:
    """`and` or `or` of a single x is x."""
    if not operators()[item.op].commutes or len(item.inputs["of"]) > 1:
        return None
    return item.inputs["of"][0]


RULES: tuple[Rule, ...] = (not_not, flattened, in_order, alone)


def rewrite(item: Computation, table: Table) -> str:
    """Apply the rules until none has anything to say; the digest of the result, which is in the table."""
    rules = iter(RULES)
    while (rule := next(rules, None)) is not None:
        changed = rule(item, table)
        if isinstance(changed, str):
            return changed
        if changed is not None:
            item = replace(changed, digest=digest_of(changed.op, changed.params, changed.inputs))
            rules = iter(RULES)
    table.setdefault(item.digest, item)
    return item.digest
