"""Lockout after too many wrong passwords, with its page and response.

axes counts five failures of a name from an address. This also counts thirty of an address for all names: an attacker
who tries one password on many names never fails five times with one of them.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from math import ceil
from typing import Any

from axes.handlers.database import AxesDatabaseHandler
from axes.helpers import get_client_username, get_cool_off
from axes.models import AccessAttempt
from django.contrib.auth.forms import AuthenticationForm
from django.db.models import QuerySet, Sum
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils import timezone

from timeline_app.web.core.client_addresses import find_client_address
from timeline_app.web.core.errors import ApiError

MAX_NAME_CHARS = 255
"""No name is longer, but submitted ones may be."""

MAX_FAILURES_PER_ADDRESS = 30
"""Within `AXES_COOLOFF_TIME`. More than five, because many people may share one address."""


class LockoutHandler(AxesDatabaseHandler):  # type: ignore[misc]
    """axes' handler, with the limit of failures per address."""

    def is_locked(self, request: HttpRequest, credentials: dict[str, Any] | None = None) -> bool:
        """Return whether this name, or everything from this address, is refused for now."""
        return bool(super().is_locked(request, credentials)) or is_address_locked(request)


def is_address_locked(request: HttpRequest) -> bool:
    """Return whether there were too many failures from this address lately, for any names."""
    total = select_recent_failures(request).aggregate(total=Sum("failures_since_start"))["total"]
    return (total or 0) >= MAX_FAILURES_PER_ADDRESS


def select_recent_failures(request: HttpRequest) -> QuerySet[Any]:
    """Select the failures from the address of a request that still count."""
    threshold = timezone.now() - (get_cool_off(request) or timedelta())
    failures: QuerySet[Any] = AccessAttempt.objects.all()
    return failures.filter(ip_address=find_client_address(request), attempt_time__gt=threshold)


def get_submitted_name(request: HttpRequest, credentials: dict[str, Any] | None) -> str | None:
    """Return the submitted name in a form that can be stored."""
    name = (credentials or request.POST).get("username")
    return None if name is None else str(name).replace("\0", "")[:MAX_NAME_CHARS]


def render_lockout_page(
    request: HttpRequest, _answer: HttpResponse | None, credentials: dict[str, Any] | None
) -> HttpResponse:
    """Render the login page, with the time of the next attempt."""
    until = compute_next_try(request, credentials)
    seconds = max(1, ceil((until - timezone.now()).total_seconds()))
    if request.path.startswith("/api/"):
        return render_lockout_json(seconds)
    document = {
        "locked": True,
        "every_name": is_address_locked(request),
        "until": until,
        "minutes": ceil(seconds / 60),
        "form": AuthenticationForm(request),
        "next": request.POST.get("next", ""),
    }
    response = render(request, "registration/login.html", document, status=429)
    response.headers["Retry-After"] = str(seconds)
    return response


def render_lockout_json(seconds: int) -> HttpResponse:
    """Return the API's response to a lockout."""
    minutes = ceil(seconds / 60)
    message = (
        f"Too many wrong passwords were tried from here. Try again in {minutes} minute{'s' * (minutes != 1)}."
    )
    response = JsonResponse(LockedOut(message).body(), status=429)
    response.headers["Retry-After"] = str(seconds)
    return response


class LockedOut(ApiError):
    """Too many wrong passwords."""

    status = 429
    code = "locked_out"


def compute_next_try(request: HttpRequest, credentials: dict[str, Any] | None) -> datetime:
    """Return when this name may be tried from here again: once enough failures have expired."""
    tried = select_recent_failures(request)
    if is_address_locked(request):
        return _find_unlock_time(tried) + (get_cool_off(request) or timedelta())
    of_name = tried.filter(username=get_client_username(request, credentials)).order_by("-attempt_time")
    newest: datetime | None = of_name.values_list("attempt_time", flat=True).first()
    return (newest or timezone.now()) + (get_cool_off(request) or timedelta())


def _find_unlock_time(tried: QuerySet[Any]) -> datetime:
    """Return the time of the failure whose expiry brings the address below its limit."""
    failure_count = 0
    rows: list[tuple[datetime, int]] = list(
        tried.order_by("-attempt_time").values_list("attempt_time", "failures_since_start")
    )
    for at, failures in rows:
        failure_count += failures
        if failure_count >= MAX_FAILURES_PER_ADDRESS:
            return at
    return timezone.now()
