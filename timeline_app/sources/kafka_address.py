"""A broker of Kafka as one address: kafka://user:password@host:9092,host2:9092/prefix?security=sasl_ssl."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args
from urllib.parse import parse_qsl, unquote

from timeline_app.sources.kafka_login import Mechanism, Security, no_servers, no_topic
from timeline_app.storage.broker import Broker

_ADDRESS = re.compile(
    r"kafka://(?:(?P<login>[^/?#]*)@)?(?P<servers>[^/?#@]*)(?:/(?P<prefix>[^?#]*))?(?:\?(?P<options>[^#]*))?"
)
_LONGEST = 120
"""So many characters a prefix may have: the name of a query follows."""
_FILES = ("ca", "certificate", "private_key")
_CHOICES = {
    name: get_args(get_args(kind)[0]) for name, kind in {"security": Security, "mechanism": Mechanism}.items()
}


def broker(text: str) -> Broker | None:
    """The broker at an address, and the prefix of its topics; empty: none. Raises `ValueError`.

    >>> broker("kafka://ada:secret@a:9092,b:9092/plays?security=sasl_ssl")
    Broker(a:9092,b:9092/plays)
    """
    if not text:
        return None
    found = _ADDRESS.fullmatch(text)
    if not found:
        raise ValueError("must look like kafka://host:9092,host2:9092/prefix (docs/kafka.md says more)")
    servers, prefix = found["servers"], found["prefix"] or "timelines"
    if wrong := no_servers(servers) or no_topic(prefix):
        raise ValueError(wrong)
    if len(prefix) > _LONGEST:
        raise ValueError(f"its prefix may have {_LONGEST} characters")
    user, _, password = (found["login"] or "").partition(":")
    login: dict[str, Any] = {"user": unquote(user), "password": unquote(password)}
    return Broker(servers=servers, prefix=prefix, **login, **_options(found["options"] or "", login))


def _options(text: str, login: Mapping[str, str]) -> dict[str, Any]:
    """What follows the question mark, checked."""
    found: dict[str, Any] = dict(parse_qsl(text, keep_blank_values=True))
    known = (*_CHOICES, *_FILES, "copies")
    if unknown := sorted(found.keys() - set(known)):
        raise ValueError(f"{unknown[0]!r} is no option; there are {', '.join(known)}")
    for name, choices in _CHOICES.items():
        if found.get(name, choices[0]) not in choices:
            raise ValueError(f"{name} must be one of {', '.join(choices)}")
    if found.get("security", "").startswith("sasl") != bool(login["user"] and login["password"]):
        raise ValueError("user:password@ and a security with sasl (sasl_ssl, sasl_plaintext) go together")
    if "copies" in found and not re.fullmatch(r"[1-9][0-9]?", found["copies"]):
        raise ValueError("copies must be a whole number from 1 on")
    files = {name: Path(found[name]).read_text() for name in _FILES if name in found}
    return found | files | ({"copies": int(found["copies"])} if "copies" in found else {})
