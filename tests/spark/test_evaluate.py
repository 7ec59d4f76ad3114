"""`manage.py evaluate` prints the same bytes through Spark's queries as in its own process, whatever the order."""

from __future__ import annotations

import io
import json
import random
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

pytestmark = pytest.mark.spark
STREAMS = {
    "player": {
        "key": "k",
        "time": "t",
        "unit": "ms",
        "id": "id",
        "fields": {"rate": "number", "live": "bool"},
    },
    "billing": {"key": "user", "time": "at", "unit": "s", "fields": {"paid": "number"}},
    "stops": {"key": "user", "time": "start", "until": "end", "unit": "iso8601", "id": "id"},
}


def build_leaf(op: str, stream: str = "player", **params: Any) -> dict[str, Any]:
    return {"op": op, "stream": stream, "params": params}


def build_node(op: str, of: Any, params: dict[str, Any] | None = None, **more: str) -> dict[str, Any]:
    return {"op": op, "inputs": {"of": of, **more}, "params": params or {}}


NODES = {
    "state": build_leaf("latest_event_to_state", field="state"),
    "cdn": build_leaf("latest_event_to_state", field="cdn"),
    "rate": build_leaf("latest_event_to_state", field="rate"),
    "live": build_leaf("latest_event_to_state", field="live"),
    "count": build_leaf("event_count", where='state == "play"'),
    "paid": build_leaf("event_sum", "billing", field="paid"),
    "played": build_leaf("has_existed", where='state == "play"'),
    "recent": build_leaf("has_existed_within", where="rate > 2", duration="2s"),
    "plays": build_leaf("count_within", where='state == "play"', duration="2s"),
    "payments": build_leaf("sum_within", "billing", field="paid", duration="5s"),
    "states": {
        **build_leaf("values_within", field="state", duration="1500ms", function="distinct"),
        "inputs": {"while": "live"},
    },
    "spread": build_leaf("values_within", field="rate", duration="3s", function="deviation"),
    "newest": build_leaf("values_within", field="cdn", where="live == true", duration="2s", function="last"),
    "before": build_node("previous_value", "state"),
    "counted": build_node("increase", "rate"),
    "at_payment": {
        **build_leaf("value_at", "billing", where="paid > 1", side="before"),
        "inputs": {"of": "state"},
    },
    "at_live": build_node("value_at", "rate", when="live"),
    "this_time": {**build_leaf("since", where='state == "play"'), "inputs": {"of": "paid"}},
    "quiet": build_leaf("time_since", "billing"),
    "paid_live": {**build_leaf("event_sum", "billing", field="paid"), "inputs": {"while": "live"}},
    "lately_live": {
        **build_leaf("has_existed_within", "billing", where="paid > 0", duration="2s", side="at"),
        "inputs": {"while": "live"},
    },
    "down": build_leaf("is_during", "stops"),
    "broken": build_leaf("is_during", "stops", where='reason == "broken" or end is missing'),
    "up": build_node("not", "down"),
    "free": build_node("and", ["up", "broken", "recent"]),
    "downtime": build_node("duration_where", "down"),
    "down_by_cdn": build_node("aggregate", "downtime", {"function": "sum"}, by="cdn"),
    "stopped": build_node("not_equal_to", "state", {"value": "play"}),
    "long": build_node("held_for", "stopped", {"duration": "700ms"}),
    "since": build_node("duration_in_current_state", "state"),
    "changes": build_node("changed_to", "state", {"value": "play"}),
    "either": build_node("or", ["long", "recent", "live"]),
    "both": build_node("and", ["played", "either"]),
    "time": build_node("duration_where", "both"),
    "later": build_node("shift", "cdn", {"duration": "1500ms"}),
    "more": build_node("add", "time", {}, other="paid"),
    "third": build_node("divide", "more", {"value": 3}),
    "less": build_node("subtract", "third", {"value": "1s"}),
    "scaled": build_node("multiply", "less", {}, other="changes"),
    "chosen": {"op": "when", "inputs": {"if": "live", "of": "scaled", "otherwise": "since"}},
    "share": build_node("divide", "count", {}, other="time"),
    "high": build_node("greater_or_equal", "share", {"value": 0.5}),
    "sum": build_node("aggregate", "time", {"function": "sum"}, by="later"),
    "mean": build_node("aggregate", "time", {"function": "avg"}, by="later"),
    "p90": build_node("aggregate", "chosen", {"function": "p90", "every": "1s"}, by="cdn"),
    "worst": build_node("aggregate", "share", {"function": "max", "every": "700ms"}),
    "above": build_node("less_than", "mean", {}, other="p90"),
    "bought": {
        "op": "sequence",
        "params": {
            "steps": [
                {"name": "played", "stream": "player", "where": 'state == "play"'},
                {"name": "paid", "stream": "billing", "within": "4s"},
                {"name": "paid twice", "stream": "billing", "where": "paid < 5"},
            ],
            "within": "6s",
            "not": [{"stream": "player", "where": 'state == "stop"', "between": ["paid", "paid twice"]}],
        },
    },
    "took": build_node("sequence_duration", "bought"),
    "lost": build_node("sequence_count", "bought", {"outcome": "expired"}),
    "lost_by_cdn": build_node("aggregate", "lost", {"function": "sum"}, by="cdn"),
}
RESULTS = ["chosen", "share", "high", "later", "sum", "mean", "p90", "worst", "above"]
RESULTS += ["broken", "free", "down_by_cdn", "plays", "payments", "states", "spread", "newest"]
RESULTS += ["bought", "took", "lost_by_cdn"]
RESULTS += ["before", "at_payment", "at_live", "this_time", "quiet", "paid_live", "lately_live"]


