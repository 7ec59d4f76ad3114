"""A lock in the database that expires, so that one supervisor acts at a time even after a crash.

The lock of a local process that has died (for example, killed) is free at once.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Q
from django.utils import timezone

from timeline_app.web.core.processes import has_ended, mark_of
from timeline_app.web.models import Lease


@dataclass(frozen=True, slots=True)
class Hold:
    """A requested lease; true if it was acquired."""

    name: str
    holder: str
    seconds: float
    taken: bool

    def __bool__(self) -> bool:
        return self.taken

    def renew(self) -> bool:
        """Extend the lease from now; return whether it is still ours. Call it after any slow step."""
        until = timezone.now() + timedelta(seconds=self.seconds)
        own_lease = Lease.objects.filter(name=self.name, holder=self.holder)
        return self.taken and own_lease.update(expires_at=until) == 1


@contextmanager
def lease(name: str, seconds: float) -> Iterator[Hold]:
    """Yield whether the lease was acquired; release it at the end of the block.

    It also ends when its process dies or after `seconds`. A lease that would last twice as long as any dates
    from before a jump of the clock and counts as expired. A slightly longer one does not: it was renewed
    while this one waited for the database.
    """
    holder = f"{uuid.uuid4().hex} {mark_of(os.getpid())}"
    acquired = _take_free_lease(name, holder, seconds) or _take_orphaned_lease(name, holder, seconds)
    if not acquired and not Lease.objects.filter(name=name).exists():
        Lease.objects.get_or_create(name=name)
        acquired = _take_free_lease(name, holder, seconds)
    try:
        yield Hold(name, holder, seconds, acquired)
    finally:
        if acquired:
            Lease.objects.filter(name=name, holder=holder).update(holder="", expires_at=None)


def _take_free_lease(name: str, holder: str, seconds: float) -> bool:
    """Return whether the lease exists, was free, and is now ours."""
    now = timezone.now()
    until, longest = now + timedelta(seconds=seconds), now + timedelta(seconds=2 * max(seconds, 0))
    expired = Q(expires_at=None) | Q(expires_at__lt=now) | Q(expires_at__gt=longest)
    return Lease.objects.filter(expired, name=name).update(holder=holder, expires_at=until) == 1


def _take_orphaned_lease(name: str, holder: str, seconds: float) -> bool:
    """Return whether the lease was taken over from a dead process of this machine."""
    before = Lease.objects.filter(name=name).values_list("holder", flat=True).first() or ""
    if not has_ended(before.partition(" ")[2]):
        return False
    until = timezone.now() + timedelta(seconds=seconds)
    return Lease.objects.filter(name=name, holder=before).update(holder=holder, expires_at=until) == 1
