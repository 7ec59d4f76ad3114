"""Access to operational details: for staff, and for clients with the metrics token."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest
from django.utils.crypto import constant_time_compare


def has_metrics_token(request: HttpRequest) -> bool:
    """Return whether the request carries `TIMELINE_METRICS_TOKEN`; false if none is set."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    expected: str = settings.METRICS_TOKEN
    return bool(expected) and scheme.lower() == "bearer" and constant_time_compare(token.strip(), expected)


def may_see(request: HttpRequest, *, ask_database: bool = True) -> bool:
    """Return whether this client may see details; without the database no session can be looked up."""
    if has_metrics_token(request):
        return True
    if not ask_database or settings.SESSION_COOKIE_NAME not in request.COOKIES:
        return False
    return bool(request.user.is_active and request.user.is_staff)
