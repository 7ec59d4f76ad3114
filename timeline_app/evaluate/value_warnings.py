"""Warns of values that conditions ask for and no event has: misspelt, or spelled in several ways."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from timeline_app.algebra.events import Column
from timeline_app.algebra.kinds import TRUE, Kind
from timeline_app.compiler import Compiled
from timeline_app.evaluate.tables import EventTable
from timeline_app.events.validate import format_value
from timeline_app.operators import operators
from timeline_app.operators.words import number
from timeline_app.plan.document import PlanNode
from timeline_app.predicates import Predicate
from timeline_app.predicates.tree import Comparison, Junction, Literal, Membership, Not
from timeline_app.problems.problem import Problem, make_warning
from timeline_app.problems.spelling import close_names, list_digits

MAX_SHOWN_WORDS = 6
MAX_SHOWN_SPELLINGS = 3
MAX_ASKED_VALUES = 100
"""For one field in one condition."""
MAX_KNOWN_VALUES = 10_000
"""A field with more different values holds no names that are misspelt, but numbers or sentences."""
NEAR_CUTOFF = 0.8
"""How alike two values must be for one to be a slip for the other."""
_MIN_COMPARED_LETTERS = 2
"""In a shorter value, a different capital may be a different value."""
_EQUALITIES = ("equal_to", "not_equal_to", "changed_to")


@dataclass(frozen=True, slots=True)
class AskedValues:
    """The values that a parameter of a node compares a field with for equality.

    `whole`: the node compares a state with one value; else they are parts of a condition.
    """

    node: str
    port: str
    field: str
    values: tuple[Literal, ...]
    whole: bool = False


def warn_of_values(compiled: Compiled, table: EventTable, nodes: Iterable[PlanNode]) -> Iterator[Problem]:
    """Warn of values that no event has, and texts that events spell in other ways, too; of each field and value one."""
    warned, counted = set[tuple[str, Literal]](), dict[str, pa.StructArray]()
    for compared in _list_asked(compiled, table, nodes):
        if compared.field not in table.fields or table.says_nothing(compared.field):
            continue
        if compared.field not in counted:
            counted[compared.field] = table.count_values(compared.field)
        for value in compared.values:
            problem = _look_at_value(compared, value, counted[compared.field], table.declaration.name)
            if problem and (compared.field, value) not in warned:
                warned.add((compared.field, value))
                yield problem


def _list_asked(compiled: Compiled, table: EventTable, nodes: Iterable[PlanNode]) -> Iterator[AskedValues]:
    params, stream = compiled.checked.params, table.declaration.name
    for node in nodes:
        for port, stream_read, condition in operators()[node.op].conditions(params[node.name]):
            if (stream_read or node.stream) == stream:
                yield from _list_of_condition(node.name, port, condition)
        yield from _list_of_state(compiled, node, stream)


def _list_of_state(compiled: Compiled, node: PlanNode, stream: str) -> Iterator[AskedValues]:
    """Yield the value with which a node compares the state that a field is."""
    graph, params = compiled.checked.graph, compiled.checked.params
    value, wires = params[node.name].get("value"), node.inputs.get("of", ())
    leaf = graph.nodes.get(wires[0]) if len(wires) == 1 else None
    if leaf is None or leaf.stream != stream or node.op not in _EQUALITIES or isinstance(value, bool):
        return
    field = params[leaf.name].get("field")
    if isinstance(field, str) and isinstance(value, (str, float)):
        yield AskedValues(node.name, "value", field, (value,), whole=True)


def _list_of_condition(node: str, port: str, condition: Predicate) -> Iterator[AskedValues]:
    values = dict[str, dict[str, None]]()
    for field, literal in _list_texts(condition):
        values.setdefault(field, {})[literal] = None
    for field, literals in values.items():
        yield AskedValues(node, port, field, tuple(literals)[:MAX_ASKED_VALUES])


def _list_texts(condition: Predicate) -> Iterator[tuple[str, str]]:
    """Yield each field with each text that it is compared with for equality."""
    if isinstance(condition, Comparison) and condition.symbol in ("==", "!="):
        if isinstance(condition.literal, str):
            yield condition.field, condition.literal
    elif isinstance(condition, Membership):
        yield from ((condition.field, text) for text in condition.literals if isinstance(text, str))
    elif isinstance(condition, Not):
        yield from _list_texts(condition.of)
    elif isinstance(condition, Junction):
        for part in condition.parts:
            yield from _list_texts(part)


def _look_at_value(
    compared: AskedValues, value: Literal, counts: pa.StructArray, stream: str
) -> Problem | None:
    subject = {"node": compared.node, "port": compared.port, "stream": stream, "field": compared.field}
    values = counts.field("values")
    is_text = isinstance(value, str)
    if not pc.is_in(pa.scalar(value, values.type), value_set=values).as_py():
        hint = _suggest(compared, value, values)
        text = format_value(value) if is_text else number(float(value))
        message = f"no event has {text} in field {compared.field!r}"
        return make_warning("unseen_value", message, hint, **subject) if hint else None
    if not is_text or len(values) > MAX_KNOWN_VALUES:
        return None
    return _warn_of_spellings(compared, str(value), counts, subject)


def _suggest(compared: AskedValues, value: Literal, values: pa.Array) -> str | None:
    """Suggest a value that events have; None where the condition may wait for the missing one."""
    if not isinstance(value, str):
        ends = pc.min_max(values).as_py()
        return f"events have {number(ends['min'])} to {number(ends['max'])}"
    if compared.whole:
        return _suggest_values([value], values.to_pylist())
    if len(values) > MAX_KNOWN_VALUES:
        return None
    close = close_names(value, values.to_pylist(), NEAR_CUTOFF)
    meant = [
        text for text in close if text not in compared.values and list_digits(text) == list_digits(value)
    ]
    return f"perhaps a slip: did you mean {' or '.join(map(format_value, meant))}?" if meant else None


def _warn_of_spellings(
    compared: AskedValues, value: str, counts: pa.StructArray, subject: dict[str, str]
) -> Problem | None:
    """Warn that events have the value, and others that differ only by capitals and blanks."""
    spellings = _find_spellings(value, counts)
    other_spellings = {text: count for text, count in spellings.items() if text not in compared.values}
    if not other_spellings:
        return None
    examples = [f"{format_value(text)} ({count:,})" for text, count in other_spellings.items()][
        :MAX_SHOWN_SPELLINGS
    ]
    message = f"field {compared.field!r} has {', '.join(examples)} beside {format_value(value)} ({spellings[value]:,})"
    hint = "if the same is meant, correct the events or ask for all spellings"
    return make_warning("near_value", message, hint, **subject)


def _find_spellings(value: str, counts: pa.StructArray) -> dict[str, int]:
    """Return how often each spelling of a value occurs, the most frequent first."""
    trimmed = pc.utf8_trim_whitespace(counts.field("values"))
    stripped = value.strip()
    is_alike = (
        pc.equal(trimmed, stripped)
        if len(stripped) < _MIN_COMPARED_LETTERS
        else pc.equal(pc.utf8_lower(trimmed), stripped.lower())
    )
    pairs = [(item["values"], item["counts"]) for item in counts.filter(is_alike).to_pylist()]
    return dict(sorted(pairs, key=lambda pair: (-pair[1], pair[0])))


def describe_values(column: Column, literals: Iterable[Literal]) -> str:
    """Return what events say: the nearest values, some of them, or from where to where they go."""
    if column.kind is Kind.NUMBER:
        values = column.value[column.present]
        return f"events have {number(values.min())} to {number(values.max())}"
    if column.kind is Kind.BOOL:
        return f"events have only {'true' if (column.value == TRUE).any() else 'false'}"
    used = np.unique(column.value[column.present])
    labels = [str(label) for label in column.labels[used]]
    return _suggest_values([literal for literal in literals if isinstance(literal, str)], labels)


def _suggest_values(unmatched: Iterable[str], values: Collection[str]) -> str:
    close = [suggestion for value in unmatched for suggestion in close_names(value, values)]
    if close:
        return f"did you mean {' or '.join(map(format_value, dict.fromkeys(close)))}?"
    return f"events have {list_some(map(format_value, values))}"


def list_some(words: Iterable[str]) -> str:
    """Return the first words, and whether there are more."""
    first_words = list(islice(words, MAX_SHOWN_WORDS + 1))
    return ", ".join([*first_words[:MAX_SHOWN_WORDS], *["…"][: len(first_words) > MAX_SHOWN_WORDS]])
