"""Beyond the retention a key's history is folded: later answers stay exact, and state stays bounded."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import event as seen
from hypothesis import given
from hypothesis import strategies as st

from tests.algebra.logs import Delivered
from tests.depth import examples
from tests.evaluate.hosts import count, list_answers, select_part
from tests.evaluate.running import list_disagreements, run
from tests.operators.small import build_event, build_leaf, build_node
from tests.strategies import NUMBERS, STATES, Plan, plans
from tests.strategies.events import ended
from timeline_app.algebra.kinds import BEGINNING
from timeline_app.compiler import compile_plan
from timeline_app.feed import feed_rows
from timeline_app.testing.hosts import Query, hash_texts
from timeline_app.testing.points import build_batches, iterate_stretches
from workers.spark.state import summaries
from workers.spark.state.page_view import is_snapshot
from workers.spark.state.rows import KeyRows

pytestmark = pytest.mark.deep

CHANGES: list[dict[str, Any]] = [{}, {}, {"state": "other"}, {"bitrate": 7}]
BASE = 1_719_820_800_000
RETENTION = 5_000
SPAN = 60_000
FIELDS = {"n": "number", "on": "bool"}
STREAM = {
    "key": "k",
    "time": "t",
    "until": "u",
    "unit": "s",
    "retention": "5s",
    "fields": {**FIELDS, "open": "bool"},
}


@pytest.fixture(autouse=True, scope="module")
def _eager() -> Iterator[None]:
    """Whatever can be folded is."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(summaries, "MIN_SUMMARIZED_EVENTS", 1)
        patch.setattr(summaries, "MIN_SUMMARIZED_SHARE", 1_000_000)
        yield


