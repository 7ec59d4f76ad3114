"""A stream that is fed by the simulator: its events land, once, and go on after a pause with others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User

from tests.stack.feeding import count_refused, list_ids, read_source, wait_until
from timeline_app.demos import load_demos
from timeline_app.web.streams.services import create_stream
from timeline_app.web.streams.source_services import pause_source, set_source, try_source

pytestmark = [pytest.mark.stack, pytest.mark.django_db(transaction=True)]


def test_a_simulator_feeds_a_stream_and_goes_on_after_a_pause(ada: User, intake: Callable[[], None]) -> None:
    stream = create_stream(user=ada, name="made_up", document=load_demos()["card"].declaration)
    options = {"scenario": "card", "rate": 500}
    assert not [
        problem
        for tried in try_source(stream=stream, kind="simulator", options=options)
        for problem in tried["problems"]
    ]
    set_source(stream=stream, user=ada, kind="simulator", options=options)
    for _ in range(2):
        before = len(list_ids(stream))
        wait_until(lambda: len(list_ids(stream)) > before + 300, lambda: read_source(stream).words, intake)  # noqa: B023
        pause_source(stream=stream, user=ada, paused=True)
        intake()
        pause_source(stream=stream, user=ada, paused=False)
    wait_until(lambda: read_source(stream).words == "reading", lambda: read_source(stream).words, intake)
    assert count_refused(stream) == 0
    twice = [name for name, count in Counter(list_ids(stream)).items() if count > 2]
    assert twice == [], "a demo doubles some of its events, once"


def test_a_stream_that_is_declared_otherwise_says_what_it_lacks_before_it_is_set(
    ada: User, intake: Callable[[], None]
) -> None:
    stream = create_stream(user=ada, name="other", document={"key": "who", "time": "t", "unit": "ms"})
    tried = try_source(stream=stream, kind="simulator", options={"scenario": "player"})
    assert "the key 'who' is missing" in tried[0]["problems"][0]["message"]
