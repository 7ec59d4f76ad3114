"""The limits of each thing for one owner, and for the installation. `TIMELINE_QUOTAS` changes them."""

from __future__ import annotations

import re

MIB = 2**20
DEFAULT_QUOTAS = {
    "plans": 500,
    "document_bytes": 128 * MIB,
    "streams": 200,
    "sources": 50,
    "sinks": 100,
    "dashboards": 200,
    "alerts": 200,
    "channels": 50,
    "silences": 200,
    "samples": 500,
    "sample_bytes": 128 * MIB,
    "tokens": 100,
    "running_nodes": 1_000,
    "running_queries": 100,
    "all_queries": 200,
    "sockets": 20,
    "subscriptions": 1_000,
    "rankings": 40,
    "answer_bytes": 64 * MIB,
}
"""Of a person or a team; `all_queries` of the installation, `tokens` to `rankings` below it of a person."""


def parse_quotas(text: str) -> dict[str, int]:
    """All quotas, with those in the text in place of the defaults; bytes are given in MiB.

    >>> parse_quotas("plans=5, document_bytes=2")["document_bytes"]
    2097152
    """
    quotas = dict(DEFAULT_QUOTAS)
    for item in filter(None, (item.strip() for item in text.split(","))):
        name, _, number = (item.strip() for item in item.partition("="))
        if name not in quotas:
            raise ValueError(f"there is no quota {name!r}; there are {', '.join(quotas)}")
        if not re.fullmatch(r"[0-9]{1,9}", number):
            raise ValueError(f"the quota {name} must be a whole number, such as {name}=50")
        quotas[name] = int(number) * (MIB if name.endswith("_bytes") else 1)
    return quotas
