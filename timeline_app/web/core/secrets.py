"""Secrets at rest: encrypted by a key that follows from `TIMELINE_SECRET_KEY`, and never shown again."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Mapping

import orjson
from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings


class Unreadable(ValueError):
    """The secrets were written under another key."""


def encrypt(secrets: Mapping[str, str]) -> str:
    """Secrets by name, encrypted; empty where there is none."""
    return _lock().encrypt(orjson.dumps(dict(secrets))).decode() if secrets else ""


def decrypt(text: str) -> dict[str, str]:
    """The reverse; raises `Unreadable`."""
    if not text:
        return {}
    try:
        secrets_by_name: dict[str, str] = orjson.loads(_lock().decrypt(text))
    except InvalidToken:
        raise Unreadable("the secrets were kept under another TIMELINE_SECRET_KEY: give them again") from None
    return secrets_by_name


def _lock() -> Fernet:
    derived = HKDF(SHA256(), 32, salt=None, info=b"timelines: secrets of sources")
    return Fernet(urlsafe_b64encode(derived.derive(settings.SECRET_KEY.encode())))
