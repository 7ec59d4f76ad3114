"""A webhook: posts messages as signed JSON to an address."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Annotated, ClassVar

import orjson

from timeline_app.connectors.egress.policy import Destination
from timeline_app.connectors.http.posting import HttpPoster
from timeline_app.connectors.http.source import parse_destination
from timeline_app.connectors.notifiers.contract import AlertMessage, Notifier
from timeline_app.connectors.options import Option
from timeline_app.connectors.webhook.signing import check_secret, check_url, sign_headers

TIMEOUT_S = 10.0


class WebhookNotifier(Notifier):
    """An address that accepts POST requests."""

    title: ClassVar = "Webhook"
    place: ClassVar = ("url",)

    def __init__(
        self,
        *,
        url: Annotated[str, Option("The address, http or https", check_url, address=True)],
        secret: Annotated[
            str, Option("What requests are signed with, 16 characters at least", check_secret, secret=True)
        ],
    ) -> None:
        """Connect on first use."""
        self._url, self._secret = url, secret.encode()
        self._poster: HttpPoster | None = None

    def destinations(self) -> Iterable[Destination]:
        """Return the host of the address."""
        return [parse_destination(self._url)]

    def send(self, message: AlertMessage) -> None:
        """Post a message; its id lets the receiver detect repetitions."""
        if self._poster is None:
            self._poster = HttpPoster(self._url, TIMEOUT_S, self.egress)
        document = {
            "id": message.identity, "alert": message.alert, "subject": message.subject,
            "incidents": [asdict(change) for change in message.news], "left_out": message.left_out,
        }  # fmt: skip
        body = orjson.dumps(document)
        self._poster.post(body, sign_headers(self._secret, message.identity, body))

    def close(self) -> None:
        """Close the connection."""
        if self._poster is not None:
            self._poster.close()
            self._poster = None
