"""Attempts to play a film, and those that got to its end: the completion rate, and what is unfinished by device."""

from __future__ import annotations

from dataclasses import dataclass

from timeline_app.demos.base import Demo, Document, build_declaration, build_leaf, build_node, plan
from timeline_app.simulation.actors import Actor, Event

COMPLETED = {"phone": 0.55, "tv": 0.9, "web": 0.75}
"""How many of the attempts on a device get to the end."""


@dataclass
class PlaybackViewer(Actor):
    """One viewer on one device, who tries a few films."""

    key = "viewer"
    gap = 3.0

    device: str = ""
    watching: bool = False
    left: int = 0

    def act(self) -> Event:
        """Return an attempt, then its end, whichever it is."""
        if not self.count:
            self.device, self.left = self.dice.choice(list(COMPLETED)), self.dice.randint(3, 12)
        self.watching = not self.watching
        if self.watching:
            return {"type": "attempt", "device": self.device}
        self.left -= 1
        ended = "complete" if self.dice.random() < COMPLETED[self.device] else "abandon"
        return {"type": ended, "device": self.device}

    def pause(self) -> float:
        """Mean seconds until the next event: a (short) film takes longer than choosing the next one."""
        return (1.6 if self.watching else 0.4) * self.gap

    @property
    def over(self) -> bool:
        """Whether the viewer is gone."""
        return self.left == 0 and not self.watching


PRIMITIVES: Document = {
    "attempts": build_leaf("playback", "event_count", where='type == "attempt"'),
    "completed": build_leaf("playback", "event_count", where='type == "complete"'),
}
"""In both plans: equal nodes are one node, computed once."""

COMPLETION: Document = plan(
    "Completion rate",
    {
        **PRIMITIVES,
        "all_attempts": build_node("aggregate", of="attempts", params={"function": "sum"}),
        "all_completed": build_node("aggregate", of="completed", params={"function": "sum"}),
        "completion": build_node(
            "divide",
            of="all_completed",
            other="all_attempts",
            comment="Unknown until there is an attempt: nothing is divided by zero.",
        ),
    },
    ["attempts", "completed", "completion"],
    {
        "attempts": (0, 1),
        "completed": (0, 0),
        "all_attempts": (1, 1),
        "all_completed": (1, 0),
        "completion": (2, 0.5),
    },
)

UNFINISHED: Document = plan(
    "Unfinished plays by device",
    {
        **PRIMITIVES,
        "device": build_leaf("playback", "latest_event_to_state", field="device"),
        "unfinished": build_node(
            "subtract", of="attempts", other="completed", comment="What was given up, and what still plays."
        ),
        "unfinished_by_device": build_node(
            "aggregate", of="unfinished", by="device", params={"function": "sum"}
        ),
        "attempts_by_device": build_node("aggregate", of="attempts", by="device", params={"function": "sum"}),
        "completed_by_device": build_node(
            "aggregate", of="completed", by="device", params={"function": "sum"}
        ),
        "completion_by_device": build_node("divide", of="completed_by_device", other="attempts_by_device"),
    },
    ["unfinished", "unfinished_by_device", "completion_by_device"],
    {
        "completed": (0, 0),
        "attempts": (0, 1),
        "device": (0, 2),
        "unfinished": (1, 2),
        "completed_by_device": (2, 0),
        "attempts_by_device": (2, 1),
        "unfinished_by_device": (2, 2),
        "completion_by_device": (3, 0.5),
    },
)

DEMO = Demo(
    stream="playback",
    question="Which share of the attempts to play a film got to its end, and what is unfinished on each device?",
    declaration=build_declaration("viewer", type="text", device="text"),
    plans={"completion": COMPLETION, "unfinished": UNFINISHED},
    actor=PlaybackViewer,
    rate=10.0,
)
