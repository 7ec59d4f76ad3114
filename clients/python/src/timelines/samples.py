"""Samples: events that are kept, to try plans on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from timelines.http import Http, Json
from timelines.things import Owned


@dataclass(frozen=True)
class Sample(Owned):
    """Events of one or several streams."""

    http: Http
    id: int
    name: str = ""

    def __repr__(self) -> str:
        return f"Sample({self.id}, {self.name!r})"

    @property
    def path(self) -> str:
        """Its address under `/api/`."""
        return f"samples/{self.id}/"

    def status(self) -> Json:
        """Its owner, its streams, and whether it waits for events."""
        answer: Json = self.http.get(self.path)
        return answer

    def events(self) -> dict[str, list[Json]]:
        """By stream, as they could be pushed again."""
        return dict(self.http.get(f"{self.path}events/")["events"])

    def delete(self) -> None:
        """Forget it, unless tests are made with it."""
        self.http.delete(self.path)


@dataclass(frozen=True)
class Samples:
    """All samples that you may look at."""

    http: Http

    def list(self) -> Iterator[Json]:
        """The newest first."""
        return self.http.pages("samples/", limit=200)

    def keep(self, name: str, events: Mapping[str, Iterable[Mapping[str, Any]]]) -> Sample:
        """Keep these events, by stream. The same by the same name are kept once."""
        sent = {stream: [dict(event) for event in stream_events] for stream, stream_events in events.items()}
        return self._made({"name": name, "events": sent})

    def record(self, name: str, *streams: str, last: int, keys: Iterable[str] = ()) -> Sample:
        """Keep the last events of some streams (of these keys)."""
        return self._made({"name": name, "streams": [*streams], "last": last, "keys": [*keys]})

    def _made(self, body: Json) -> Sample:
        document = self.http.post("samples/", body)
        return Sample(self.http, int(document["id"]), str(document["name"]))
