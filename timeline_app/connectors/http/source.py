"""A REST API that is polled page by page, with the pauses that it asks for."""

from __future__ import annotations

import http.client
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from itertools import islice
from typing import Annotated, Any, Literal
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit, urlunsplit

from timeline_app.connectors.egress.failures import describe_failure, describe_status
from timeline_app.connectors.egress.policy import Destination
from timeline_app.connectors.http.bounded_answers import Asking, AskingSecurely, read_body
from timeline_app.connectors.http.pages import (
    Declared,
    DecodedAnswer,
    decode_document,
    decode_rows,
    describe_body,
    unpack_answer,
)
from timeline_app.connectors.masked_addresses import check_masked, check_web_address, mask_addresses
from timeline_app.connectors.options import Option
from timeline_app.connectors.raw_events import EVENTS
from timeline_app.connectors.reading import SourceUnavailable
from timeline_app.connectors.source_contract import (
    Acknowledge,
    Given,
    Restriction,
    Resume,
    SplittableSource,
    resume,
)
from timeline_app.connectors.splits.estimators import Estimator
from timeline_app.connectors.splits.readers import SpooledReader
from timeline_app.connectors.splits.tracker import Tracker
from timeline_app.events.decode import DecodeError
from timeline_app.events.validate import BadEvents

TIMEOUT_S, MAX_ANSWER_BYTES = 15.0, 32 << 20
DEFAULT_PAUSE_S, MAX_PAUSE_S = 10.0, 3_600.0
"""The pause after a throttled request where the API names none, and the longest one."""
_ADDRESSES = ("http://", "https://", "/", "?")
"""The beginnings of cursors that are addresses of pages."""
_HINTS = {
    401: "check token",
    403: "check token, and what it may read",
    404: "check url",
    405: "it is asked by GET: check url",
}
_THEIRS = "the fault is with the API: ask whoever runs it, or check what url asks for"
_GENERAL_HINT = "check url and token, and what the API expects"
_REDIRECTS = "leads elsewhere, which is not followed: give the address where it leads as the url"
_NO_PROXY = urllib.request.ProxyHandler({})
"""The environment's proxies are for the product itself."""


def _check_url(url: str) -> str | None:
    return check_masked(url) or check_web_address(url, "leave it out here and give it as the option token")


def _check_token(token: str) -> str | None:
    if token.isascii() and token.isprintable() and " " not in token:
        return None
    return (
        "has a space, the end of a line, or a letter beyond ASCII: copy it again, without what surrounds it"
    )


def _check_seconds(every: float) -> str | None:
    return None if 0.5 <= every <= 86_400 else f"must be between half a second and a day, not {every}"


_KINDS = {str: "text", int: "a number", float: "a number", bool: "true or false", list: "a list"}


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """Refuses redirects: following one would send the token elsewhere."""

    def http_error_302(self, *_: Any, **__: Any) -> None:
        """Follow no redirect."""

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302


