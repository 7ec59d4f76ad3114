"""Checks whether a source keeps its promises. Every case runs without Spark and reports a broken promise by name.

class Mine(SourceHarness): ...

@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_source_keeps_its_promises(case: Case) -> None:
    case.run(Mine)
"""

from timeline_app.connectors.source_kit.cases import CASES, SourceCase
from timeline_app.connectors.source_kit.world import SourceHarness

__all__ = ["CASES", "SourceCase", "SourceHarness"]
