"""Checks whether a sink keeps its promises. Every case runs in a moment and reports a broken promise by name.

class Mine(SinkHarness): ...

@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_sink_keeps_its_promises(case: Case) -> None:
    case.run(Mine)
"""

from timeline_app.connectors.sink_kit.cases import CASES, SinkCase
from timeline_app.connectors.sink_kit.world import SinkHarness

__all__ = ["CASES", "SinkCase", "SinkHarness"]
