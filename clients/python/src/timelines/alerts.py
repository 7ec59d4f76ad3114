"""Alerts, their incidents, and what a rule would have done."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from timelines.http import Http, Json
from timelines.things import Numbered


class Alert(Numbered):
    """An alert as it was when it was read."""

    def __repr__(self) -> str:
        return f"Alert({self.id}, {self.name!r})"

    @property
    def path(self) -> str:
        """Its address under `/api/`."""
        return f"alerts/{self.id}/"

    def incidents(self, *, state: str | None = None, key: str | None = None) -> Iterator[Json]:
        """Its incidents: firing, pending, resolved, retracted; the latest change first."""
        return self.http.pages(f"{self.path}incidents/", state=state, key=key, limit=200)

    def change(self, **settings: Any) -> Alert:
        """Change settings such as `severity`, `policy` or `enabled`."""
        return self._now(self.http.ask("PATCH", self.path, json=settings))

    def delete(self) -> None:
        """Forget it, with its incidents."""
        self.http.delete(self.path)


@dataclass(frozen=True)
class Alerts:
    """All alerts that you may look at."""

    http: Http

    def list(self, q: str = "", *, state: str | None = None) -> Iterator[Json]:
        """Those that fit a search, firing ones first."""
        return self.http.pages("alerts/", q=q or None, state=state, limit=200)

    def get(self, number: int) -> Alert:
        """The alert of this number."""
        return Alert(self.http, self.http.get(f"alerts/{number}/"))

    def create(self, plan: int, node: str, name: str, **settings: Any) -> Alert:
        """A new one on a bool node of a plan."""
        return Alert(
            self.http, self.http.post("alerts/", {"plan": plan, "node": node, "name": name, **settings})
        )

    def incidents(self, *, state: str | None = None, key: str | None = None) -> Iterator[Json]:
        """The incidents of all alerts, firing ones first."""
        return self.http.pages("incidents/", state=state, key=key, limit=200)

    def acknowledge(self, incident: int) -> Json:
        """Say that you take care of an incident."""
        answer: Json = self.http.post(f"incidents/{incident}/acknowledge/", {})
        return answer

    def test(self, node: str, *, keys: Sequence[str] = (), **options: Any) -> Json:
        """What a rule would have done: `plan=`, `document=` or `text=`, and `above=`, `clear=`, `clear_after=` …

        Pass the parameter `for` as `**{"for": "5min"}`.
        """
        answer: Json = self.http.post(
            "alerts/test/", {"node": node, **({"keys": list(keys)} if keys else {}), **options}
        )
        return answer
