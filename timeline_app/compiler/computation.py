"""One distinct computation and its digest."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from timeline_app.operators import all_operators
from timeline_app.operators.base import Facts


@dataclass(frozen=True, slots=True)
class Computation:
    """One distinct computation: inputs are digests by port, parameters are in canonical form.

    `identity` is what of the stream's declaration is a part of what it computes.
    """

    digest: str
    op: str
    params: Mapping[str, Any]
    inputs: Mapping[str, tuple[str, ...]]
    stream: str | None
    facts: Facts
    groups: bool
    identity: object = None


def compute_digest(
    op: str, params: Mapping[str, Any], inputs: Mapping[str, tuple[str, ...]], stream: object = None
) -> str:
    """Return 64 hexadecimal digits that identify the computation, independent of its name and place.

    The version of a custom operator is part of it.
    """
    content = [op, dict(params), {port: list(wires) for port, wires in inputs.items()}, stream]
    if version := all_operators()[op].version:
        content.append(version)
    return hashlib.sha256(orjson.dumps(content, option=orjson.OPT_SORT_KEYS)).hexdigest()