@st.composite
def arrivals(draw: st.DrawFn, declared: dict[str, Any], prefix: str) -> list[tuple[int, dict[str, Any]]]:
    """Events over a long time, each with the time at which it arrives: less than a retention later.

    Copies of one id, some of which differ, arrive within a retention of the earliest of them.
    """
    optional = {
        "state": st.sampled_from(STATES),
        "cdn": st.sampled_from(["CDN1", "CDN2"]),
        "bitrate": st.sampled_from(NUMBERS),
        "live": st.booleans(),
    }
    steps = st.integers(0, SPAN // 500).map(lambda step: BASE + 500 * step)
    required = {"k": st.sampled_from(["x", "x", "x", "y"]), "t": steps}
    item: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(required, optional=optional)
    some = st.lists(item, min_size=5, max_size=40)
    late = st.integers(0, RETENTION // 500 - 1).map(lambda step: 500 * step)
    items = []
    for number, bare in enumerate(draw(some)):
        drawn = draw(ended(declared, bare, most=30))
        name = draw(_ids(declared, prefix, number))
        named = drawn if name is None else {**drawn, "id": name}
        items.append((drawn["t"] + draw(late), named))
        if name is not None and draw(st.sampled_from([True, False, False])):
            later = draw(st.sampled_from([0, 0, 500, 2_000]))
            changes = draw(st.sampled_from(CHANGES))
            copy = {**named, **changes, "t": drawn["t"] + later}
            if "u" in copy:
                copy["u"] = max(copy["t"], copy["u"] - draw(st.sampled_from([0, 500, 9_000])))
            items.append((drawn["t"] + max(later, draw(late)), copy))
    return items


def _ids(declared: dict[str, Any], prefix: str, number: int) -> st.SearchStrategy[Any]:
    """An id that no other event has, mostly; in another order than the events."""
    if "id" not in declared:
        return st.none()
    numeric = declared["fields"].get("id") == "number"
    places = st.sampled_from([number, number, 1_000 - number, 1_000 - number, None])
    return places.map(lambda place: place if numeric or place is None else f"{prefix}{place}")


@st.composite
def histories(draw: st.DrawFn) -> tuple[Plan, Delivered, list[int]]:
    """A plan, its events as they arrive over all streams, and the batches in which they do."""
    plan = draw(plans())
    together = []
    for name, declared in plan["streams"].items():
        declared["retention"] = "5s"
        together += [(at, name, item) for at, item in draw(arrivals(declared, name))]
    delivered = [(name, item) for _, name, item in sorted(together, key=lambda item: item[0])]
    places = draw(st.lists(st.integers(0, len(delivered)), min_size=3, max_size=12))
    return plan, delivered, sorted({0, len(delivered), *places})


@given(histories())
@examples(10)
def test_the_logs_say_what_the_evaluator_says_of_everything(
    history: tuple[Plan, Delivered, list[int]],
) -> None:
    plan, delivered, places = history
    parts = [select_part(plan, delivered[start:end]) for start, end in pairwise(places)]
    queries = stream_parts(plan, parts)
    seen(f"folded: {any(has_folded(query) for query in queries.values())}")
    assert list_disagreements(plan, list_answers(queries), run(plan, select_part(plan, delivered))) == []


def stream_parts(plan: Plan, parts: Sequence[Mapping[str, Any]], only: str = "") -> dict[str, Query]:
    """Queries of a plan after all batches, by name of the node; no revision begins before a horizon."""
    compiled = compile_plan(plan, {})
    queries = {digest: Query(program) for digest, program in compiled.programs.items()}
    names = {name: queries[digest] for name, digest in compiled.names.items() if only in ("", name)}
    known_so_far: dict[tuple[str, str], bool] = {}
    for batch in parts:
        events, feeds = build_batches(compiled, batch), dict[str, pa.Table]()
        for digest, query in queries.items():
            if only and query not in names.values():
                continue
            before = list_horizons(query)
            feeds[digest] = query.run(events, feeds)
            for key, exists, item in iterate_stretches(
                feed_rows.read_revisions(feeds[digest], query.program.kind)
            ):
                horizon = before[hash_texts([key])[0].as_py() % len(before)]
                if known_so_far.get((digest, key)) and horizon != BEGINNING:
                    assert item.start is not None
                    assert item.start >= horizon
                known_so_far[digest, key] = exists
    return names


def list_horizons(query: Query) -> list[int]:
    """How far back each bucket takes events."""
    host = query.hosts[0]
    opened = [host.processor.pages(*item[::-1]) for item in enumerate(host.states)]
    return [int(pages.memory.get("horizon", BEGINNING)) for pages in opened]


def collect_held(query: Query) -> KeyRows:
    """All that the pages hold, without the copies that stand by for what rests."""
    host = query.hosts[0]
    opened = [host.processor.pages(*item[::-1]).everything() for item in enumerate(host.states)]
    parts = [(item.rows, item.summaries) for item in opened]
    return KeyRows.concat(
        KeyRows(*(table.filter(pa.array(~is_snapshot(table))) for table in pair)) for pair in parts
    )


def has_folded(query: Query) -> bool:
    """Whether any key is."""
    return len(collect_held(query).summaries) > 0


def count_rows(query: Query, key: str) -> int:
    """How many rows of state a key has, also what is remembered of it."""
    result = collect_held(query)
    return sum(
        int(pc.sum(pc.equal(item["key"], key)).as_py() or 0) for item in (result.rows, result.summaries)
    )


def build_plan(nodes: dict[str, Any], **streams: Any) -> Plan:
    return {"version": 1, "nodes": nodes, "results": list(nodes), "streams": streams or {"s": STREAM}}


def build_meeting(op: str, inputs: dict[str, str], **params: Any) -> dict[str, Any]:
    """A node that reads the stream beside nodes."""
    return {**build_leaf(op, **params), "inputs": inputs}


def build_node_on(op: str, **inputs: str) -> dict[str, Any]:
    """A node on others, port by port."""
    return {"op": op, "inputs": inputs}


STATE = build_leaf("latest_event_to_state", field="state")
ON = build_leaf("latest_event_to_state", field="on")
EVER = {"ever": build_leaf("has_existed", where="n > 0"), "never": build_node("not", "ever")}
STEPS = [
    {"name": "first", "stream": "s", "where": 'state == "a"'},
    {"name": "second", "stream": "s", "where": "on == true", "within": "9s"},
    {"name": "third", "stream": "s", "where": 'state == "b"'},
]
SEQUENCE: dict[str, Any] = {
    "op": "sequence",
    "params": {"steps": STEPS, "within": "14s", "not": [{"stream": "s", "where": "n > 2.95"}]},
}
NODES: dict[str, dict[str, Any]] = {
    "latest_event_to_state": {"of": STATE},
    "has_existed": {"of": build_leaf("has_existed", where='state == "b"')},
    "has_existed_within": {"of": build_leaf("has_existed_within", where='state == "b"', duration="8s")},
    "count_within": {"of": build_leaf("count_within", duration="8s")},
    "count_within, of some": {"of": build_leaf("count_within", where='state == "b"', duration="8s")},
    "count_within, while": {
        "on": ON,
        "of": {**build_leaf("count_within", duration="5s"), "inputs": {"while": "on"}},
    },
    "sum_within, while, of a shift": {
        "on": ON,
        "shifted": build_node("shift", "on", duration="3s"),
        "of": {
            **build_leaf("sum_within", field="n", duration="5s", side="at"),
            "inputs": {"while": "shifted"},
        },
    },
    "sum_within": {"of": build_leaf("sum_within", field="n", duration="8s")},
    **{
        f"values_within, {function}": {
            "of": build_leaf("values_within", field="n", duration="8s", function=function)
        }
        for function in ("mean", "deviation", "distinct", "max", "first", "last")
    },
    "values_within of texts": {
        "of": build_leaf("values_within", field="state", duration="8s", function="distinct")
    },
    "is_during": {"of": build_leaf("is_during", where='state == "b" and not u is missing')},
    "is_during, a row that stays open": {"of": build_leaf("is_during", where='state == "b"')},
    "event_count": {"of": build_leaf("event_count", where='state == "b"')},
    "event_sum": {"of": build_leaf("event_sum", field="n")},
    "duration_where": {"on": ON, "of": build_node("duration_where", "on")},
    "duration_where, since ever": {**EVER, "of": build_node("duration_where", "never")},
    "duration_in_current_state": {"state": STATE, "of": build_node("duration_in_current_state", "state")},
    "duration_in_current_state, since ever": {**EVER, "of": build_node("duration_in_current_state", "never")},
    "held_for": {
        "state": STATE,
        "a": build_node("equal_to", "state", value="a"),
        "of": build_node("held_for", "a", duration="10s"),
    },
    "changed_to": {"state": STATE, "of": build_node("changed_to", "state", value="b")},
    "changed_to anything": {"state": STATE, "of": build_node("changed_to", "state")},
    "sequence": {"of": SEQUENCE},
    "sequence, the latest": {"of": {**SEQUENCE, "params": {**SEQUENCE["params"], "again": "latest"}}},
    "sequence without a limit": {"of": {"op": "sequence", "params": {"steps": STEPS}}},
    "sequence_duration": {"steps": SEQUENCE, "of": build_node("sequence_duration", "steps")},
    "sequence_count": {"steps": SEQUENCE, "of": build_node("sequence_count", "steps", outcome="expired")},
    "sequence_count, broken": {
        "steps": SEQUENCE,
        "of": build_node("sequence_count", "steps", outcome="broken"),
    },
    "increase": {"n": build_leaf("latest_event_to_state", field="n"), "of": build_node("increase", "n")},
    "increase without resets": {
        "n": build_leaf("latest_event_to_state", field="n"),
        "of": build_node("increase", "n", falls="ignore"),
    },
    "previous_value": {"state": STATE, "of": build_node("previous_value", "state")},
    "value_at": {
        "state": STATE,
        "of": build_meeting("value_at", {"of": "state"}, where="n > 1", side="before"),
    },
    "value_at, of what climbs": {
        "on": ON,
        "time": build_node("duration_where", "on"),
        "of": build_meeting("value_at", {"of": "time"}, where='state == "b"'),
    },
    "value_at, a bool": {"state": STATE, "on": ON, "of": build_node_on("value_at", of="state", when="on")},
    "since": {
        "count": build_leaf("event_count"),
        "of": build_meeting("since", {"of": "count"}, where='state == "b"'),
    },
    "since, a bool": {
        "on": ON,
        "time": build_node("duration_where", "on"),
        "state": STATE,
        "b": build_node("equal_to", "state", value="b"),
        "of": build_node_on("since", of="time", when="b"),
    },
    "time_since": {"of": build_meeting("time_since", {}, where='state == "b"')},
    "time_since, a bool": {"on": ON, "of": build_node_on("time_since", when="on")},
    **{
        f"{op}, while": {"on": ON, "of": build_meeting(op, {"while": "on"}, **params)}
        for op, params in {
            "event_count": {},
            "event_sum": {"field": "n", "side": "at"},
            "has_existed": {"where": 'state == "b"'},
            "has_existed_within": {"where": 'state == "b"', "duration": "8s"},
        }.items()
    },
    "shift of a memory": {
        "count": build_leaf("event_count"),
        "of": build_node("shift", "count", duration="10s"),
    },
    "a memory of a shift": {
        "on": ON,
        "shifted": build_node("shift", "on", duration="10s"),
        "both": build_node("equal_to", "shifted", "on"),
        "of": build_node("duration_where", "both"),
    },
}
GATE = build_leaf("latest_event_to_state", field="open")
SHOWN = {"op": "when", "inputs": {"if": "gate", "of": "of"}}
"""Shows the node or not, as late events say, so that it is published again back to the horizon."""


def draw_second(index: int) -> list[dict[str, Any]]:
    """The events that arrive in one second: some of then, and some that are up to four seconds late."""
    lasting: dict[str, Any] = {} if index == 12 else {"u": index + [0, 0.5, 9][index % 3]}
    now = [
        build_event(index, state="ab"[index // 12 % 2], n=0.1 * index - 1, **lasting),
        build_event(index, "y") if index in (3, 30) else build_event(index, on=index % 11 < 6),
    ]
    late = [build_event(index - 4, open=index % 2 == 0, n=-1e-7), build_event(index - 3, on=index % 4 == 0)]
    other = [build_event(index - 3.5, state="b", u=index - 1)] if index % 17 == 0 else []
    return [*now, *(late if index > 4 else []), *(other if index > 4 else [])]


@pytest.mark.parametrize("nodes", NODES.values(), ids=NODES)
def test_an_operator_goes_on_from_what_was_folded_and_keeps_few_events(nodes: dict[str, Any]) -> None:
    plan, arriving = (
        build_plan({**nodes, "gate": GATE, "shown": SHOWN}),
        [draw_second(at) for at in range(45)],
    )
    truth = run(plan, {"s": [item for batch in arriving for item in batch]})
    looks_back = any(op in str(nodes) for op in ("shift", "count_within", "sum_within", "values_within"))
    lately = sum(len(batch) for batch in arriving[-16 if looks_back else -6 :])
    for name in ("of", "shown"):
        query = stream_parts(plan, [{"s": batch} for batch in arriving], name)[name]
        assert has_folded(query)
        assert list_disagreements(plan, list_answers({name: query}), {name: truth[name]}) == []
        assert count_rows(query, "x") <= lately + 8
        answer = [row for batch in query.feed[-9:] for row in batch.select(["key", "birth"]).to_pylist()]
        assert {row["birth"] for row in answer if row["key"] == "x"} <= {0}


def test_what_is_older_than_the_retention_is_counted_and_changes_nothing() -> None:
    plan = build_plan({"count": build_leaf("event_count")})
    arriving = [
        [build_event(10), build_event(1)],
        [build_event(4.999999), build_event(5), build_event(0, "new")],
        [build_event(2)],
    ]
    queries = stream_parts(plan, [{"s": batch} for batch in arriving])
    query = queries["count"]
    assert [count(rows, "too_late") for rows in query.feed] == [0, 2, 1]
    assert [count(rows, "events") for rows in query.feed] == [2, 3, 1]
    truth = run(plan, {"s": [build_event(10), build_event(1), build_event(5)]})
    assert list_disagreements(plan, list_answers(queries), truth) == []


def test_a_later_copy_does_not_take_the_place_of_an_event_older_than_the_retention() -> None:
    ids = {**STREAM, "id": "id"}
    plan = build_plan({"count": build_leaf("event_count"), "state": STATE}, s=ids)
    arriving = [[build_event(1, id="a", state="a")], [build_event(9)], [build_event(9, id="a")]]
    queries = stream_parts(plan, [{"s": batch} for batch in arriving])
    apart = [{**item, "id": str(index)} for index, (item,) in enumerate(arriving)]
    assert list_disagreements(plan, list_answers(queries), run(plan, {"s": apart})) == []


KEYS = [f"device {number}" for number in range(40)]


@pytest.mark.parametrize("buckets", [1, 2, 3, 8, 40])
@pytest.mark.parametrize("cuts", [(), (3,), (1, 2, 3)], ids=["at once", "in two", "one by one"])
def test_what_a_backfill_computes_does_not_depend_on_how_keys_are_spread(
    buckets: int, cuts: tuple[int, ...]
) -> None:
    """One key goes ahead, by more than the retention or by less; then the others bring what is older."""
    for ahead, taken in ((100.0, 0), (54.0, 2)):
        log = [
            [build_event(ahead, KEYS[0])],
            [build_event(50, name) for name in KEYS],
            [build_event(49, name) for name in reversed(KEYS)],
            [build_event(ahead + 0.5, name) for name in KEYS[:3]],
        ]
        query = spread(log, cuts, buckets)
        answer = list_answers({"count": query})["count"]
        counts = {key: points[-1][1] for key, points in answer.items()}
        assert [counts.get(name, 0) for name in KEYS] == [2 + taken, 1 + taken, 1 + taken] + [taken] * 37
        assert sum(count(rows, "too_late") for rows in query.feed) == 80 - 40 * taken


def spread(log: list[list[dict[str, Any]]], cuts: tuple[int, ...], buckets: int) -> Query:
    """The query of a count once it has read a log of batches, cut at these places, over so many buckets."""
    compiled = compile_plan(build_plan({"count": build_leaf("event_count")}), {})
    (program,) = compiled.programs.values()
    query = Query(program, buckets=buckets)
    for start, end in pairwise([0, *cuts, len(log)]):
        query.run_together({at: build_batches(compiled, {"s": log[at]}) for at in range(start, end)})
    return query


def test_a_source_that_reads_its_parts_side_by_side_holds_the_retention_back() -> None:
    compiled = compile_plan(build_plan({"count": build_leaf("event_count")}), {})
    (program,) = compiled.programs.values()
    query = Query(program)
    fast = {"s": [build_event(index, "fast") for index in range(100)]}
    query.run(build_batches(compiled, fast), {}, watermarks={"s": BEGINNING})
    slow = {"s": [build_event(index, "slow") for index in range(100)]}
    query.run(build_batches(compiled, slow), {}, watermarks={"s": 90_000_000})
    query.run(build_batches(compiled, {"s": [build_event(20, "slow"), build_event(86, "slow")]}), {})
    assert [count(rows, "too_late") for rows in query.feed] == [0, 0, 1]


def test_an_event_of_the_future_does_not_make_those_of_today_too_old() -> None:
    now = int(time.time())
    plan = build_plan({"count": build_leaf("event_count")})
    arriving = [[build_event(now - 2)], [build_event(now + 1_000_000)], [build_event(now - 1)]]
    queries = stream_parts(plan, [{"s": batch} for batch in arriving])
    assert [count(rows, "too_late") for rows in queries["count"].feed] == [0, 0, 0]


def test_keys_that_no_event_touches_stay_as_they_are() -> None:
    plan = build_plan({"count": build_leaf("event_count")})
    quiet = [build_event(index / 10, "quiet") for index in range(50)]
    query = stream_parts(plan, [{"s": quiet}, *({"s": [build_event(index)]} for index in range(5, 60))])[
        "count"
    ]
    assert count_rows(query, "quiet") == len(quiet)
    assert count_rows(query, "x") < 10


def test_nothing_is_folded_while_one_of_the_streams_is_not_seen() -> None:
    nodes = {"count": build_leaf("event_count"), "other": build_leaf("event_count", stream="t")}
    both = build_plan({**nodes, "sum": build_node("add", "count", "other")}, s=STREAM, t=STREAM)
    batches = [{"s": [build_event(index)]} for index in range(30)]
    query = stream_parts(both, batches)["sum"]
    assert not has_folded(query)
    assert count_rows(query, "x") == 30
    assert has_folded(
        stream_parts(both, [*batches, {"t": [build_event(29)]}, {"t": [build_event(30)]}])["sum"]
    )


def test_evaluate_keeps_everything() -> None:
    program = compile_plan(build_plan({"count": build_leaf("event_count")}), {}).programs
    (only,) = (item.keeping_everything() for item in program.values())
    query = Query(type(only).from_document(only.to_document()))
    compiled = compile_plan(build_plan({"count": build_leaf("event_count")}), {})
    for place in (100, *range(50)):
        query.run(build_batches(compiled, {"s": [build_event(place)]}), {})
    assert sum(count(rows, "too_late") for rows in query.feed) == 0
    assert count_rows(query, "x") == 51


def test_folding_waits_until_it_pays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(summaries, "MIN_SUMMARIZED_EVENTS", 16)
    monkeypatch.setattr(summaries, "MIN_SUMMARIZED_SHARE", 2)
    plan = build_plan({"count": build_leaf("event_count")})
    sizes = [
        count_rows(stream_parts(plan, [{"s": [build_event(at)]} for at in range(stop)])["count"], "x")
        for stop in (22, 23, 24, 25)
    ]
    assert sizes == [22, 23, 9, 10]
