"""Players that load advertisements: which iPhones stopped advancing when one took five seconds or more?"""

from __future__ import annotations

from dataclasses import dataclass

from timeline_app.demos.base import Demo, Document, build_declaration, build_leaf, build_node, plan
from timeline_app.simulation.actors import Actor, Event

DEVICES = ("Android", "TV", "iPhone")
TIMEOUT_MS = 5_000
"""In milliseconds: after this loading time most iPhones freeze until the advertisement arrives."""


@dataclass
class AdPlayer(Actor):
    """One player: about every second it says how far it has come; advertisements load while it plays."""

    key = "session_id"
    gap = 1.0

    device: str = ""
    ad: str = "none"
    position: int = 0
    seen_at: int = 0
    ad_since: int = 0
    ad_until: int = 0
    fragile: bool = False
    left: int = 0

    def act(self) -> Event:
        """Begin, or come further; an advertisement begins to load, plays, is over."""
        self.left -= 1
        if not self.count:
            return self.begin()
        if not self.stuck:
            self.position += self.at - self.seen_at
        self.seen_at = self.at
        return {**self.advertise(), "position": self.position / 1000}

    @property
    def stuck(self) -> bool:
        """Whether it is frozen."""
        return self.fragile and self.ad == "loading" and self.at - self.ad_since >= TIMEOUT_MS

    @property
    def over(self) -> bool:
        """Whether the viewer is gone."""
        return self.left < 0 and self.ad == "none"

    def wait(self) -> float:
        """Seconds until the next event: a steady beat."""
        return self.dice.uniform(0.8, 1.2)

    def begin(self) -> Event:
        """The session begins, on some device."""
        self.device, self.seen_at = self.dice.choice(DEVICES), self.at
        self.left = self.dice.randint(40, 120)
        return {"device": self.device, "ad": "none", "position": 0}

    def advertise(self) -> Event:
        """Return what the advertisement does now, if anything."""
        if self.ad == "none" and self.left >= 0 and self.dice.random() < 0.1:
            self.fragile = self.device == "iPhone" and self.dice.random() < 0.8
            return self.enter("loading", self.dice.expovariate(1 / 7.0))
        if self.ad == "loading" and self.at >= self.ad_until:
            return self.enter("playing", 5.0)
        if self.ad == "playing" and self.at >= self.ad_until:
            return self.enter("none", 0.0)
        return {}

    def enter(self, ad: str, seconds: float) -> Event:
        """Enter a state of the advertisement for at least `seconds`, and return its event."""
        self.ad, self.ad_since, self.ad_until = ad, self.at, self.at + round(seconds * 1000)
        return {"ad": ad}


PLAN: Document = plan(
    "Players stopped by advertisements",
    {
        "position": build_leaf("ad_player", "latest_event_to_state", field="position"),
        "ad": build_leaf("ad_player", "latest_event_to_state", field="ad"),
        "device": build_leaf("ad_player", "latest_event_to_state", field="device"),
        "resting": build_node(
            "duration_in_current_state",
            of="position",
            comment="A player says about every second how far it has come.",
        ),
        "loading": build_node("equal_to", of="ad", params={"value": "loading"}),
        "iphone": build_node("equal_to", of="device", params={"value": "iPhone"}),
        "standing": build_node("greater_or_equal", of="resting", params={"value": "2s"}),
        "slow_ad": build_node("held_for", of="loading", params={"duration": "5s"}),
        "stopped": build_node("and", of=["standing", "slow_ad"]),
        "stuck": build_node("and", of=["stopped", "iphone"]),
        "stopped_by_device": build_node("aggregate", of="stopped", by="device", params={"function": "count"}),
        "stuck_now": build_node("aggregate", of="stuck", params={"function": "count"}),
    },
    ["stuck", "stuck_now", "stopped_by_device"],
    {
        "position": (0, 0),
        "ad": (0, 1),
        "device": (0, 2),
        "resting": (1, 0),
        "loading": (1, 1),
        "iphone": (1, 2),
        "standing": (2, 0),
        "slow_ad": (2, 1),
        "stopped": (3, 0.5),
        "stopped_by_device": (4, 0.5),
        "stuck": (4, 1.5),
        "stuck_now": (5, 1.5),
    },
)

DEMO = Demo(
    stream="ad_player",
    question="Which iPhone players stopped advancing when an advertisement took five seconds or more to load?",
    declaration=build_declaration("session_id", device="text", ad="text", position="number"),
    plans={"advertisement": PLAN},
    actor=AdPlayer,
    rate=20.0,
)
