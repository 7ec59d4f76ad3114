"""The kit lets pass what keeps its promises."""

from __future__ import annotations

import pytest

from tests.connectors.brokers import Journalled, Planned, Spooled, build_harness
from timeline_app.connectors.source_kit import CASES, SourceCase


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("kind", [Journalled, Planned, Spooled])
def test_a_source_that_keeps_its_promises_passes(case: SourceCase, kind: type[Journalled]) -> None:
    case.run(build_harness(kind))