class HttpApi(SplittableSource):
    """One restriction; positions are [page, number of its events given, cursor].

    The last page is read again until it has a next one; its first events are those already given.
    """

    title, where = "REST API, asked again and again", ("url", "events", "next", "parameter", "pages")
    schema, reader, counts, paced, decoded = EVENTS, SpooledReader, "event", "every", True
    declared: Declared = None
    """Returns the current declaration of the stream, which types the cells of a table; else they are text."""

    def __init__(
        self,
        url: Annotated[
            str, Option("The address that is asked by GET, http or https", check=_check_url, address=True)
        ],
        events: Annotated[
            str, Option("Where the answer has the events, such as data.items; empty: it is a list of them")
        ] = "",
        next: Annotated[  # noqa: A002  (as the page shows it)
            str, Option("Where it has the cursor, or the address, of the next page, such as meta.next")
        ] = "",
        parameter: Annotated[str, Option("The parameter of the address that takes the cursor")] = "cursor",
        pages: Annotated[
            Literal["grow", "anew"],
            Option("Whether a page that is asked again grows at its end, or each answer is of new events"),
        ] = "grow",
        every: Annotated[
            float, Option("How long between two questions", check=_check_seconds, unit="seconds")
        ] = 5.0,
        token: Annotated[str, Option("Sent as Authorization: Bearer", check=_check_token, secret=True)] = "",  # nosec B107
    ) -> None:
        """Nothing is requested yet."""
        self.url, self.events, self.next, self.parameter = url, events, next, parameter
        self.grows, self.every, self.token = pages == "grow", every, token
        self._size = 0  # bytes of the last answer

    def destinations(self) -> Iterable[Destination]:
        """Return the host of the address."""
        return [parse_destination(self.url)]

    def restrictions(self) -> Iterable[Restriction]:
        """Return one restriction for the API."""
        return [Restriction(self.url, [0, 0, ""])]

    def process(self, key: str, tracker: Tracker, watermark: Estimator, ack: Acknowledge) -> Given:
        """Yield the events page by page."""
        del key, watermark, ack
        page, rows_given, cursor = tracker.start
        while True:
            answer = self.fetch_answer(cursor)
            if isinstance(answer, Resume):
                return answer
            for index, text in enumerate(self._texts(answer, rows_given), rows_given + 1):
                if not tracker.try_claim([page, index, cursor]):
                    return None
                yield text, self._origin(cursor), str(index)
            following = self._following(answer, cursor)
            if following == cursor and self.grows:
                return resume(self.every)
            page, rows_given, cursor = page + 1, 0, following
            if not tracker.try_claim([page, rows_given, cursor], 0):
                return None
            if not self.grows:
                return resume(self.every)

    def sample(self, most: int) -> Iterator[tuple[str, str, str]]:
        """Yield events of the first page."""
        answer = self.fetch_answer("")
        if isinstance(answer, Resume):
            raise SourceUnavailable(f"the API asks to come again in {answer.seconds:.0f} s")
        for number, text in enumerate(islice(self._texts(answer), most), 1):
            yield text, self._origin(""), str(number)

    def fetch_answer(self, cursor: str) -> DecodedAnswer | list[str] | Resume:
        """Return the answer: a JSON document, or events, or the requested pause. Raises `SourceUnavailable`."""
        address = self._address(cursor)
        shown_address = self._shown()
        headers = {"Accept": "application/json", "User-Agent": "timelines"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        try:
            handlers = (Asking(self.egress), AskingSecurely(self.egress), NoRedirects, _NO_PROXY)
            asker = urllib.request.build_opener(*handlers)
            with asker.open(urllib.request.Request(address, headers=headers), timeout=TIMEOUT_S) as answer:  # noqa: S310
                body = read_body(answer, MAX_ANSWER_BYTES, TIMEOUT_S)
        except urllib.error.HTTPError as why:
            with why:
                return self._refused(why, shown_address)
        except http.client.InvalidURL:
            raise SourceUnavailable(
                f"{shown_address} has characters that no address may have: write them as %XX"
            ) from None
        except (OSError, http.client.HTTPException, ValueError) as why:
            words = describe_failure(why)
            raise SourceUnavailable(
                f"{shown_address} does not answer: check url, and whether it runs ({words})"
            ) from None
        if len(body) > MAX_ANSWER_BYTES:
            raise SourceUnavailable(
                f"an answer of {shown_address} is of more than {MAX_ANSWER_BYTES >> 20} MiB: ask for smaller pages"
            )
        self._size = len(body)
        return self._decode(body, shown_address)

    def _decode(self, body: bytes, address: str) -> DecodedAnswer | list[str]:
        """Return a JSON document, or the events of any other form where no option locates them."""
        try:
            body = unpack_answer(body, MAX_ANSWER_BYTES)
        except DecodeError as why:
            raise SourceUnavailable(f"an answer of {address} cannot be read: {why}") from None
        try:
            return decode_document(body)
        except ValueError:
            pass
        try:
            rows = [] if self.events or self.next else decode_rows(body, self.declared, MAX_ANSWER_BYTES)
        except (ValueError, BadEvents):  # its words would tell what the answer says
            rows = []
        if not rows:
            raise SourceUnavailable(f"an answer of {address} is no JSON: {describe_body(body)}")
        return rows

    def _refused(self, why: urllib.error.HTTPError, address: str) -> Resume:
        """Return a pause where the answer asks for one. Raises `SourceUnavailable`."""
        if why.code in (429, 503) and (why.code == 429 or "Retry-After" in why.headers):
            return resume(min(max(_pause(why.headers.get("Retry-After", "")), self.every), MAX_PAUSE_S))
        if 300 <= why.code < 400:
            raise SourceUnavailable(f"{address} {_REDIRECTS}")
        hint = _HINTS.get(why.code, _THEIRS if why.code >= 500 else _GENERAL_HINT)
        raise SourceUnavailable(f"{address} answers {describe_status(why.code)}: {hint}")

    def _shown(self) -> str:
        """Return the address for display: without query, which may hold secrets, or an answer's cursor."""
        return urlunsplit(urlsplit(self.url)._replace(query="", fragment=""))

    def _address(self, cursor: str) -> str:
        """Return the address of a page. Raises `SourceUnavailable` for another host, which must not get the token."""
        if cursor.startswith(_ADDRESSES):
            address, own_address = urlsplit(urljoin(self.url, cursor)), urlsplit(self.url)
            if (address.scheme, address.netloc) != (own_address.scheme, own_address.netloc):
                raise SourceUnavailable("the next page is at another host: it is not followed; check next")
            return urlunsplit(address)
        parts = urlsplit(self.url)
        query = [pair for pair in parse_qsl(parts.query, True) if pair[0] != self.parameter or not cursor]
        query += [(self.parameter, cursor)] if cursor else []
        return urlunsplit(parts._replace(query=urlencode(query), fragment=""))

    def _texts(self, answer: DecodedAnswer | list[str], given_count: int = 0) -> Iterator[str]:
        """Yield the events after the first `given_count` ones as JSON, or why one cannot be read."""
        if isinstance(answer, list):
            return iter(answer[given_count:])
        events = _get_at(answer.document, self.events)
        if not isinstance(events, list):
            raise SourceUnavailable(_describe_absence(self.events, answer.document, events, self._size))
        return map(answer.spell_event, events[given_count:])

    def _following(self, answer: DecodedAnswer | list[str], cursor: str) -> str:
        """Return the next page; the same one where none is named yet."""
        following = None if isinstance(answer, list) or not self.next else _get_at(answer.document, self.next)
        return cursor if following is None or following in ("", False) else str(following)

    def _origin(self, cursor: str) -> str:
        """Describe the page for everybody who may see the stream."""
        origin = mask_addresses(urljoin(self.url, cursor)) if cursor.startswith(_ADDRESSES) else cursor
        return f"the page {origin}" if cursor else "the first page"


def parse_destination(url: str) -> Destination:
    """Return host and port of a web address.

    >>> parse_destination("https://host/path"), parse_destination("http://[::1]:8080/")
    (('host', 443), ('::1', 8080))
    """
    address = urlsplit(url)
    return address.hostname or "", address.port or (443 if address.scheme == "https" else 80)


def _describe_absence(path: str, answer: Any, value: Any, size: int) -> str:
    """Say why there are no events, by the kinds of values there, and what to do; never the values."""
    where = repr(path) if path else "its top"
    has = _describe_kind(value) if value is not None else f"nothing, and at its top {_describe_kind(answer)}"
    hint = "let events say where the list is, such as data.items; empty where the answer is the list"
    return f"the answer is JSON ({size:,} bytes) and has no list at {where} but {has}: {hint}"


def _describe_kind(value: Any) -> str:
    if isinstance(value, dict):
        return f"an object with {len(value):,} field{'' if len(value) == 1 else 's'}"
    return _KINDS.get(type(value), "nothing")


def _get_at(answer: Any, path: str) -> Any:
    """Return the value at a path; None where there is none."""
    for name in path.split(".") if path else ():
        answer = answer.get(name) if isinstance(answer, dict) else None
    return answer


def _pause(text: str) -> float:
    """Return the seconds in `Retry-After`, which may be a date."""
    if text.isdecimal():
        return float(text)
    try:
        return (parsedate_to_datetime(text) - datetime.now(UTC)).total_seconds()
    except (ValueError, TypeError):
        return DEFAULT_PAUSE_S
