"""One server, as one user."""

from __future__ import annotations

import os
from collections.abc import Iterator

from timelines.alerts import Alerts
from timelines.boards import Dashboards
from timelines.errors import TimelinesError
from timelines.http import MAX_TRIES, Http, Json
from timelines.live import Followed, Live, Patience
from timelines.nodes import Node, Nodes
from timelines.plans import Plan, Plans
from timelines.samples import Samples
from timelines.streams import Stream, Streams


class Client:
    """`Client("http://127.0.0.1:8000", token="…")`; both else from `TIMELINES_URL` and `TIMELINES_TOKEN`."""

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        *,
        timeout: float = 30.0,
        tries: int = MAX_TRIES,
    ) -> None:
        url = url or os.environ.get("TIMELINES_URL")
        token = token or os.environ.get("TIMELINES_TOKEN")
        if not url or not token:
            missing = "an address (url=, TIMELINES_URL)" if not url else "a token (token=, TIMELINES_TOKEN)"
            raise TimelinesError(f"There is not {missing}. Tokens are made on the page of your tokens.")
        self.http = Http(url, token, timeout=timeout, tries=tries)
        self.streams, self.plans, self.nodes = Streams(self.http), Plans(self.http), Nodes(self.http)
        self.dashboards, self.samples = Dashboards(self.http), Samples(self.http)
        self.alerts = Alerts(self.http)

    def __repr__(self) -> str:
        return f"Client({self.http.url!r})"

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Leave all connections."""
        self.http.close()

    def me(self) -> Json:
        """Who you are here: name, role, teams."""
        answer: Json = self.http.get("me/")
        return answer

    def plan(self, which: int | str) -> Plan:
        """A plan by number or name."""
        return self.plans.get(which)

    def stream(self, name: str) -> Stream:
        """A stream by name."""
        return self.streams.get(name)

    def node(
        self, digest: str | None = None, *, plan: int | str | None = None, name: str | None = None
    ) -> Node:
        """A node by its digest, or by its name in a plan that runs."""
        if digest is not None and plan is None and name is None:
            return self.nodes.get(digest)
        if digest is not None or plan is None or name is None:
            raise TimelinesError("Give a digest, or a plan and the name of a node in it.")
        return self.plan(plan).node(name)

    def search(self, q: str, *, kind: str | None = None, limit: int = 8) -> list[Json]:
        """Plans, nodes, streams and dashboards: `owner:me is:failing`, `op:duration_where`, `uses:player`."""
        return list(self.http.get("search/", q=q, kind=kind, limit=limit)["results"])

    def live(self, *what: tuple[Node, str], progress: bool = False, patience: float | None = None) -> Live:
        """Follow timelines: pairs of a node and a key. With `progress` also how far nodes have come is told.

        Where no update comes for `patience` seconds it ends with `Silent`; else it waits for ever.
        """
        if not what:
            raise TimelinesError("Give at least one pair of a node and a key to follow.")
        if patience is not None and not patience > 0:
            raise TimelinesError("Give more than 0 seconds of patience, or none to wait for ever.")
        return Live(self.http, [Followed(node, key) for node, key in what], progress, Patience(patience))

    def people(self, search: str = "") -> Iterator[Json]:
        """Persons by name; of others than oneself, administrators see more."""
        return self.http.pages("people/", search=search or None, limit=200)

    def teams(self, search: str = "") -> Iterator[Json]:
        """Teams by name, with their members."""
        return self.http.pages("teams/", search=search or None, limit=200)

    def audit(self, **filters: str | int) -> Iterator[Json]:
        """Who did what, the newest first."""
        return self.http.pages("audit/", **filters)
