"""What tests of one's own operators need: `keeps_its_laws` holds an operator against everything that it promises.

    from timeline_app.testing import keeps_its_laws

    def test_it_keeps_its_laws() -> None:
        keeps_its_laws("longest_stretch")

See docs/own-operators.md. Nothing of the product imports this.
"""

from timeline_app.testing.kit import BrokenLaws, keeps_its_laws
from timeline_app.testing.referees import Event, Line

__all__ = ["BrokenLaws", "Event", "Line", "keeps_its_laws"]
