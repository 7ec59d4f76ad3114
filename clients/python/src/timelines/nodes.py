"""Nodes: what they say of a key, why, and how they are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote

from timelines.http import Http, Json
from timelines.things import Owned
from timelines.timeline import Timeline
from timelines.times import Time, micros, params


@dataclass(frozen=True)
class Node(Owned):
    """One computation, whoever asks for it; its digest is its identity."""

    http: Http
    digest: str
    name: str = ""
    plan: int | None = None

    def __repr__(self) -> str:
        return f"Node({self.name or self.digest[:12]!r})"

    @property
    def path(self) -> str:
        """Its address under `/api/`."""
        return f"nodes/{quote(self.digest, safe='')}/"

    def status(self) -> Json:
        """Its owner, the plans that use it, how it is, and what went through it."""
        answer: Json = self.http.get(self.path)
        return answer

    def peek(
        self,
        key: str,
        *,
        at: Time | None = None,
        known_at: Time | None = None,
        start: Time | None = None,
        end: Time | None = None,
    ) -> Timeline:
        """What it says of a key: all, from `start` to `end`, or `at` an instant; as it was known at `known_at`."""
        if at is not None:
            if start is not None or end is not None:
                raise ValueError("at cannot be combined with start or end")
            start, end = at, micros(at) + 1
        query = params(known_at=known_at, start=start, end=end)
        answer = self.http.get(f"{self.path}timeline/", key=key, **query)
        points, page = answer["points"], answer
        # What is published while the pages are read is in none of them.
        query = {"known_at": answer["as_of"]} | query
        while page.get("next") is not None:
            page = self.http.get(f"{self.path}timeline/", key=key, **query | {"from": page["next"]})
            points += page["points"]
        return Timeline.from_json(answer)

    def keys(self, search: str = "") -> Iterator[str]:
        """The keys that it has timelines of, those that were revised last first."""
        for row in self.http.pages(f"{self.path}keys/", search=search, limit=1000):
            yield str(row["key"])

    def why(self, key: str, at: Time) -> Json:
        """The path through the plan, what each node says of it, and the events behind it."""
        query = {"plan": self.plan, "name": self.name or None} if self.plan else {}
        answer: Json = self.http.get(f"{self.path}why/", key=key, at=micros(at), **query)
        return answer

    def revisions(self, key: str) -> Iterator[Json]:
        """When something became known of a key, the newest first."""
        return self.http.pages(f"{self.path}revisions/", key=key)

    def restart(self, reason: str = "") -> Json:
        """Start it again, with the whole restart budget; refused while plans of others use it."""
        answer: Json = self.http.post(f"{self.path}restart/", {"reason": reason})
        return answer

    def stop(self, reason: str = "") -> Json:
        """Stop the plans that use it; refused with whose they are if some are not yours."""
        answer: Json = self.http.post(f"{self.path}stop/", {"reason": reason})
        return answer


@dataclass(frozen=True)
class Nodes:
    """All nodes that you may look at."""

    http: Http

    def list(self, q: str = "") -> Iterator[Json]:
        """Those that fit a search, such as `is:failing owner:me`, with their states."""
        return self.http.pages("nodes/", q=q or None, limit=200)

    def get(self, digest: str) -> Node:
        """The node of this digest."""
        return Node(self.http, str(self.http.get(Node(self.http, digest).path)["digest"]))
