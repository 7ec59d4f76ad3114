"""A webhook: posts rows as signed JSON to an address, until it confirms them."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from typing import Annotated, Any, ClassVar

import orjson
import pyarrow as pa

from timeline_app.connectors.egress.policy import Destination
from timeline_app.connectors.http.posting import HttpPoster
from timeline_app.connectors.http.source import parse_destination
from timeline_app.connectors.options import Option
from timeline_app.connectors.sink_contract import Delivery, IdempotentSink, Once
from timeline_app.connectors.webhook.signing import check_secret, check_url, sign_headers


def _check_seconds(value: float) -> str | None:
    return None if 1 <= value <= 120 else "must be from 1 to 120"


def _check_rows(value: int) -> str | None:
    return None if 1 <= value <= 10_000 else "must be from 1 to 10000"


class Webhook(IdempotentSink):
    """An address that accepts POST requests."""

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
        """Connect on first use."""
        self._url, self._secret, self._most, self._timeout = url, secret.encode(), most, timeout
        self._delivery: Delivery | None = None
        self._staged: dict[int, list[tuple[str, bytes]]] = {}
        self._poster: HttpPoster | None = None

    def destinations(self) -> Iterable[Destination]:
        """Return the host of the address."""
        return [parse_destination(self._url)]

    def check(self, delivery: Delivery) -> None:
        """Check that a request without rows succeeds."""
        identity = f"check-{uuid.uuid4().hex}"
        self._post(identity, orjson.dumps({"id": identity, "node": delivery.node, "rows": []}))
        self.close()

    def open(self, delivery: Delivery) -> None:
        """Do nothing: there is nothing to create."""
        self._delivery = delivery

    def stage(self, batch: int, rows: pa.Table) -> None:
        """Prepare the requests."""
        assert self._delivery is not None, "open comes first"
        parts = -(-len(rows) // self._most)
        self._staged[batch] = [
            self._request(self._delivery, batch, part, parts, rows.slice(part * self._most, self._most))
            for part in range(parts)
        ]

    def publish(self, batch: int) -> None:
        """Send the requests in order; after an error all are repeated with the same ids."""
        for identity, body in self._staged.get(batch, []):
            self._post(identity, body)
        self._staged.pop(batch, None)

    def abort(self, batch: int) -> None:
        """Forget the requests, which were only in memory."""
        self._staged.pop(batch, None)

    def close(self) -> None:
        """Close the connection."""
        if self._poster is not None:
            self._poster.close()
            self._poster = None

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
        """Send a request. Raises `TargetUnavailable` unless it succeeds."""
        if self._poster is None:
            self._poster = HttpPoster(self._url, self._timeout, self.egress)
        self._poster.post(body, sign_headers(self._secret, identity, body))
