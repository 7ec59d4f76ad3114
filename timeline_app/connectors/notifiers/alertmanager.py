"""Alertmanager: sends incidents as alerts by its API v2. It groups, routes, silences and repeats them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, ClassVar
from urllib.parse import urlsplit

import orjson

from timeline_app.connectors.egress.policy import Destination
from timeline_app.connectors.http.posting import HttpPoster
from timeline_app.connectors.http.source import parse_destination
from timeline_app.connectors.notifiers.contract import AlertMessage, IncidentNews, Notifier
from timeline_app.connectors.options import Option
from timeline_app.connectors.webhook.signing import check_url

TIMEOUT_S = 10.0
OPEN_INCIDENT_DURATION = timedelta(days=3650)
"""The end sent for an open incident: without one Alertmanager would resolve the alert itself."""
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def _check_base(text: str) -> str | None:
    if problem := check_url(text):
        return problem
    return "is more than an address; leave out what follows the ?" if urlsplit(text).query else None


class AlertmanagerNotifier(Notifier):
    """A Prometheus Alertmanager."""

    title: ClassVar = "Alertmanager"
    place: ClassVar = ("url",)

    def __init__(
        self,
        *,
        url: Annotated[
            str, Option("Its address, such as http://alertmanager:9093", _check_base, address=True)
        ],
    ) -> None:
        """Connect on first use."""
        self._url = f"{url.rstrip('/')}/api/v2/alerts"
        self._poster: HttpPoster | None = None

    def destinations(self) -> Iterable[Destination]:
        """Return the host of the address."""
        return [parse_destination(self._url)]

    def send(self, message: AlertMessage) -> None:
        """Post the incidents. Equal labels identify one alert, so repeated posts change nothing."""
        if self._poster is None:
            self._poster = HttpPoster(self._url, TIMEOUT_S, self.egress)
        now = datetime.now(UTC)
        body = orjson.dumps([_alert_of(message, change, now) for change in message.news])
        self._poster.post(body, {"Content-Type": "application/json", "User-Agent": "timelines"})

    def close(self) -> None:
        """Close the connection."""
        if self._poster is not None:
            self._poster.close()
            self._poster = None


def _alert_of(message: AlertMessage, news: IncidentNews, now: datetime) -> dict[str, Any]:
    alert = message.alert
    labels = {_label_name(name): text for name, text in alert["labels"].items()} | {
        "alertname": alert["name"], "severity": alert["severity"], "key": news.key, "incident": str(news.number),
    }  # fmt: skip
    ended = news.state in ("resolved", "retracted") and news.change != "flapping"
    start = now if news.start is None else min(_moment(news.start), now)
    # An end in the future would keep the alert active until then.
    until = min(_moment(news.end), now) if news.end is not None else now
    return {
        "labels": {name: text for name, text in labels.items() if text},
        "annotations": {"summary": news.text, "state": news.state} | _runbook(alert),
        "startsAt": start.isoformat(),
        "endsAt": (max(until, start) if ended else now + OPEN_INCIDENT_DURATION).isoformat(),
    }


def _runbook(alert: dict[str, Any]) -> dict[str, str]:
    return {"runbook_url": alert["runbook"]} if alert["runbook"] else {}


def _label_name(text: str) -> str:
    """Return a valid Prometheus label name: letters, digits and underscores, no digit first."""
    name = "".join(char if char.isascii() and char.isalnum() else "_" for char in text)
    return f"_{name}" if name[:1].isdigit() else name


def _moment(micros: int) -> datetime:
    return EPOCH + timedelta(microseconds=micros)
