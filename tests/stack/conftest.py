"""The intake in this process, for streams whose events land in a folder of the test's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.db import connections
from pytest_django import Settings

from tests.stack.feeding import TIMEOUT_S
from timeline_app.web.streams import arrival_measures
from timeline_app.web.streams.ingest import get_door
from workers.connectors.intake import reconcile
from workers.connectors.runner import RunningThreads


@pytest.fixture
def ada(transactional_db: None, settings: Settings, tmp_path: Path) -> Iterator[User]:
    """Somebody whose streams land in a folder of the test's own; whatever was started ends with the test."""
    settings.TIMELINE_DATA = settings.TIMELINE_LOCAL = tmp_path
    settings.LANDING = tmp_path / "landing"
    settings.DISK_RESERVE_BYTES = 0
    get_door.cache_clear()
    arrival_measures.clear_cache()
    yield User.objects.create_superuser("ada")
    get_door.cache_clear()


@pytest.fixture
def intake(ada: User) -> Iterator[Callable[[], None]]:
    """One round of the intake: every source is read that is wanted."""
    carriers: RunningThreads = {}
    with ExitStack() as after:

        def end() -> None:
            for carrier in carriers.values():
                carrier.halt()
            for carrier in carriers.values():
                carrier.join(TIMEOUT_S)
            connections.close_all()

        after.callback(end)
        yield lambda: reconcile(carriers)
