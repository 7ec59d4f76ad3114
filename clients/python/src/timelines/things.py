"""What has an owner: given away, shared, and what was done to it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Literal, Self

from timelines.errors import TimelinesError
from timelines.http import Http, Json

Right = Literal["read", "edit", "operate"]


class Owned(ABC):
    """Something that belongs to a person or to a team."""

    http: Http

    @property
    @abstractmethod
    def path(self) -> str:
        """Its address under `/api/`."""

    def transfer(self, *, person: str | None = None, team: str | None = None, reason: str = "") -> None:
        """Give it to a person or a team. Its owner may, or an administrator."""
        self.http.post(f"{self.path}transfer/", {**holder_of(person, team), "reason": reason})

    def audit(self, **filters: str | int) -> Iterator[Json]:
        """Who did what to it, the newest first: `actor`, `act`, `since`, `until`, `reason`, `search`."""
        return self.http.pages(f"{self.path}audit/", **{"limit": 1000, **filters})


class Shared(Owned):
    """What can be shared beside."""

    def sharing(self) -> Json:
        """Whether it is open to all, and which persons and teams may do what."""
        answer: Json = self.http.get(f"{self.path}sharing/")
        return answer

    def share(
        self, *rights: Right, person: str | None = None, team: str | None = None, reason: str = ""
    ) -> Json:
        """From now on a person or a team may do exactly this beside looking; without rights nothing any more."""
        holder = holder_of(person, team)
        now = self.sharing()
        others = [
            share
            for share in now["shares"]
            if (share["kind"], share["name"]) != (holder["kind"], holder["name"])
        ]
        own_share = [{**holder, "rights": [*rights]}] if rights else []
        return self._shared(now["open_to_all"], [*others, *own_share], reason)

    def open_to_all(self, is_open: bool, reason: str = "") -> Json:
        """Let everybody who can log in look, or only those with whom it is shared."""
        return self._shared(is_open, self.sharing()["shares"], reason)

    def _shared(self, is_open: bool, shares: list[Json], reason: str) -> Json:
        body = {"open_to_all": is_open, "shares": shares, "reason": reason}
        answer: Json = self.http.put(f"{self.path}sharing/", body, again=True)
        return answer


class Numbered(Shared):
    """What is read as a whole and saved again, and has a number."""

    def __init__(self, http: Http, document: Json) -> None:
        self.http, self._told = http, document

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
        """What it says, as it was saved last."""
        return dict(self._told["document"])

    @property
    def version(self) -> int:
        """A save is based on it."""
        return int(self._told["version"])

    def _now(self, document: Json) -> Self:
        self._told = document
        return self


def holder_of(person: str | None, team: str | None) -> Json:
    """A person or a team, as it goes over the wire.

    >>> holder_of("ada", None), holder_of(None, "Video")
    ({'kind': 'person', 'name': 'ada'}, {'kind': 'team', 'name': 'Video'})
    >>> holder_of(None, None)
    Traceback (most recent call last):
    timelines.errors.TimelinesError: Give either a person or a team.
    """
    if (person is None) == (team is None):
        raise TimelinesError("Give either a person or a team.")
    return {"kind": "team", "name": team} if person is None else {"kind": "person", "name": person}
