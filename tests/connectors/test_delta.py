"""Delta tables keep what the contract says."""

from __future__ import annotations

import pytest
from deltalake import DeltaTable

from tests.connectors.worlds import OfDelta
from timeline_app.connectors.sink_kit import CASES, SinkCase
from timeline_app.connectors.sink_kit.cases import deliver_batches, open_sink


@pytest.mark.parametrize("case", CASES, ids=str)
def test_it_keeps_its_promises(case: SinkCase) -> None:
    case.run(OfDelta)


def test_a_batch_is_one_commit_under_its_number() -> None:
    world = OfDelta()
    deliver_batches(open_sink(world), range(3))
    table = DeltaTable(str(world.folder))
    assert table.version() == 3
    assert table.transaction_version("first") == 2
    world.close()
