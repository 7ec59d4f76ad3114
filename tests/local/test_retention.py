"""Beyond the retention a key's history is folded: later answers stay exact, and state stays bounded."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count as numbers
from itertools import pairwise
from typing import Any

import pyarrow.compute as pc
import pytest
from hypothesis import event as seen
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.algebra.logs import Delivered
from tests.local.hosts import Query, count, stream
from tests.local.running import batches_of, close, inexact, logged, run
from tests.local.test_hosts import part
from tests.strategies import NUMBERS, STATES, Plan, cuts, plans
from timeline_app.algebra.fold import fold
from timeline_app.algebra.kinds import BEGINNING
from timeline_app.compiler import compile_plan
from workers.spark import folding
from workers.spark.held import FOLDED
from workers.spark.pages import Pages

BASE = 1_719_820_800_000
RETENTION = 5_000
SPAN = 60_000
STREAM = {"key": "k", "time": "t", "id": "id", "retention": "5s", "fields": {"n": "number", "on": "bool"}}


@pytest.fixture(autouse=True)
def _eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fold whatever can go."""
    monkeypatch.setattr(folding, "LEAST", 1)
    monkeypatch.setattr(folding, "SHARE", 1_000_000)


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
    required = {"k": st.sampled_from(["x", "x", "y"]), "t": steps}
    some = st.lists(st.fixed_dictionaries(required, optional=optional), min_size=5, max_size=40)
    late = st.integers(0, RETENTION // 500 - 1).map(lambda step: 500 * step)
    found = []
    for number, item in enumerate(draw(some)):
        named = {**item, **({"id": _id(draw, declared, prefix, number)} if "id" in declared else {})}
        found.append((item["t"] + draw(late), named))
        if "id" in named and named["id"] is not None and draw(st.sampled_from([True, False, False])):
            later = draw(st.sampled_from([0, 0, 500, 2_000]))
            changes = draw(st.sampled_from([{}, {}, {"state": "other"}, {"bitrate": 7}]))
            found.append((item["t"] + max(later, draw(late)), {**named, **changes, "t": item["t"] + later}))
    return found


def _id(draw: st.DrawFn, declared: dict[str, Any], prefix: str, number: int) -> Any:
    if draw(st.sampled_from([True] * 5 + [False])):
        numeric = declared["fields"].get("id") == "number"
        place = draw(st.sampled_from([number, 1_000 - number]))
        return place if numeric else f"{prefix}{place}"
    return None


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
@settings(max_examples=60)
def test_the_log_of_a_folded_node_says_what_the_evaluator_says_of_everything(
    history: tuple[Plan, Delivered, list[int]],
) -> None:
    plan, delivered, places = history
    compiled = compile_plan(plan, {})
    batches = [batches_of(compiled, part(plan, delivered[start:end])) for start, end in pairwise(places)]
    queries, truth = stream(compiled, batches), run(plan, part(plan, delivered))
    rounded = inexact(plan)
    seen(f"folded: {any(folded_keys(query) for query in queries.values())}")
    for name, digest in compiled.names.items():
        query = queries[digest]
        log = {key: stretches for key, (exists, stretches) in query.log().items() if exists}
        assert sorted(log) == sorted(truth[name]), name
        for key, points in truth[name].items():
            told = logged(fold(query.program.kind, log[key]))
            same = close(told, points) if name in rounded else told == points
            assert same, f"{name} {plan['nodes'][name]}\n{key}: {told}\ntruth: {points}"


def folded_keys(query: Query) -> int:
    return sum(bool(pc.equal(rows["stream"], FOLDED).to_numpy().sum()) for rows in held(query)) if not query.program.feeds else 0


def held(query: Query) -> Iterator[Any]:
    """The rows of state, bucket by bucket."""
    host = query.hosts[0]
    for state in host.states:
        yield Pages(state, host.processor.state_schema).open().rest()
