"""Lockout after too many wrong passwords, and the page and the answer that say so.

axes counts five failures of a name from an address. This counts thirty of an address for all names, since somebody who
tries one password on many names never fails five times with one of them.
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

LONGEST = 255
"""No name is longer; what somebody sends may be."""

MAX_FAILURES_PER_ADDRESS = 30
"""Within `AXES_COOLOFF_TIME`. More than five, since many people may share one address."""


class LockoutHandler(AxesDatabaseHandler):  # type: ignore[misc]
    """axes' own handler, which also holds the failures of an address against their limit."""

    def is_locked(self, request: HttpRequest, credentials: dict[str, Any] | None = None) -> bool:
        """Whether this name, or everything from this address, is refused for now."""
        return bool(super().is_locked(request, credentials)) or is_address_locked(request)


def is_address_locked(request: HttpRequest) -> bool:
    """Whether too many passwords from this address were wrong lately, whatever the names."""
    total = select_recent_failures(request).aggregate(total=Sum("failures_since_start"))["total"]
    return (total or 0) >= MAX_FAILURES_PER_ADDRESS


def select_recent_failures(request: HttpRequest) -> QuerySet[Any]:
    """The failures from the address of a request that still count."""
    threshold = timezone.now() - (get_cool_off(request) or timedelta())
    failures: QuerySet[Any] = AccessAttempt.objects.all()
    return failures.filter(ip_address=find_client_address(request), attempt_time__gt=threshold)


def name_of(request: HttpRequest, credentials: dict[str, Any] | None) -> str | None:
    """The name that was tried, as far as it can be kept."""
    name = (credentials or request.POST).get("username")
    return None if name is None else str(name).replace("\0", "")[:LONGEST]


def render_lockout_page(
    request: HttpRequest, _answer: HttpResponse | None, credentials: dict[str, Any] | None
) -> HttpResponse:
    """The login page, with when to try again."""
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
    """The answer of the API, where a password is asked for as well."""
    minutes = ceil(seconds / 60)
    words = (
        f"Too many wrong passwords were tried from here. Try again in {minutes} minute{'s' * (minutes != 1)}."
    )
    response = JsonResponse(LockedOut(words).body(), status=429)
    response.headers["Retry-After"] = str(seconds)
    return response


class LockedOut(ApiError):
    """Too many wrong passwords."""

    status = 429
    code = "locked_out"


def compute_next_try(request: HttpRequest, credentials: dict[str, Any] | None) -> datetime:
    """When this name may be tried again from here: once so many failures are over that the rest is below the limit."""
    tried = select_recent_failures(request)
    if is_address_locked(request):
        return _find_unlock_time(tried) + (get_cool_off(request) or timedelta())
    of_name = tried.filter(username=get_client_username(request, credentials)).order_by("-attempt_time")
    newest: datetime | None = of_name.values_list("attempt_time", flat=True).first()
    return (newest or timezone.now()) + (get_cool_off(request) or timedelta())


def _find_unlock_time(tried: QuerySet[Any]) -> datetime:
    """The time of the failure with which the rest falls below the limit of an address, when it is over."""
    left = 0
    rows: list[tuple[datetime, int]] = list(
        tried.order_by("-attempt_time").values_list("attempt_time", "failures_since_start")
    )
    for at, failures in rows:
        left += failures
        if left >= MAX_FAILURES_PER_ADDRESS:
            return at
    return timezone.now()
