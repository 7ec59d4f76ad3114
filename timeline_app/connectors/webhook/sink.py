"""A webhook: rows are posted as signed JSON to an address, until it answers that it has them."""

from __future__ import annotations

import hmac
import http.client
import ssl
import time
import uuid
from base64 import b64encode
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Annotated, Any, ClassVar
from urllib.parse import urlsplit

import orjson
import pyarrow as pa

from timeline_app.connectors.egress.failures import describe_failure, describe_status
from timeline_app.connectors.egress.policy import Destination
from timeline_app.connectors.http.bounded_answers import HttpConnection, SecureConnection, read_body
from timeline_app.connectors.http.source import parse_destination
from timeline_app.connectors.masked_addresses import check_masked, check_web_address
from timeline_app.connectors.options import Option
from timeline_app.connectors.sink_contract import Delivery, IdempotentSink, Once, TargetUnavailable

LONGEST_ANSWER = 65_536
LONGEST_WAIT = 3_600.0
"""Whoever asks for more patience is asked again after so many seconds."""


def check_url(text: str) -> str | None:
    """What is wrong with an address, and what to do; in words that do not repeat it, since it may hold a token."""
    if wrong := check_masked(text):
        return wrong
    wrong = check_web_address(text, "let the receiver check the signature instead")
    return (
        "is no address of the web; write one such as https://host/path" if wrong and "'" in wrong else wrong
    )


def check_secret(text: str) -> str | None:
    """What is wrong with a secret."""
    return None if len(text) >= 16 else "must have at least 16 characters"


def _check_seconds(value: float) -> str | None:
    return None if 1 <= value <= 120 else "must be from 1 to 120"


def _check_rows(value: int) -> str | None:
    return None if 1 <= value <= 10_000 else "must be from 1 to 10000"


