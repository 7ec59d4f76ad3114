"""Asking the server: again where that is safe, never for ever, and page after page."""

from __future__ import annotations

import random
import time
import uuid
from collections.abc import Iterator, Mapping
from typing import Any

import httpx

from timelines.errors import TimelinesError, Unreachable, refusal, wait_of

Json = dict[str, Any]
MAX_TRIES = 5
KEY = "Idempotency-Key"
MAX_WAIT_S = 30.0
UNAVAILABLE_STATUSES = (502, 503, 504)
UNSURE = "unsure"
"""Of an answer: whether an earlier try may have been heard."""
NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)


class Http:
    """One server, as one user."""

    def __init__(self, url: str, token: str, *, timeout: float = 30.0, tries: int = MAX_TRIES) -> None:
        if not url.startswith(("http://", "https://")):
            raise TimelinesError(f"{url!r} is no address; it begins with http:// or https://")
        self.url, self.token, self.tries = url.rstrip("/"), token, tries
        headers = {"Authorization": f"Token {token}"} if token else {}
        self._client = httpx.Client(base_url=f"{self.url}/api/", headers=headers, timeout=timeout)

    def close(self) -> None:
        """Leave all connections."""
        self._client.close()

    def get(self, path: str, **params: Any) -> Any:
        """What is there."""
        return self.ask("GET", path, params=params)

    def post(self, path: str, body: Any = None) -> Any:
        """Do something; under a key of this call it is done once, however often it has to be sent."""
        headers = {KEY: uuid.uuid4().hex}
        return self.ask("POST", path, json={} if body is None else body, headers=headers, again=True)

    def put(self, path: str, body: Any, *, again: bool = False) -> Any:
        """Put something into the place of what is there."""
        return self.ask("PUT", path, json=body, again=again)

    def delete(self, path: str) -> None:
        """Take something away; what is gone when it has to be asked again, that was us."""
        self.ask("DELETE", path, again=True)

    def pages(self, path: str, **params: Any) -> Iterator[Json]:
        """All entries of a list; the pages are fetched when they are come to."""
        page = self.get(path, **params)
        yield from page["results"]
        while page["next"]:
            # The server may know itself by another name than we do: only what follows the path counts.
            page = self.get(path, **dict(httpx.URL(page["next"]).params))
            yield from page["results"]

    def ask(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, Any] | None = None,
        json: Any = None,
        content: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        again: bool = False,
    ) -> Any:
        """The answer's JSON; raises `ApiError` or `Unreachable`."""
        given_params = {name: value for name, value in (params or {}).items() if value is not None}
        request = self._client.build_request(
            method, path, params=given_params, json=json, content=content, headers=dict(headers or {})
        )
        answer = self._answer(request, again=again or method == "GET")
        if answer.is_success or (
            method == "DELETE" and answer.status_code == 404 and UNSURE in answer.extensions
        ):
            return answer.json() if answer.is_success and answer.content else None
        raise refusal(answer)

    def _answer(self, request: httpx.Request, *, again: bool) -> httpx.Response:
        """Ask, and ask again: after 429 always, for then nothing was done; else only what may be sent twice."""
        unsure = False
        for turn in range(1, self.tries + 1):
            last = turn == self.tries
            try:
                answer = self._client.send(request)
            except httpx.TransportError as why:
                if last or not (again or isinstance(why, NOT_SENT)):
                    words = f"{self.url} does not answer ({type(why).__name__}: {why})"
                    raise Unreachable(f"{words}; asked {turn} times" if turn > 1 else words) from why
                wait, unsure = pause(turn), unsure or not isinstance(why, NOT_SENT)
            else:
                answer.extensions.update({UNSURE: True} if unsure else {})
                wait = wait_of(answer) or pause(turn)
                try_on = answer.status_code == 429 or (again and answer.status_code in UNAVAILABLE_STATUSES)
                if last or not try_on or wait > MAX_WAIT_S:
                    return answer
                unsure = unsure or answer.status_code in UNAVAILABLE_STATUSES
            time.sleep(wait)
        raise AssertionError("the last turn returns or raises")


def pause(turn: int, longest: float = 10.0) -> float:
    """Seconds before the next try: twice as long each time, and not the same for all who wait."""
    return min(longest, 0.2 * 2.0**turn) * random.uniform(0.5, 1.0)  # noqa: S311
