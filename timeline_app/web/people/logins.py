"""What is kept of logins, and forgotten when it is over."""

from __future__ import annotations

from axes.models import AccessAttempt
from django.conf import settings
from django.contrib.sessions.models import Session
from django.utils import timezone


def forget_old_logins() -> None:
    """Sessions that have ended, and wrong passwords that no longer count."""
    now = timezone.now()
    Session.objects.filter(expire_date__lt=now).delete()
    AccessAttempt.objects.filter(attempt_time__lt=now - settings.AXES_COOLOFF_TIME).delete()
