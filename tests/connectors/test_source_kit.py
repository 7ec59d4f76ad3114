"""The kit lets pass what keeps its promises."""

from __future__ import annotations

import pytest

from tests.connectors.brokers import Journalled, Planned, Spooled, world_of
from timeline_app.connectors.source_kit import CASES, Case


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("kind", [Journalled, Planned, Spooled])
def test_a_source_that_keeps_its_promises_passes(case: Case, kind: type[Journalled]) -> None:
    case.run(world_of(kind))
