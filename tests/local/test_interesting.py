"""The random cases are not trivially right: everything that could go wrong happens in many of them."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tests.algebra.logs import alike, prefixes
from tests.local.running import batches_of
from tests.strategies import Drawn, Plan, cases
from timeline_app.algebra.kinds import BEGINNING, OPEN
from timeline_app.algebra.revisions import diff
from timeline_app.compiler import compile_plan
from timeline_app.plan.events import EventBatch
from timeline_app.storage.columns import events_of, sorted_names
from timeline_app.storage.landing import host_table, table_of


def test_the_cases_hold_everything_that_could_go_wrong() -> None:
    seen: Counter[str] = Counter()

    @settings(max_examples=250, database=None, derandomize=True, phases=[Phase.generate])
    @given(cases(), st.data())
    def look(case: tuple[Plan, Drawn], data: st.DataObject) -> None:
        plan, events = case
        together = [(stream, item) for stream, items in events.items() for item in items]
        delivered = data.draw(st.permutations(together))
        seen.update(_collections(plan, events))
        states = prefixes(plan, delivered, [0, len(delivered) // 2, len(delivered)])
        for name, node in plan["nodes"].items():
            item = states[-1][name]
            told = [point for place in range(item.size) for point in item.points(place)]
            seen.update(f"{node['op']} is {value}" for value in {_said(value) for _, value, _ in told})
            seen.update(["a slope"] if any(slope for _, _, slope in told) else [])
            seen.update(["several groups"] if node["op"] == "aggregate" and item.size > 1 else [])
            for before, after in pairwise(states):
                changes = diff(*alike(before[name], after[name]))
                seen["a correction"] += int((changes.start > BEGINNING).sum())
                seen["a correction that ends"] += int((changes.end < OPEN).sum())

    look()
    operators = ("and", "or", "not", "equal_to", "latest_event_to_state")
    wanted = [f"{op} is {value}" for op in operators for value in ("True", "False", "None")]
    wanted += ["has_existed is True", "has_existed_within is True", "duration_where is a number"]
    wanted += ["aggregate is None", "aggregate is a number"]
    wanted += ["a slope", "several groups", "a correction", "a correction that ends"]
    wanted += ["a duplicate", "a conflict", "a tie", "a missing id", "two streams"]
    rare = {name: seen[name] for name in wanted if seen[name] < 3}
    assert not rare, seen


def _said(value: object) -> str:
    if value is None or isinstance(value, bool):
        return str(value)
    return "a number" if isinstance(value, float) else "text"


def _collections(plan: Plan, events: Drawn) -> Counter[str]:
    compiled, seen = compile_plan(plan, {}), Counter[str]()
    seen["two streams"] = len(events) > 1
    for name, batch in batches_of(compiled, events).items():
        declared = compiled.streams[name]
        table = host_table(table_of(batch), declared, ())
        collected = events_of(table, declared, (), sorted_names(table["key"]))[1]
        seen["a duplicate"] += collected.duplicates
        seen["a conflict"] += collected.conflicts
        seen["a tie"] += _ties(batch)
        seen["a missing id"] += sum(item is None for item in batch.ids) if declared.id else 0
    return seen


def _ties(batch: EventBatch) -> int:
    return batch.size - len(set(zip(batch.keys, batch.times, strict=True)))
