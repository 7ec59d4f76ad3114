"""Secrets at rest: encrypted by a key derived from `TIMELINE_SECRET_KEY`, and never shown again."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Mapping

import orjson
from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings


class Unreadable(ValueError):
    """The secrets were encrypted under another key."""


def encrypt(secrets: Mapping[str, str]) -> str:
    """Encrypt secrets by name; "" if there are none."""
    return _build_cipher().encrypt(orjson.dumps(dict(secrets))).decode() if secrets else ""


def decrypt(text: str) -> dict[str, str]:
    """Return the secrets by name; raise `Unreadable`."""
    if not text:
        return {}
    try:
        secrets_by_name: dict[str, str] = orjson.loads(_build_cipher().decrypt(text))
    except InvalidToken:
        raise Unreadable("the secrets were kept under another TIMELINE_SECRET_KEY: give them again") from None
    return secrets_by_name


def _build_cipher() -> Fernet:
    derived = HKDF(SHA256(), 32, salt=None, info=b"timelines: secrets of sources")
    return Fernet(urlsafe_b64encode(derived.derive(settings.SECRET_KEY.encode())))
