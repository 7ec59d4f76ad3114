"""Doing something once: whoever sends the same again under the same key is told the first answer."""

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

KEPT = timedelta(hours=24)
FLEETING = (401, 408, 429)
"""Refusals that say nothing of the request itself: sent again, it may be taken."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A status and a body; `repeated`: they were given before."""

    status: int
    body: Any
    repeated: bool = False


@retry_on_deadlock
def answer_once(*, user: User, key: str, request: bytes, act: Callable[[], Answer]) -> Answer:
    """Do it and keep the answer, in one transaction; or tell the answer that was kept.

    Two at once wait for each other: the second is told what the first did.
    """
    name, asked = _hash_key(key.encode()), _hash_key(request)
    if not KeptAnswer.objects.filter(user=user, key=name).exists():
        QUOTAS["answer_bytes"].refuse_full(user)  # before the transaction: SQLite has one writer at a time
    with transaction.atomic():
        rows = KeptAnswer.objects.select_for_update()
        kept, _ = rows.get_or_create(user=user, key=name, defaults={"request": asked})
        if kept.request != asked:
            words = (
                f"The key {key!r} came before with another address or body. A new request needs a new key."
            )
            raise ApiError(words, code="idempotency_key_reused", status=422)
        if kept.status is not None:
            return Answer(kept.status, kept.body, repeated=True)
        answer = act()
        if answer.status >= 500 or answer.status in FLEETING:
            transaction.set_rollback(True)
            return answer
        kept.status, kept.body = answer.status, answer.body
        kept.save(update_fields=["status", "body"])
    return answer


def forget_old_answers() -> int:
    """Forget those that are older than a day; how many."""
    gone, _ = KeptAnswer.objects.filter(created_at__lt=timezone.now() - KEPT).delete()
    return gone


def _hash_key(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()
