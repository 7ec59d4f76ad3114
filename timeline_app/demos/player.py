"""Video players whose viewers come and go: how long did they rebuffer because of the connection, by CDN?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from timeline_app.demos.base import (
    Demo,
    Document,
    build_chart,
    build_declaration,
    build_leaf,
    build_node,
    plan,
)
from timeline_app.simulation.actors import Actor, Event

CDNS = ("CDN1", "CDN2", "CDN3")
BUFFERING = {"CDN1": 0.16, "CDN2": 0.07, "CDN3": 0.04}
"""How often a player on this network runs out of data: CDN1 is the one to find."""


@dataclass
class Viewer(Actor):
    """One viewer's player, from joining to leaving."""

    key = "session_id"
    gap = 3.0
    ending: ClassVar[Event] = {"player_state": "stopped", "user_action": "stop"}

    cdn: str = ""
    state: str = ""
    left: int = 0

    def act(self) -> Event:
        """Join, do something, leave."""
        self.left -= 1
        return self.join() if not self.count else self.leave() if self.left < 0 else self.go_on()

    @property
    def over(self) -> bool:
        """Whether the viewer is gone."""
        return self.state == "stopped"

    def pause(self) -> float:
        """Mean seconds until the next event: a player buffers for a shorter while than it plays."""
        return {"buffer": 0.5 * self.gap, "init": 0.4 * self.gap, "play": 1.3 * self.gap}.get(
            self.state, self.gap
        )

    def join(self) -> Event:
        """The player starts, on some network."""
        self.cdn, self.state = self.dice.choice(CDNS), "init"
        self.left = self.dice.randint(15, 80) - 1
        return {"player_state": "init", "cdn": self.cdn}

    def leave(self) -> Event:
        """The viewer stops."""
        self.state = "stopped"
        return dict(self.ending)

    def go_on(self) -> Event:
        """Return the event that follows the player's current state."""
        chance = self.dice.random()
        if self.state != "play":
            self.state = "play"
            return {"player_state": "play"}
        if chance < BUFFERING[self.cdn]:
            self.state = "buffer"
            return {"player_state": "buffer"}
        if chance < 0.40:
            self.state = "buffer"
            return {"player_state": "buffer", "user_action": "seek"}
        if chance < 0.50:
            self.state = "pause"
            return {"player_state": "pause", "user_action": "pause"}
        if chance < 0.60:
            self.cdn = self.dice.choice([cdn for cdn in CDNS if cdn != self.cdn])
            return {"cdn": self.cdn}
        return {"player_state": "play"}


STREAM = build_declaration("session_id", player_state="text", user_action="text", cdn="text")

CIRR: Document = plan(
    "Connection-induced rebuffering",
    {
        "played": build_leaf("player", "has_existed", where='player_state == "play"'),
        "seeking": build_leaf("player", "has_existed_within", where='user_action == "seek"', duration="5s"),
        "calm": build_node("not", of="seeking"),
        "state": build_leaf("player", "latest_event_to_state", field="player_state"),
        "buffering": build_node("equal_to", of="state", params={"value": "buffer"}),
        "cdn": build_leaf("player", "latest_event_to_state", field="cdn"),
        "induced": build_node(
            "and",
            of=["played", "calm", "buffering"],
            comment="Buffering before the first picture or right after a seek is not the connection's fault.",
        ),
        "cirr": build_node("duration_where", of="induced"),
        "cirr_by_cdn": build_node("aggregate", of="cirr", by="cdn", params={"function": "sum"}),
    },
    ["cirr", "cirr_by_cdn"],
    {
        "played": (0, 0),
        "seeking": (0, 1),
        "state": (0, 2),
        "cdn": (0, 3),
        "calm": (1, 1),
        "buffering": (1, 2),
        "induced": (2, 0),
        "cirr": (3, 0),
        "cirr_by_cdn": (4, 2),
    },
)

BY_CDN, SECONDS = "cirr_by_cdn", "Seconds of rebuffering"
BOARD: Document = {
    "name": "Connection-induced rebuffering by CDN",
    "charts": [
        *(
            build_chart("number", BY_CDN, cdn, [4 * n, 0, 4, 3], key=cdn, unit="s", change="1m")
            for n, cdn in enumerate(CDNS)
        ),
        build_chart("stack", BY_CDN, f"{SECONDS} by CDN", [0, 3, 8, 7], top=10),
        build_chart(
            "table", "cirr", "Sessions that waited longest", [8, 3, 4, 13], top=20, order="most", unit="s"
        ),
        build_chart("line", "cirr", f"{SECONDS} of one session", [0, 10, 8, 6]),
        build_chart("lane", "state", "What its player does", [0, 16, 12, 3]),
        build_chart("lane", "induced", "Whether the connection is to blame", [0, 19, 12, 3]),
        build_chart("states", "state", "What all players do", [0, 22, 12, 8], sort="held", state="buffer"),
    ],
}

DEMO = Demo(
    stream="player",
    question="How long did viewers rebuffer because of the connection, by CDN, not counting five seconds after a seek?",
    declaration=STREAM,
    plans={"cirr": CIRR},
    board=BOARD,
    alert={
        "node": "induced",
        "name": "The connection makes a viewer wait",
        "severity": "info",
        "labels": {"team": "video"},
        "template": "{key} buffers since {since}",
    },
    actor=Viewer,
    rate=20.0,
    later=0.0,
    runs=True,
)
