"""A desk: a folder, the contract's example in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.evaluate.desk import CIRR, EVENTS, Desk


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@pytest.fixture
def plan(desk: Desk) -> str:
    return desk.write("plan.json", CIRR)


@pytest.fixture
def events(desk: Desk) -> str:
    return desk.write("events.jsonl", EVENTS)
