"""Random arrivals of a stream: batches with late events, corrections, heartbeats, and rules to watch them with."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

SECOND = 1_000_000
LATENESS_S = 8
STREAM = {
    "key": "k", "time": "t", "unit": "us", "allowed_lateness": f"{LATENESS_S}s",
    "fields": {"v": "number", "on": "bool"},
}  # fmt: skip
WITH_IDS = STREAM | {"id": "n"}
VALUE = {"op": "latest_event_to_state", "stream": "s", "params": {"field": "v"}}
NODES: tuple[dict[str, Any], ...] = (
    {"of": VALUE},
    {"of": {"op": "event_count", "stream": "s"}},
    {"v": VALUE, "of": {"op": "previous_value", "inputs": {"of": "v"}}},
    {
        "on": {"op": "latest_event_to_state", "stream": "s", "params": {"field": "on"}},
        "of": {"op": "duration_where", "inputs": {"of": "on"}},
    },
    {"v": VALUE, "of": {"op": "max_within", "inputs": {"of": "v"}, "params": {"duration": "4s"}}},
    {"of": {"op": "time_since", "stream": "s", "params": {"where": "v > 60"}}},
)
LIMITS = (50, 6, 40, 5, 60, 4)
"""Of each of the nodes, a limit that it crosses now and then."""


@dataclass
class ArrivalHistory:
    """Events by batch as they are pushed; `begin` is the event time at which it all begins, microseconds."""

    random: Random
    begin: int
    keys: int = 3
    with_ids: bool = False
    now: int = 0
    made: list[dict[str, Any]] = field(default_factory=list)

    def batches(self, many: int) -> Iterator[tuple[bytes, int | None]]:
        """So many batches: the lines to push, and a heartbeat, event time in microseconds."""
        for _ in range(many):
            self.now += self.random.choice((0, SECOND // 2, SECOND, 3 * SECOND, 7 * SECOND))
            events = [self._event() for _ in range(self.random.randint(1, 5))]
            beat = self.begin + self.now if self.random.random() < 0.15 else None
            yield "\n".join(json.dumps(event) for event in events).encode(), beat

    def rule(self, number: int) -> dict[str, Any]:
        """A rule on the node of that number."""
        limit = LIMITS[number] + self.random.choice((-1, 0, 2))
        side = self.random.choice(("above", "above", "below"))
        rule: dict[str, Any] = {side: limit}
        if self.random.random() < 0.5:
            rule["clear"] = limit - 2 if side == "above" else limit + 2
        for name in ("for", "clear_after"):
            if self.random.random() < 0.5:
                rule[name] = self.random.choice(("1s", "2s", "5s"))
        return rule

    def _event(self) -> dict[str, Any]:
        late = self.random.choice((0, 0, 0, 1, 3, 10, 10, 30)) * self.random.random()
        time = self.begin + max(self.now - int(late * SECOND) // 1000 * 1000, 0)
        event = {
            "k": f"k{self.random.randrange(self.keys)}", "t": time,
            "v": self.random.choice((10, 45, 49, 51, 55, 90)), "on": self.random.random() < 0.5,
        }  # fmt: skip
        if self.with_ids:
            again = self.random.random() < 0.15 and self.made
            event |= {"n": self.random.choice(self.made)["n"] if again else len(self.made)}
            self.made.append(event)
        return event
