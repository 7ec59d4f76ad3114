"""Dashboards: charts of nodes, arranged on a grid."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from timelines.http import Http, Json
from timelines.things import Numbered


class Dashboard(Numbered):
    """A dashboard as it was when it was read."""

    def __repr__(self) -> str:
        return f"Dashboard({self.id}, {self.name!r})"

    @property
    def path(self) -> str:
        """Its address under `/api/`."""
        return f"dashboards/{self.id}/"

    def pin(self, chart: Mapping[str, Any]) -> Dashboard:
        """One more chart below the others: its `type`, `plan` and `node`, and what else it takes."""
        return self._now(self.http.post(f"{self.path}charts/", dict(chart)))

    def save(self, document: Mapping[str, Any], *, name: str | None = None) -> Dashboard:
        """Another arrangement. Raises `Conflict` where somebody saved one meanwhile."""
        body = {"document": dict(document), "version": self.version}
        return self._now(self.http.put(self.path, body | ({} if name is None else {"name": name})))

    def delete(self) -> None:
        """Forget it."""
        self.http.delete(self.path)


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
