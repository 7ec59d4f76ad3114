"""Payment cards, some of which are copied: which were swiped in another suburb less than ten minutes ago?"""

from __future__ import annotations

from dataclasses import dataclass

from timeline_app.demos.base import Demo, Document, build_declaration, build_leaf, build_node, plan
from timeline_app.simulation.actors import Actor, Event

SUBURBS = ("Brunswick", "Carlton", "Fitzroy", "Footscray", "Prahran", "Richmond")


@dataclass
class Card(Actor):
    """One card: its holder shops, moves on at times, and a copy may be used elsewhere."""

    key = "card"
    gap = 150.0

    suburb: str = ""
    copied: int = 0

    def act(self) -> Event:
        """Return a swipe."""
        chance = self.dice.random()
        if self.copied:
            self.copied -= 1
            self.move()
        elif chance < 0.02:
            self.copied = self.dice.randint(2, 4)
            self.move()
        elif not self.count or chance < 0.10:
            self.move()
        return {"suburb": self.suburb, "amount": self.dice.randint(40, 4_000) / 20}

    def move(self) -> None:
        """Be somewhere else."""
        self.suburb = self.dice.choice([suburb for suburb in SUBURBS if suburb != self.suburb])

    def pause(self) -> float:
        """Mean seconds until the next swipe: two who use one card swipe it more often."""
        return 20.0 if self.copied else self.gap


PLAN: Document = plan(
    "Suspicious cards",
    {
        "suburb": build_leaf("card", "latest_event_to_state", field="suburb"),
        "settled": build_node("duration_in_current_state", of="suburb"),
        "changes": build_node(
            "changed_to", of="suburb", comment="The first suburb that is seen is a change, too: hence > 1."
        ),
        "fresh": build_node("less_than", of="settled", params={"value": "10min"}),
        "moved": build_node("greater_than", of="changes", params={"value": 1}),
        "suspicious": build_node("and", of=["fresh", "moved"]),
        "suspicious_now": build_node("aggregate", of="suspicious", params={"function": "count"}),
    },
    ["suspicious", "suspicious_now"],
    {
        "suburb": (0, 0.5),
        "settled": (1, 0),
        "changes": (1, 1),
        "fresh": (2, 0),
        "moved": (2, 1),
        "suspicious": (3, 0.5),
        "suspicious_now": (4, 0.5),
    },
)

DEMO = Demo(
    stream="card",
    question="Which cards were swiped in another suburb less than ten minutes ago, and how many are they?",
    declaration=build_declaration("card", suburb="text", amount="number"),
    plans={"card": PLAN},
    actor=Card,
    rate=1.0,
)
