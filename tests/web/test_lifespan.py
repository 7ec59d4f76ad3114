"""What a web process does when it starts and ends."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Iterator
from typing import Any

import pytest

from timeline_app.web.ops.lifespan import serve_lifespan


@pytest.fixture
def unfrozen_objects() -> Iterator[None]:
    """What was taken out of garbage collection is given back afterwards."""
    yield
    gc.unfreeze()


@pytest.mark.usefixtures("unfrozen_objects")
@pytest.mark.django_db
def test_what_was_imported_at_the_start_is_no_garbage_to_look_through() -> None:
    known = gc.get_freeze_count()
    asyncio.run(start_and_end())
    assert gc.get_freeze_count() - known > 10_000


async def start_and_end() -> None:
    documents: list[dict[str, Any]] = []
    messages = iter(["lifespan.startup", "lifespan.shutdown"])

    async def receive() -> dict[str, Any]:
        return {"type": next(messages)}

    async def send(message: dict[str, Any]) -> None:
        documents.append(message)

    await serve_lifespan({"type": "lifespan"}, receive, send)
    assert [item["type"] for item in documents] == ["lifespan.startup.complete", "lifespan.shutdown.complete"]
