"""A plan whose node has alerts, and incidents of it, where no engine is up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.browser.drawing.log import SECOND, Log, compute_now
from tests.browser.product import Api, build_leaf
from tests.browser.shell import run_in_django
from workers.stack import Stack

BEGIN_ALERTS = """
from workers.engine.alert_writer import AlertFollower
follower = AlertFollower()
while follower.step():
    pass
"""


@dataclass
class Ovens:
    """A running plan with a temperature and `hot`, an alert on it, of one person."""

    stack: Stack
    api: Api
    plan: int
    log: Log
    began: int

    def add_alert(self, **settings: Any) -> int:
        """On `hot`; its number."""
        body = {"plan": self.plan, "node": "hot", "name": "Oven too hot", **settings}
        return int(self.api.call("POST", "alerts/", body)["id"])

    def begin(self) -> None:
        """Let alerts follow their nodes, as the engine does within a second."""
        run_in_django(self.stack, BEGIN_ALERTS)

    def say_hot(self, key: str, *changes: int, seconds: int = 600) -> None:
        """When `hot` becomes true for a key and false again, in seconds since it began; and events until `seconds`."""
        spans: list[list[Any]] = [
            [None, False],
            *([self.at(hot), i % 2 == 0] for i, hot in enumerate(changes)),
        ]
        self.log.say("hot", key, spans, newest=self.at(seconds))
        self.log.publish()

    def at(self, seconds: int) -> int:
        return self.began + seconds * SECOND


def make_ovens(stack: Stack, api: Api, stream: str) -> Ovens:
    """Declare the stream, and run the plan."""
    api.call(
        "POST",
        "streams/",
        {"name": stream, "key": "oven", "time": "t", "unit": "ms", "fields": {"temperature": "number"}},
    )
    rule = {"above": 80, "clear": 75, "for": "5min", "clear_after": "1min"}
    nodes = {
        "temperature": build_leaf("latest_event_to_state", stream, field="temperature"),
        "hot": {"op": "alert", "inputs": {"of": "temperature"}, "params": rule},
    }
    plan = int(
        api.add_plan({"version": 1, "name": f"Ovens of {stream}", "nodes": nodes, "results": ["hot"]})["id"]
    )
    api.call("PUT", f"plans/{plan}/sharing/", {"open_to_all": False, "shares": []})
    api.run(plan)
    return Ovens(stack, api, plan, Log(stack, api.digests(plan)), compute_now() - 3600 * SECOND)
