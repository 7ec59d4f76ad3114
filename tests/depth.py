"""How many random examples a law is held against: few at each commit, twenty times as many in `make test-long`."""

from __future__ import annotations

import os

from hypothesis import settings

DEEPER = 20


def examples(count: int) -> settings:
    """So many at each commit."""
    return settings(max_examples=count * (DEEPER if os.environ.get("LONG") else 1))
