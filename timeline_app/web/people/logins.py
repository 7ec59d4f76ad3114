"""Cleanup of logins."""

from __future__ import annotations

from axes.models import AccessAttempt
from django.conf import settings
from django.contrib.sessions.models import Session
from django.utils import timezone


def delete_old_logins() -> None:
    """Delete expired sessions, and failed logins that no longer count."""
    now = timezone.now()
    Session.objects.filter(expire_date__lt=now).delete()
    AccessAttempt.objects.filter(attempt_time__lt=now - settings.AXES_COOLOFF_TIME).delete()
