"""Storage of responses by idempotency key: a repeated request gets the first response."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from timeline_app.web.core.errors import ApiError
from timeline_app.web.core.quotas import QUOTAS
from timeline_app.web.core.transactions import retry_on_deadlock
from timeline_app.web.models.idempotency import KeptAnswer

ANSWER_RETENTION = timedelta(hours=24)
UNKEPT_STATUSES = (401, 408, 429)
"""Refusals that do not depend on the request itself; a retry may succeed."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A status and a body; `repeated` if they come from storage."""

    status: int
    body: Any
    repeated: bool = False


@retry_on_deadlock
def answer_once(*, user: User, key: str, request: bytes, act: Callable[[], Answer]) -> Answer:
    """Call `act` and store its answer in one transaction, or return the stored answer.

    Concurrent requests with one key wait for each other; the second gets the answer of the first.
    """
    name, request_digest = _hash_key(key.encode()), _hash_key(request)
    if not KeptAnswer.objects.filter(user=user, key=name).exists():
        QUOTAS["answer_bytes"].refuse_full(user)  # before the transaction: SQLite has one writer at a time
    with transaction.atomic():
        rows = KeptAnswer.objects.select_for_update()
        stored, _ = rows.get_or_create(user=user, key=name, defaults={"request": request_digest})
        if stored.request != request_digest:
            message = (
                f"The key {key!r} came before with another address or body. A new request needs a new key."
            )
            raise ApiError(message, code="idempotency_key_reused", status=422)
        if stored.status is not None:
            return Answer(stored.status, stored.body, repeated=True)
        answer = act()
        if answer.status >= 500 or answer.status in UNKEPT_STATUSES:
            transaction.set_rollback(True)
            return answer
        stored.status, stored.body = answer.status, answer.body
        stored.save(update_fields=["status", "body"])
    return answer


def delete_old_answers() -> int:
    """Delete answers older than a day; return how many were deleted."""
    deleted, _ = KeptAnswer.objects.filter(created_at__lt=timezone.now() - ANSWER_RETENTION).delete()
    return deleted


def _hash_key(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()
