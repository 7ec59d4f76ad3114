"""Clients: one that retries under an idempotency key, one that sends once without, and one that writes files."""

from __future__ import annotations

import http.client
import json
import threading
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.browser.product import Api, Event
from timeline_app.demos import load_demos

SOON, LATER = 0.3, 5.0
BUSY = (429, 503, 507)
FILE_EVERY_S, KEYLESS_EVERY_S = 4.0, 6.0
MAX_QUARANTINED = 1_000
"""The rejected messages of a stream that the product keeps."""


class Client:
    """Works in its own thread until stopped."""

    over: threading.Event

    def start(self) -> None:
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def stop(self) -> None:
        """Stop after the current step: all that was sent is acknowledged, and the last file is complete."""
        self.over.set()
        self.thread.join()

    def _run(self) -> None:
        raise RuntimeError(f"{type(self).__name__} has no work")


@dataclass
class Pusher(Client):
    """Repeats a request under the same idempotency key until it is acknowledged.

    It pushes the events of the demo without end, and extra ones on request; `sent` were acknowledged, each once.
    """

    api: Api
    seed: int
    rate: int
    sent: list[Event] = field(default_factory=list)
    extra: list[Event] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    answers: dict[str, int] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)
    over: threading.Event = field(default_factory=threading.Event)

    def add(self, event: Event) -> None:
        """Push these events as well, with the next batch."""
        with self.lock:
            self.extra.append(event)

    def _run(self) -> None:
        started = time.time_ns() // 1_000_000 - 60_000
        deliveries = load_demos()["player"].deliveries(seed=self.seed, rate=self.rate, start=started)
        while not self.over.wait(1.0):
            with self.lock:
                extra, self.extra = self.extra, []
            batch = [next(deliveries).event for _ in range(self.rate)] + extra
            body = json.dumps(batch).encode()
            if self.push(body) == 202:
                self.keep(body)
            else:
                self.refused.append(body.decode()[:300])

    def push(self, body: bytes, tries: int | None = None) -> int:
        """Push until a definite response, with limited tries; return the status of the last response."""
        key = uuid.uuid4().hex
        while True:
            status, wait = self._try(body, key)
            self.answers[str(status)] = self.answers.get(str(status), 0) + 1
            tries = None if tries is None else tries - 1
            if tries == 0 or (status and status < 500 and status not in (*BUSY, 408)):
                return status
            time.sleep(wait)

    def keep(self, body: bytes) -> None:
        """Record what was acknowledged beside the stream of events."""
        with self.lock:
            self.sent.extend(json.loads(body))

    def _try(self, body: bytes, key: str) -> tuple[int, float]:
        """Try once: return the status (0: no response), and how long to wait before the next try."""
        headers = {"Authorization": f"Token {self.api.token}", "Content-Type": "application/json"}
        headers |= {"Idempotency-Key": key} if key else {}
        request = urllib.request.Request(f"{self.api.url}api/streams/player/events/", body, headers)
        try:
            with urllib.request.urlopen(request, timeout=15) as answer:
                return answer.status, 0.0
        except urllib.error.HTTPError as problem:
            after = problem.headers.get("Retry-After", "")
            return problem.code, min(float(after), LATER) if after.isdigit() else SOON
        except (OSError, http.client.HTTPException):
            return 0, SOON


@dataclass
class KeylessPusher(Pusher):
    """Sends each batch once, without an idempotency key; without a response the outcome is unknown."""

    uncertain: dict[str, list[Event]] = field(default_factory=dict)
    """By the key of their events: batches that landed once or not at all."""

    def _run(self) -> None:
        number = 0
        while not self.over.wait(KEYLESS_EVERY_S):
            number += 1
            name, now = f"keyless-{number}", time.time_ns() // 1_000_000
            states = ("play", "buffer", "play")
            batch: list[Event] = [
                {
                    "session_id": name,
                    "event_id": f"{name}-{at}",
                    "t": now + at,
                    "player_state": state,
                    "cdn": name,
                }
                for at, state in enumerate(states)
            ]
            status, _ = self._try(json.dumps(batch).encode(), "")
            self.answers[str(status)] = self.answers.get(str(status), 0) + 1
            if status == 202:
                self.sent.extend(batch)
            elif status == 0 or status >= 500:
                self.uncertain[name] = batch


@dataclass
class FileWriter(Client):
    """Writes files of JSON lines into the folder that a source reads; some of the lines are wrong."""

    folder: Path
    sent: list[Event] = field(default_factory=list)
    wrong: int = 0
    over: threading.Event = field(default_factory=threading.Event)

    def _run(self) -> None:
        number = 0
        while not self.over.wait(FILE_EVERY_S):
            number += 1
            self._write(number)

    def _write(self, number: int) -> None:
        name, now = f"file-{number}", time.time_ns() // 1_000_000
        events: list[Event] = [
            {
                "session_id": name,
                "event_id": f"{name}-{at}",
                "t": now - at,
                "player_state": state,
                "cdn": name,
            }
            for at, state in enumerate(("buffer", "play", "seek", "play"))
        ]
        lines = [json.dumps(event) for event in events]
        lines.insert(2, f'{{"session_id": "{name}", "t": "never"}}')
        staged = self.folder / f"{number:06d}.tmp"
        staged.write_text("\n".join(lines) + "\n")
        staged.rename(staged.with_suffix(".jsonl"))
        self.sent.extend(events)
        self.wrong += 1


def build_poisons() -> Sequence[bytes]:
    """Return bodies that somebody may push by mistake or for fun; each is rejected, or accepted and harmless."""
    now = time.time_ns() // 1_000_000
    good = f'"session_id": "poison", "event_id": "{uuid.uuid4().hex}", "t": {now}'
    return [
        b"[{" + b'"a":[' * 3_000 + b"]" * 3_000 + b"}]",
        b'[{"session_id": "poison", "event_id": "p", "t": NaN}]',
        b'[{"session_id": "poison", "event_id": "p", "t": 1e300}]',
        b'[{"session_id": "\\ud800", "event_id": "p", "t": %d}]' % now,
        b'[{"session_id": null, "event_id": "p", "t": %d}]' % now,
        b'[{"session_id": {"a": 1}, "event_id": [], "t": "yesterday"}]',
        b"\xff\xfe\x00[]",
        b"[" + b"{}," * 20_000 + b"{}]",
        f'[{{{good}, "player_state": "{"x" * 200_000}"}}]'.encode(),
        f'[{{{good}, "player_state": "\\u0000buffer\\u202e", "cdn": ""}}]'.encode(),
        f'[{{{good}, "player_state": "buffer", "cdn": "{"c" * 1_024}"}}]'.encode(),
        f'[{{{good}, "player_state": 1e308, "user_action": {{"deep": [1, null]}}}}]'.encode(),
    ]
