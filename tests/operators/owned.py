"""Operators of one's own, there for as long as a test needs them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from timeline_app.operators import all_operators, operators
from timeline_app.operators.own import PACKAGE, VARIABLE

LASTED = '''"""How long it has been so, in another unit."""

from timeline_app.algebra.logic import negate
from timeline_app.operators.base import operator
from timeline_app.operators.examples import Example
from timeline_app.operators.ports import Bool
from timeline_app.operators.reasons import Question, Reason


def _why(question: Question) -> Reason:
    of = question.look_at_input()
    return Reason(f"{question.head} because {question.tell(of)}", (of,), ends=question.ends("ends with that"))


_EXAMPLE = Example(
    """
    on = latest_event_to_state(player.on)
    off = upside_down(on)
    """,
    "1 on=true; 3 on=false",
)


@operator("Upside down", category="timelines", example=_EXAMPLE, why=_why)
def upside_down(of: Bool) -> Bool:
    """The contrary of what it reads."""
    return negate(of)
'''
"""A file with one operator, `upside_down`."""


def write(folder: Path, **files: str) -> Path:
    """A folder with files of Python, by the names of their modules."""
    folder.mkdir(exist_ok=True, parents=True)
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    return folder


@contextmanager
def use_own_folders(*folders: Path) -> Iterator[None]:
    """As if the product had been started with these folders."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, os.pathsep.join(str(folder) for folder in folders))
        patch.setattr(sys, "dont_write_bytecode", True)
        _clear_operators()
        try:
            yield
        finally:
            _clear_operators()


def _clear_operators() -> None:
    operators.cache_clear()
    all_operators.cache_clear()
    for name in [name for name in sys.modules if name.partition(".")[0] == PACKAGE]:
        del sys.modules[name]