class Webhook(IdempotentSink):
    """An address that takes POST requests."""

    title: ClassVar = "Webhook"
    once: ClassVar = Once.AT_LEAST
    place: ClassVar = ("url",)

    def __init__(
        self,
        *,
        url: Annotated[str, Option("The address, http or https", check_url, address=True)],
        secret: Annotated[
            str, Option("What requests are signed with, 16 characters at least", check_secret, secret=True)
        ],
        most: Annotated[int, Option("How much a request holds at most", _check_rows, unit="rows")] = 500,
        timeout: Annotated[
            float, Option("How long an answer may take", _check_seconds, unit="seconds")
        ] = 10.0,
    ) -> None:
        """Nothing is connected yet."""
        self._url, self._secret, self._most, self._timeout = url, secret.encode(), most, timeout
        self._delivery: Delivery | None = None
        self._staged: dict[int, list[tuple[str, bytes]]] = {}
        self._connection: http.client.HTTPConnection | None = None

    def destinations(self) -> Iterable[Destination]:
        """The host of the address."""
        return [parse_destination(self._url)]

    def check(self, delivery: Delivery) -> None:
        """A request without rows is answered well."""
        identity = f"check-{uuid.uuid4().hex}"
        self._post(identity, orjson.dumps({"id": identity, "node": delivery.node, "rows": []}))
        self.close()

    def open(self, delivery: Delivery) -> None:
        """There is nothing to be made."""
        self._delivery = delivery

    def stage(self, batch: int, rows: pa.Table) -> None:
        """The requests, as they are to be sent."""
        assert self._delivery is not None, "open comes first"
        parts = -(-len(rows) // self._most)
        self._staged[batch] = [
            self._request(self._delivery, batch, part, parts, rows.slice(part * self._most, self._most))
            for part in range(parts)
        ]

    def publish(self, batch: int) -> None:
        """One request after the other; after an error all of them come again, with the same ids."""
        for identity, body in self._staged.get(batch, []):
            self._post(identity, body)
        self._staged.pop(batch, None)

    def abort(self, batch: int) -> None:
        """They were only here."""
        self._staged.pop(batch, None)

    def close(self) -> None:
        """Hang up."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _request(
        self, delivery: Delivery, batch: int, part: int, parts: int, rows: pa.Table
    ) -> tuple[str, bytes]:
        identity = f"{delivery.identity}-{batch}-{part}"
        document: dict[str, Any] = {
            "id": identity,
            "node": delivery.node,
            "batch": batch,
            "part": part,
            "parts": parts,
        }
        return identity, orjson.dumps(document | {"rows": rows.to_pylist()}, option=orjson.OPT_UTC_Z)

    def _post(self, identity: str, body: bytes) -> None:
        """Send a request; raises `TargetUnavailable` unless it is answered well."""
        parts = urlsplit(self._url)
        path = f"{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}"
        with self._trouble():
            answer = self._answer(path, body, self._headers(identity, body))
            if len(read_body(answer, LONGEST_ANSWER, self._timeout)) > LONGEST_ANSWER:
                self.close()
        if not 200 <= answer.status < 300:
            self.close()
            wait = _wait(answer.headers.get("Retry-After"))
            where = (
                "; it is not followed, write the address where it leads" if 300 <= answer.status < 400 else ""
            )
            raise TargetUnavailable(f"{parts.hostname} answers {describe_status(answer.status)}{where}", wait)

    def _answer(self, path: str, body: bytes, headers: dict[str, str]) -> http.client.HTTPResponse:
        """Of a connection that was kept, or of a new one: receivers hang up when nothing comes for some seconds."""
        if self._connection is not None:
            try:
                if self._connection.sock is not None:
                    self._connection.sock.settimeout(self._timeout)  # the last answer has used some of it
                self._connection.request("POST", path, body, headers)
                return self._connection.getresponse()
            except ConnectionError:
                self.close()
        self._connection = self._connect()
        self._connection.request("POST", path, body, headers)
        return self._connection.getresponse()

    def _headers(self, identity: str, body: bytes) -> dict[str, str]:
        now = str(int(time.time()))
        signed = hmac.digest(self._secret, f"{identity}.{now}.".encode() + body, "sha256")
        return {
            "Content-Type": "application/json", "User-Agent": "timelines", "Webhook-Id": identity,
            "Webhook-Timestamp": now, "Webhook-Signature": f"v1,{b64encode(signed).decode()}",
        }  # fmt: skip

    def _connect(self) -> http.client.HTTPConnection:
        # Without a port http.client would look for one in the address: `::1` is then port 1 of `:`.
        host, port = parse_destination(self._url)
        if urlsplit(self._url).scheme == "https":
            tls = ssl.create_default_context()
            return SecureConnection(host, port, timeout=self._timeout, context=tls, egress=self.egress)
        return HttpConnection(host, port, timeout=self._timeout, egress=self.egress)

    @contextmanager
    def _trouble(self) -> Iterator[None]:
        """What keeps an answer from coming, in words."""
        where = urlsplit(self._url).netloc
        try:
            yield
        except ssl.SSLCertVerificationError as why:
            self.close()
            raise TargetUnavailable(
                f"the certificate of {where} is not trusted: {why.verify_message}"
            ) from why
        except TimeoutError as why:
            self.close()
            raise TargetUnavailable(f"{where} has not answered for {self._timeout:g} s") from why
        except (OSError, http.client.HTTPException) as why:
            self.close()
            raise TargetUnavailable(f"{where} cannot be reached: {describe_failure(why)}") from why


def _wait(text: str | None) -> float | None:
    """How many seconds `Retry-After` asks for."""
    if not text:
        return None
    try:
        seconds = (
            float(text) if text.strip().isdecimal() else _compute_seconds_until(parsedate_to_datetime(text))
        )
    except ValueError:
        return None
    return min(max(seconds, 0.0), LONGEST_WAIT)


def _compute_seconds_until(moment: datetime) -> float:
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return (moment - datetime.now(UTC)).total_seconds()
