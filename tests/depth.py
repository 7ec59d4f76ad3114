"""How many random examples a law is held against: few at each commit, twenty times as many in `make test-long`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

from hypothesis import settings

DEEPER = 20
SHARE = 4
Item = TypeVar("Item")


def examples(count: int) -> settings:
    """So many at each commit."""
    return settings(max_examples=count * (DEEPER if os.environ.get("LONG") else 1))


def select_share(items: Sequence[Item]) -> Sequence[Item]:
    """One in `SHARE` of some slow cases at each commit, all of them in `make test-long`."""
    return items if os.environ.get("LONG") else items[::SHARE]
