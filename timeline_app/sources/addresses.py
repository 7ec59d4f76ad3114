"""Addresses as they are told to those who may not change them: what opens a door may stand in any of its parts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_ADDRESS = re.compile(
    r"\b([A-Za-z][\w+.-]*://)(?:[^\s/?#]*@)?([^\s/?#,;'\")]*)([^\s?#,;'\")]*)([?#][^\s,;'\")]*)?"
)


def masked(text: str) -> str:
    """Text in which no address has a login, a query or, where it is one of the web, a path: `https://host/…`."""
    return _ADDRESS.sub(_masked, text)


def options_masked(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options of a source or a sink, likewise."""
    return {name: masked(value) if isinstance(value, str) else value for name, value in options.items()}


def _masked(found: re.Match[str]) -> str:
    scheme, host, path, query = found.groups()
    if scheme.lower() in ("http://", "https://") and (path.strip("/") or query):
        return f"{scheme}{host}/…"
    return f"{scheme}{host}{path}{'?…' if query else ''}"
