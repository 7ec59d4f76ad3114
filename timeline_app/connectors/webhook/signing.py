"""Signs requests of webhooks, and checks addresses and secrets."""

from __future__ import annotations

import hmac
import time
from base64 import b64encode

from timeline_app.connectors.masked_addresses import check_masked, check_web_address

MIN_SECRET_CHARS = 16


def sign_headers(secret: bytes, identity: str, body: bytes) -> dict[str, str]:
    """Return the headers of a request: its id, which identifies repetitions, and its signature."""
    now = str(int(time.time()))
    signed = hmac.digest(secret, f"{identity}.{now}.".encode() + body, "sha256")
    return {
        "Content-Type": "application/json", "User-Agent": "timelines", "Webhook-Id": identity,
        "Webhook-Timestamp": now, "Webhook-Signature": f"v1,{b64encode(signed).decode()}",
    }  # fmt: skip


def check_url(text: str) -> str | None:
    """Say what is wrong with an address, and what to do, without repeating it: it may hold a token."""
    if problem := check_masked(text):
        return problem
    problem = check_web_address(text, "let the receiver check the signature instead")
    return (
        "is no address of the web; write one such as https://host/path"
        if problem and "'" in problem
        else problem
    )


def check_secret(text: str) -> str | None:
    """Say what is wrong with a secret."""
    return None if len(text) >= MIN_SECRET_CHARS else f"must have at least {MIN_SECRET_CHARS} characters"
