"""What somebody sees who tried too many passwords."""

from __future__ import annotations

from datetime import datetime, timedelta
from math import ceil
from typing import Any

from axes.helpers import get_client_username, get_cool_off
from axes.models import AccessAttempt
from django.contrib.auth.forms import AuthenticationForm
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils import timezone

from timeline_app.web.errors import ApiError
from timeline_app.web.operations.addresses import client_address

LONGEST = 255
"""No name is longer; what somebody sends may be."""


def name_of(request: HttpRequest, credentials: dict[str, Any] | None) -> str | None:
    """The name that was tried, as far as it can be kept."""
    name = (credentials or request.POST).get("username")
    return None if name is None else str(name).replace("\0", "")[:LONGEST]


def locked_out(
    request: HttpRequest, _answer: HttpResponse | None, credentials: dict[str, Any] | None
) -> HttpResponse:
    """The login page, with when to try again."""
    until = let_in_again(request, credentials)
    seconds = max(1, ceil((until - timezone.now()).total_seconds()))
    if request.path.startswith("/api/"):
        return refused_in_json(seconds)
    told = {
        "locked": True,
        "until": until,
        "minutes": ceil(seconds / 60),
        "form": AuthenticationForm(request),
        "next": request.POST.get("next", ""),
    }
    response = render(request, "registration/login.html", told, status=429)
    response.headers["Retry-After"] = str(seconds)
    return response


def refused_in_json(seconds: int) -> HttpResponse:
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


def let_in_again(request: HttpRequest, credentials: dict[str, Any] | None) -> datetime:
    """When this name may be tried again from here."""
    tried = AccessAttempt.objects.filter(
        username=get_client_username(request, credentials), ip_address=client_address(request)
    )
    newest = tried.order_by("-attempt_time").values_list("attempt_time", flat=True).first()
    return (newest or timezone.now()) + (get_cool_off(request) or timedelta())
