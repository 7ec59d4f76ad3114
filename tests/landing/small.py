"""State machines with hardly any room, and a folder of their own for what was written lately."""

from __future__ import annotations

from tempfile import TemporaryDirectory
from types import ModuleType

import pytest
from hypothesis.stateful import RuleBasedStateMachine


class Small(RuleBasedStateMachine):
    """Gives all of it back in the end."""

    def __init__(self, bounds: dict[ModuleType, dict[str, int]]) -> None:
        """`bounds`: of each module, what its constants are meanwhile."""
        super().__init__()
        self.patch = pytest.MonkeyPatch()
        for module, values in bounds.items():
            for name, value in values.items():
                self.patch.setattr(module, name, value)
        self.folder = TemporaryDirectory()
        self.patch.setenv("SPARK_LOCAL_DIRS", self.folder.name)

    def teardown(self) -> None:
        """As it was."""
        self.patch.undo()
        self.folder.cleanup()
