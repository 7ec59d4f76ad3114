"""Pushing batches of events over the REST door, again and again until they are taken, once."""

from __future__ import annotations

import json
import logging
import threading
import urllib.error
import urllib.request
import uuid
from collections.abc import Callable
from dataclasses import dataclass

from timeline_app.simulation.actors import Event

NOT_FOUND = 404


class StreamGone(Exception):
    """There is no such stream (any more)."""


log = logging.getLogger(__name__)
MIN_WAIT_S, MAX_WAIT_S = 0.5, 15.0


@dataclass
class Door:
    """The ingestion endpoint of one stream. `token` is called at each try: it may appear, or change."""

    url: str
    stream: str
    token: Callable[[], str]
    stop: threading.Event

    def push(self, events: list[Event]) -> bool:
        """Send a batch until it is accepted. Raises `StreamGone`.

        Returns False when told to stop. The key of the batch makes repeats harmless.
        """
        body, key = "\n".join(json.dumps(event) for event in events).encode(), uuid.uuid4().hex
        wait = MIN_WAIT_S
        while not self.stop.is_set():
            try:
                self.send(body, key)
                return True
            except (urllib.error.URLError, OSError, ValueError) as why:
                if isinstance(why, urllib.error.HTTPError) and why.code == NOT_FOUND:
                    raise StreamGone(self.stream) from why
                pause = max(wait, read_retry_after(why))
                log.warning(
                    "%s events not taken, again in %.1f s: %s", len(events), pause, explain_error(why)
                )
            self.stop.wait(pause)
            wait = min(wait * 2, MAX_WAIT_S)
        return False

    def send(self, body: bytes, key: str) -> None:
        """One try."""
        headers = {
            "Authorization": f"Token {self.token()}",
            "Content-Type": "application/x-ndjson",
            "Idempotency-Key": key,
        }
        address = f"{self.url.rstrip('/')}/api/streams/{self.stream}/events/"
        request = urllib.request.Request(address, data=body, headers=headers)  # noqa: S310
        with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310  # nosec B310
            answer.read()


def read_retry_after(why: Exception) -> float:
    """For how many seconds the server asks to wait: 0 where it does not say."""
    seconds = why.headers.get("Retry-After", "") if isinstance(why, urllib.error.HTTPError) else ""
    return min(float(seconds), MAX_WAIT_S) if seconds.isdigit() else 0.0


def explain_error(why: Exception) -> str:
    """Return what went wrong, with the server's words where there are any."""
    if isinstance(why, urllib.error.HTTPError):
        return f"{why.code} {why.read(500).decode(errors='replace')}"
    return str(why)
