"""What this process wrote into states lately, by stamps that the states hold: who finds one need not ask Spark."""

from __future__ import annotations

import uuid
from collections import OrderedDict

MOST = 32 << 20
"""So many bytes are kept at hand."""
_known: OrderedDict[str, bytes] = OrderedDict()


def keep(blob: bytes) -> str:
    """Keep a value at hand; the stamp by which it is found again, which no other value ever has."""
    stamp = uuid.uuid4().hex
    _known[stamp] = blob
    total = sum(map(len, _known.values()))
    while total > MOST:
        total -= len(_known.popitem(last=False)[1])
    return stamp


def known(stamp: str | None) -> bytes | None:
    """The value of a stamp, if it is still at hand."""
    if stamp is None or stamp not in _known:
        return None
    _known.move_to_end(stamp)
    return _known[stamp]
