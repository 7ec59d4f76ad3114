"""Does a sink keep its promises? Every case runs in a moment; what is broken is told by its name.

class Mine(World): ...

@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_sink_keeps_its_promises(case: Case) -> None:
    case.run(Mine)
"""

from timeline_app.connectors.sink_kit.cases import CASES, Case
from timeline_app.connectors.sink_kit.world import World

__all__ = ["CASES", "Case", "World"]
