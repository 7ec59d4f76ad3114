"""Does a source keep its promises? Every case runs in a moment, without Spark; what is broken is told by its name.

class Mine(SourceHarness): ...

@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_source_keeps_its_promises(case: Case) -> None:
    case.run(Mine)
"""

from timeline_app.connectors.source_kit.cases import CASES, SourceCase
from timeline_app.connectors.source_kit.world import SourceHarness

__all__ = ["CASES", "SourceCase", "SourceHarness"]
