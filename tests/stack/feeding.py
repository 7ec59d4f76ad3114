"""Streams that are fed: what landed of them, and what is said of their sources."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User

from tests.stack.declared import DECLARED
from timeline_app.web.models import Stream
from timeline_app.web.models.sources import StreamSource
from timeline_app.web.streams import measure_writer
from timeline_app.web.streams.ingest import get_landing
from timeline_app.web.streams.services import create_stream
from timeline_app.web.streams.source_services import set_source

TIMEOUT_S = 180.0


def create_fed_stream(ada: User, name: str, kind: str, **options: Any) -> Stream:
    """A stream that is fed from there."""
    stream = create_stream(user=ada, name=name, document=DECLARED)
    set_source(stream=stream, user=ada, kind=kind, options=options)
    return stream


def list_ids(stream: Stream) -> list[str]:
    """Of all events that landed."""
    landing = get_landing(stream.name)
    return [str(item) for item in landing.rows(0, landing.end(), ("id",))["id"].to_pylist()]


def wait_until(
    is_true: Callable[[], bool], words: Callable[[], object], round_of: Callable[[], None]
) -> None:
    """Wait for something while the intake goes on."""
    end = time.monotonic() + TIMEOUT_S
    while not is_true():
        round_of()
        if time.monotonic() > end:
            pytest.fail(f"it did not happen: {words()}")
        time.sleep(0.05)


def kill_twice(
    stream: Stream,
    round_of: Callable[[], None],
    send: Callable[[int], None],
    kill: Callable[[], None],
    start: Callable[[], None],
    name: str,
) -> int:
    """Kill the upstream `name` twice under load; its name stands in the status each time.

    Return the number of events sent.
    """
    sent, stop = [0], threading.Event()

    def load() -> None:
        while not stop.is_set():
            send(sent[0])
            sent[0] += 1

    loading = threading.Thread(target=load)
    loading.start()
    try:
        for _ in range(2):
            before = len(list_ids(stream))
            wait_until(lambda: len(list_ids(stream)) > before, lambda: read_source(stream).words, round_of)  # noqa: B023
            kill()
            wait_until(
                lambda: read_source(stream).observed == "retrying",
                lambda: read_source(stream).words,
                round_of,
            )
            assert name in read_source(stream).words
            start()
    finally:
        stop.set()
        loading.join()
    return sent[0]


def wait_until_landed(stream: Stream, count: int, round_of: Callable[[], None]) -> list[str]:
    """The ids, once there are so many."""
    wait_until(
        lambda: len(list_ids(stream)) >= count,
        lambda: f"{len(list_ids(stream))} of {count}, {read_source(stream).words}",
        round_of,
    )
    return sorted(list_ids(stream))


def read_source(stream: Stream) -> StreamSource:
    """What is said of the source."""
    return StreamSource.objects.get(pk=stream.pk)


def build_wanted(count: int) -> list[str]:
    return sorted(f"e{number}" for number in range(count))


def count_refused(stream: Stream) -> int:
    measure_writer.write_measures()
    stream.refresh_from_db()
    return stream.refused
