"""The random cases are not trivially right: everything that could go wrong happens in some of them."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tests.algebra.logs import align_both, compute_prefixes
from tests.strategies import Drawn, Plan, cases
from timeline_app.algebra.kinds import BEGINNING, OPEN
from timeline_app.algebra.revisions import diff
from timeline_app.compiler import compile_plan
from timeline_app.events.columns import build_events, sort_names
from timeline_app.events.validate import EventBatch
from timeline_app.landing.log import build_host_table, build_table
from timeline_app.operators import operators
from timeline_app.testing.points import Shown, build_batches, group_points

pytestmark = pytest.mark.deep

_SAID = {
    "bool": ("True", "False", "None"),
    "number": ("a number", "None"),
    "text": ("text", "None"),
    "any": ("a number", "None"),
}
_ALWAYS_KNOWN = (
    "constant",
    "has_existed",
    "has_existed_within",
    "is_during",
    "event_count",
    "event_sum",
    "duration_where",
    "changed_to",
    "integral",
    "sequence_count",
    "since",
    "increase",
)
"""Whatever comes: what counts stands still while its input is unknown, and says 0 or false before anything has come."""
NEVER = {"mean_within is a number", *(f"{op} is None" for op in _ALWAYS_KNOWN)}
WANTED = (
    *(
        f"the {function} of something"
        for function in ("sum", "count", "avg", "min", "p50", "p90", "p99", "max")
    ),
    *(f"{op} between two milliseconds" for op in ("greater_than", "less_or_equal", "divide")),
    *(
        "latest_event_to_state is text",
        "divide is a ratio",
        "mean_within is a ratio",
        "a ratio of a ratio",
    ),
    *("a slope", "a division by zero", "several groups", "a correction", "a correction that ends"),
    *("a duplicate", "a conflict", "a tie", "a missing id", "a mistyped value", "two streams"),
)


def test_the_cases_hold_everything_that_could_go_wrong() -> None:
    collected: Counter[str] = Counter()

    @settings(max_examples=1800, database=None, derandomize=True, phases=[Phase.generate])
    @given(cases(), st.data())
    def count_what_happened(case: tuple[Plan, Drawn], data: st.DataObject) -> None:
        plan, events = case
        together = [(stream, item) for stream, items in events.items() for item in items]
        delivered = data.draw(st.permutations(together))
        collected.update(_count_collections(plan, events))
        states = compute_prefixes(plan, delivered, [len(delivered) // 2, len(delivered)])
        for name, node in plan["nodes"].items():
            keys = group_points(states[-1][name])
            document = [point for points in keys.values() for point in points]
            collected.update(
                f"{node['op']} is {value}" for value in {_describe_value(value) for _, value, _ in document}
            )
            collected.update(["a slope"] if any(slope for _, _, slope in document) else [])
            collected.update(["several groups"] if node["op"] == "aggregate" and len(keys) > 1 else [])
            collected.update(
                [f"the {node['params']['function']} of something"] if node["op"] == "aggregate" else []
            )
            collected.update(_list_between_milliseconds(node["op"], document))
            above = node["op"] in ("multiply", "when", "shift")
            collected["a ratio of a ratio"] += sum(
                above and isinstance(value, tuple) for _, value, _ in document
            )
            collected["a division by zero"] += sum(map(_is_dividing_by_zero, keys.values()))
            for before, after in pairwise(states):
                changes = diff(*align_both(before[name], after[name]))
                collected["a correction"] += int((changes.start > BEGINNING).sum())
                collected["a correction that ends"] += int((changes.end < OPEN).sum())

    count_what_happened()
    expected = [
        f"{name} is {trait}"
        for name, op in operators().items()
        if not op.by_arrival  # what depends on how events come is outside the laws that these cases try
        for trait in _SAID[op.describe()["output"]]
    ]
    rare = {
        name: collected[name] for name in (*expected, *WANTED) if name not in NEVER and not collected[name]
    }
    assert not rare, collected


def _describe_value(value: object) -> str:
    if value is None or isinstance(value, bool):
        return str(value)
    return "a number" if isinstance(value, float) else "a ratio" if isinstance(value, tuple) else "text"


def _list_between_milliseconds(op: str, points: Shown) -> list[str]:
    """All events lie on milliseconds; what changes between two of them changes on a slope."""
    between = any(time is not None and time % 1_000 for time, _, _ in points)
    return [f"{op} between two milliseconds"] if between else []


def _is_dividing_by_zero(points: Shown) -> bool:
    """Whether a ratio is unknown for one microsecond."""
    return any(
        left[1] is None and left[0] is not None and isinstance(right[1], tuple) and right[0] == left[0] + 1
        for left, right in pairwise(points)
    )


def _count_collections(plan: Plan, events: Drawn) -> Counter[str]:
    compiled, seen = compile_plan(plan, {}), Counter[str]()
    seen["two streams"] = len(events) > 1
    for name, batch in build_batches(compiled, events).items():
        declared = compiled.streams[name]
        table = build_host_table(build_table(batch), declared, ())
        collected = build_events(table, declared, (), sort_names(table["key"]))[1]
        seen["a duplicate"] += collected.duplicates
        seen["a conflict"] += collected.conflicts
        seen["a mistyped value"] += batch.mistyped
        seen["a tie"] += _count_ties(batch)
        seen["a missing id"] += sum(item is None for item in batch.ids) if declared.id else 0
    return seen


def _count_ties(batch: EventBatch) -> int:
    return batch.size - len(set(zip(batch.keys, batch.times, strict=True)))
