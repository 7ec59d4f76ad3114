"""Masks addresses for users who may not change them: secrets may stand in any part."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

_SCHEME = r"(?<![\w+.-])([\w+.-]++://)"
"""It must begin where the run of its characters does, so that each run is scanned once."""
_IN_TEXT = re.compile(_SCHEME + r"(?:[^\s/?#]*@)?([^\s/?#]*)([^\s?#]*)([?#]\S*)?")
"""Up to the next space: any other character may be part of an address."""
_OPTION = re.compile(_SCHEME + r"(?:[^/?#]*@)?([^/?#]*)([^?#]*)([?#].*)?", re.DOTALL)
"""Up to its end."""
HIDDEN = "/…"
"""The ending of an address of which only the host is shown."""
_WEB = ("http://", "https://", "ws://", "wss://")


def mask_addresses(text: str) -> str:
    """Remove login, query and, in web addresses, the path from all addresses in a text: `https://host/…`."""
    return _IN_TEXT.sub(_mask_match, text)


def is_bad_host(host: str | None) -> bool:
    """Return whether no host can have this name: each part between dots must have 1 to 63 letters.

    >>> is_bad_host("a..b"), is_bad_host("a" * 70), is_bad_host("host.example"), is_bad_host("::1")
    (True, True, False, False)
    """
    try:
        return not host or not host.encode("idna")
    except UnicodeError:
        return True


def check_web_address(url: str, instead: str) -> str | None:
    """Say what is wrong with a web address, and what to do; `instead` names the alternative to a login in it.

    >>> check_web_address("https://b\u00fccher.example/", ""), check_web_address("https://host/caf%C3%A9", "")
    ('has a host with letters that addresses lack; write it as xn--bcher-kva.example', None)
    """
    try:
        address = urlsplit(url)
        is_wrong = (
            address.scheme not in ("http", "https") or is_bad_host(address.hostname) or address.port == 0
        )
    except ValueError:
        is_wrong = True
    if is_wrong:
        return f"is no address: {url[:100]!r}; such as https://host/path"
    if address.username is not None or address.password is not None:
        return f"holds a login, and would be shown; {instead}"
    host = address.hostname or ""
    if not host.isascii():
        return f"has a host with letters that addresses lack; write it as {host.encode('idna').decode()}"
    if not url.isascii() or any(letter.isspace() for letter in url):
        return "has characters that an address may not have; write them as %XX"
    return None


def check_masked(url: str) -> str | None:
    """Say what to do where a user submits a masked address."""
    return (
        f"is shown in part only ({HIDDEN}): write the whole address again" if url.endswith(HIDDEN) else None
    )


def mask_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Mask the addresses in the options of a source or sink; each value is one address."""
    return {
        name: _OPTION.sub(_mask_match, value) if isinstance(value, str) else value
        for name, value in options.items()
    }


def _mask_match(match_: re.Match[str]) -> str:
    scheme, host, path, query = match_.groups()
    if "://" in path or (scheme.lower().endswith(_WEB) and (path.strip("/") or query)):
        return f"{scheme}{host}{HIDDEN}"
    return f"{scheme}{host}{path}{'?…' if query else ''}"
