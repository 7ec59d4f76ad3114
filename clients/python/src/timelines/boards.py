"""Dashboards: charts of nodes, arranged on a grid."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from timelines.http import Http, Json
from timelines.things import Shared


class Dashboard(Shared):
    """A dashboard as it was when it was read."""

    def __init__(self, http: Http, told: Json) -> None:
        self.http, self._told = http, told

    def __repr__(self) -> str:
        return f"Dashboard({self.id}, {self.name!r})"

    @property
    def id(self) -> int:
        """Its number."""
        return int(self._told["id"])

    @property
    def name(self) -> str:
        """What it is called."""
        return str(self._told["name"])

    @property
    def document(self) -> Json:
        """Its charts, range and key."""
        return dict(self._told["document"])

    @property
    def path(self) -> str:
        """Its address under `/api/`."""
        return f"dashboards/{self.id}/"

    def pin(self, chart: Mapping[str, Any]) -> Dashboard:
        """One more chart below the others: its `type`, `plan` and `node`, and what else it takes."""
        return self._now(self.http.post(f"{self.path}charts/", dict(chart)))

    def save(self, document: Mapping[str, Any], *, name: str | None = None) -> Dashboard:
        """Another arrangement. Raises `Conflict` where somebody saved one meanwhile."""
        body = {"document": dict(document), "version": self._told["version"]}
        return self._now(self.http.put(self.path, body | ({} if name is None else {"name": name})))

    def delete(self) -> None:
        """Forget it."""
        self.http.delete(self.path)

    def _now(self, told: Json) -> Dashboard:
        self._told = told
        return self


@dataclass(frozen=True)
class Dashboards:
    """All dashboards that you may look at."""

    http: Http

    def list(self, q: str = "") -> Iterator[Json]:
        """Those that fit a search, the one that was changed last first, without their charts."""
        return self.http.pages("dashboards/", q=q or None, limit=200)

    def get(self, number: int) -> Dashboard:
        """The dashboard of this number."""
        return Dashboard(self.http, self.http.get(f"dashboards/{number}/"))

    def create(self, name: str) -> Dashboard:
        """A new one, without charts."""
        return Dashboard(self.http, self.http.post("dashboards/", {"name": name}))
