"""Machines that run hot and shake before they fail: for how long were they in a risky state before they failed?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from timeline_app.demos.base import Demo, Document, build_declaration, build_leaf, build_node, plan
from timeline_app.simulation.actors import Actor, Event

LINES = {"A": 0.010, "B": 0.015, "C": 0.030}
"""The strain that each reading adds, by line: machines of C fail first."""


@dataclass
class Machine(Actor):
    """One machine, from its start over a failure and its repair to its end."""

    key = "machine_id"
    gap = 4.0
    ending: ClassVar[Event] = {"state": "stopped"}

    line: str = ""
    strain: float = 0.0
    state: str = ""
    left: int = 0

    def act(self) -> Event:
        """Start, fail, be repaired, end, or just a reading."""
        self.left -= 1
        if not self.count:
            return self.start()
        if self.left < 0:
            return self.enter("stopped")
        self.strain = max(0.0, self.strain + LINES[self.line] + self.dice.gauss(0, 0.08))
        if self.state == "failed" and self.dice.random() < 0.2:
            self.strain = 0.2
            return self.enter("running")
        if self.state == "running" and self.strain > 0.8 and self.dice.random() < 0.12:
            return self.enter("failed")
        return self.reading()

    @property
    def over(self) -> bool:
        """Whether it was removed."""
        return self.state == "stopped"

    def start(self) -> Event:
        """Return the event of its start, on some line."""
        self.line, self.strain = self.dice.choice(list(LINES)), self.dice.uniform(0.0, 0.6)
        self.left = self.dice.randint(20, 70)
        return self.enter("running") | {"line": self.line}

    def enter(self, state: str) -> Event:
        """Enter a state, and return its event."""
        self.state = state
        return {"state": state}

    def reading(self) -> Event:
        """Temperature in °C and vibration in mm/s; at times a sensor says nothing."""
        reading = {
            "temperature": round(60 + 40 * self.strain + self.dice.gauss(0, 1.5), 1),
            "vibration": round(2 + 7 * self.strain + self.dice.gauss(0, 0.4), 1),
        }
        if self.dice.random() < 0.2:
            reading.pop(self.dice.choice(list(reading)))
        return reading


PLAN: Document = plan(
    "Risk before failure",
    {
        "temperature": build_leaf("machine", "latest_event_to_state", field="temperature"),
        "vibration": build_leaf("machine", "latest_event_to_state", field="vibration"),
        "failed": build_leaf("machine", "has_existed", where='state == "failed"'),
        "line": build_leaf("machine", "latest_event_to_state", field="line"),
        "hot": build_node("greater_than", of="temperature", params={"value": 90}),
        "shaking": build_node("greater_than", of="vibration", params={"value": 7.1}),
        "unharmed": build_node("not", of="failed"),
        "risky": build_node(
            "and",
            of=["hot", "shaking", "unharmed"],
            comment="Not after the first failure: what was counted until then stands still from there on.",
        ),
        "risky_time": build_node("duration_where", of="risky"),
        "risk_before_failure": build_node(
            "when", if_="failed", of="risky_time", comment="Unknown for a machine that has not failed."
        ),
        "mean_by_line": build_node(
            "aggregate", of="risk_before_failure", by="line", params={"function": "avg"}
        ),
        "longest_by_line": build_node(
            "aggregate", of="risk_before_failure", by="line", params={"function": "max"}
        ),
    },
    ["risk_before_failure", "mean_by_line", "longest_by_line"],
    {
        "temperature": (0, 0),
        "vibration": (0, 1),
        "failed": (0, 2),
        "line": (0, 3),
        "hot": (1, 0),
        "shaking": (1, 1),
        "unharmed": (1, 2),
        "risky": (2, 0),
        "risky_time": (3, 0),
        "risk_before_failure": (4, 1),
        "mean_by_line": (5, 2),
        "longest_by_line": (5, 3),
    },
)

DEMO = Demo(
    stream="machine",
    question="How long was a machine hot and shaking before it failed, on average and at most on each line?",
    declaration=build_declaration(
        "machine_id", temperature="number", vibration="number", state="text", line="text"
    ),
    plans={"machine": PLAN},
    actor=Machine,
    rate=5.0,
)
