"""What a demo is: a stream, plans that ask something of it, and actors that make its events."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from timeline_app.simulation.actors import Actor, iterate_happenings
from timeline_app.simulation.deliveries import Delivery, iterate_arrivals

Document = dict[str, Any]
START = 1_719_824_400_000
"""When the events of files begin, in milliseconds since the epoch."""
COLUMN, ROW = 304, 224


@dataclass(frozen=True)
class Demo:
    """A stream by its name, the question in one sentence, and plan documents by the names of their files.

    `rate` is how many events a second there are when nobody says otherwise; a share of `later` events comes after
    the allowed lateness.
    """

    stream: str
    question: str
    declaration: Document
    plans: Mapping[str, Document]
    actor: type[Actor]
    rate: float
    later: float = 0.004
    runs: bool = False
    board: Document | None = None
    """The name and the charts of a dashboard of the plan that runs."""
    alert: Document | None = None
    """The node and the settings of an alert on the plan that runs."""

    def deliveries(self, *, seed: int, rate: float | None = None, start: int = START) -> Iterator[Delivery]:
        """Yield events in the order in which they arrive, for ever; `start` in milliseconds since the epoch."""
        dice = random.Random(seed)  # noqa: S311  (nothing secret)  # nosec B311
        return iterate_arrivals(
            iterate_happenings(self.actor, dice, rate or self.rate, start), dice, self.later
        )

    def examples(self) -> dict[str, Document]:
        """Return the plans with the declaration of their stream, as `manage.py evaluate` wants them."""
        streams = {self.stream: self.declaration}
        return {file: _add_streams(plan, streams) for file, plan in self.plans.items()}


def _add_streams(plan: Document, streams: Document) -> Document:
    head = {key: plan[key] for key in ("version", "name")}
    return {**head, "streams": streams, **{key: plan[key] for key in plan if key not in head}}


def build_declaration(key: str, **fields: str) -> Document:
    """Return the declaration of a stream of these actors: their key, and the fields' types."""
    names = {"key": key, "time": "t", "unit": "ms", "id": "event_id"}
    return {**names, "fields": fields, "allowed_lateness": "30s", "retention": "7d"}


def build_node(
    op: str, *, comment: str = "", params: Document | None = None, **inputs: str | list[str]
) -> Document:
    """Return a node that reads other nodes, by port."""
    node: Document = {"op": op, "inputs": {port.rstrip("_"): wires for port, wires in inputs.items()}}
    return node | ({"params": params} if params else {}) | ({"comment": comment} if comment else {})


def build_leaf(stream: str, op: str, **params: str) -> Document:
    """Return a node that reads the stream."""
    return {"op": op, "stream": stream, "params": params}


def build_chart(
    kind: str, node: str, title: str, place: list[int], key: str | None = None, **more: Any
) -> Document:
    """Return a chart of a dashboard; without a key it shows the one that is chosen there."""
    return {"type": kind, "node": node, "title": title, "key": key, "place": place, **more}


def plan(name: str, nodes: Document, results: list[str], grid: Mapping[str, tuple[float, float]]) -> Document:
    """Return a plan document; `grid` says in which column and row a node lies."""
    layout = {name: [round(column * COLUMN), round(row * ROW)] for name, (column, row) in grid.items()}
    return {"version": 1, "name": name, "nodes": nodes, "results": results, "layout": layout}