def build_events(seed: int) -> dict[str, list[dict[str, Any]]]:
    """Two streams with common keys; late, doubled and contradicting events."""
    chance = random.Random(seed)
    begin = 1_719_820_800
    players = [
        {"k": f"u{chance.randrange(12)}", "t": begin * 1000 + 125 * chance.randrange(80), "id": f"e{number}"}
        | chance.choice(
            [
                {"state": "play"},
                {"state": "stop"},
                {"cdn": "A"},
                {"cdn": "B"},
                {"live": True},
                {"live": False},
            ]
        )
        | chance.choice([{}, {"rate": 0.1}, {"rate": 3}])
        for number in range(300)
    ]
    copies = [dict(event) | chance.choice([{}, {"state": "pause"}]) for event in chance.sample(players, 40)]
    payments = [
        {
            "user": f"u{chance.randrange(14)}",
            "at": begin + chance.randrange(12),
            "paid": chance.choice([0.1, 0.2, 5]),
        }
        for _ in range(40)
    ]
    return {"player": players + copies, "billing": payments, "stops": stops(chance, begin)}


LENGTHS: list[list[float | None]] = [[None], [0.0], [0.3, 2.5], [None, 1.7], [9_000_000_000.0, 0.4]]
"""Seconds after which a row ends, as it is said first and later; None: it is open."""


def stops(chance: random.Random, begin: int) -> list[dict[str, Any]]:
    """Rows that overlap; some are open, and some are corrected: they end, earlier or later than was said."""

    def format_moment(second: float) -> str:
        return datetime.fromtimestamp(begin + second, UTC).isoformat()

    rows = []
    for number in range(60):
        start, reason = chance.randrange(100) / 10, chance.choice(["broken", "staff"])
        row = {
            "user": f"u{chance.randrange(14)}",
            "start": format_moment(start),
            "id": number,
            "reason": reason,
        }
        rows += [
            row if length is None else {**row, "end": format_moment(start + length)}
            for length in chance.choice(LENGTHS)
        ]
    return rows


def evaluate(folder: Path, engine: str, delivered: dict[str, list[dict[str, Any]]]) -> str:
    arguments = []
    for name, rows in delivered.items():
        file = folder / f"{engine}-{name}.jsonl"
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
        arguments.append(f"{name}={file}")
    out = io.StringIO()
    call_command("evaluate", str(folder / "plan.json"), *arguments, node=RESULTS, engine=engine, stdout=out)
    return out.getvalue()


def test_both_engines_print_the_same_bytes_in_any_order_of_arrival(
    tmp_path: Path, spark_remote: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARK_REMOTE", spark_remote)
    (tmp_path / "plan.json").write_text(json.dumps({"version": 1, "streams": STREAMS, "nodes": NODES}))
    seed = random.randrange(1_000_000)
    print(f"seed {seed}")  # shown when the test fails
    delivered = build_events(seed)
    here = evaluate(tmp_path, "local", delivered)
    shuffled = {name: random.sample(rows, len(rows)) for name, rows in delivered.items()}
    assert evaluate(tmp_path, "spark", shuffled) == here
    assert {json.loads(line)["node"] for line in here.splitlines()} == set(RESULTS)


def test_a_server_that_is_not_there_is_said_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARK_REMOTE", "sc://127.0.0.1:9")
    (tmp_path / "plan.json").write_text(json.dumps({"version": 1, "streams": STREAMS, "nodes": NODES}))
    with pytest.raises(CommandError, match=r"sc://127\.0\.0\.1:9 does not answer"):
        evaluate(tmp_path, "spark", build_events(1))
