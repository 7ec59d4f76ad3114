"""`/healthz`, `/readyz`, `/metrics`: for load balancers, orchestrators, and diagnosis."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client.exposition import choose_encoder

from timeline_app.web.core.errors import ApiError, Invalid, NotYours
from timeline_app.web.ops import readiness
from timeline_app.web.ops.access import may_see
from timeline_app.web.ops.metrics import REGISTRY


def describe_installation() -> dict[str, str]:
    """Return which installation this is, if `make run` started it."""
    return {"stack": settings.STACK_ID} if settings.STACK_ID else {}


@require_safe
@login_not_required
@never_cache
def healthz(_request: HttpRequest) -> JsonResponse:
    """Report that the process is alive; nothing else is checked."""
    return JsonResponse({"status": "ok", **describe_installation()})


@require_safe
@login_not_required
@never_cache
def readyz(request: HttpRequest) -> JsonResponse:
    """Return the state of each part; to operators also the problem and the hint."""
    names = parse_requested_parts(request)
    if isinstance(names, JsonResponse):
        return names
    parts = readiness.check_parts(names)
    ready = all(part["ready"] for part in parts.values())
    reachable = "database" not in parts or parts["database"]["ready"]
    states: dict[str, Any] = (
        parts if may_see(request, ask_database=reachable) else readiness.redact_parts(parts)
    )
    degraded = any(part["degraded"] for part in parts.values())
    status = "not ready" if not ready else "degraded" if degraded else "ready"
    answer = {"status": status, "parts": states, **describe_installation()}
    response = JsonResponse(answer, status=200 if ready else 503)
    response._has_been_logged = True  # type: ignore[attr-defined]  # what is wrong is in the log, in words
    return response


def parse_requested_parts(request: HttpRequest) -> list[str] | JsonResponse:
    """Return the requested parts, `?only=database,redis`; by default all."""
    if "only" not in request.GET:
        return list(readiness.PARTS)
    names = request.GET["only"].split(",")
    if unknown := [name for name in names if name not in readiness.PARTS]:
        part_names = ", ".join(readiness.PARTS)
        refusal = Invalid.field("only", f"there is no part {unknown[0][:40]!r}.", f"There are {part_names}.")
        return JsonResponse(refusal.body(), status=refusal.status)
    return list(dict.fromkeys(names))


@require_safe
@login_not_required
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """Return all metrics in the requested format: OpenMetrics or the older text of Prometheus."""
    if not may_see(request):
        return refuse_metrics(request)
    write, kind = choose_encoder(request.headers.get("Accept", ""))
    return HttpResponse(write(REGISTRY), content_type=kind)


def refuse_metrics(request: HttpRequest) -> JsonResponse:
    """Return the refusal: metrics contain names of streams, so they are for operators only."""
    way_in = "Log in as staff, or send Authorization: Bearer with the product's TIMELINE_METRICS_TOKEN."
    if settings.SESSION_COOKIE_NAME in request.COOKIES and request.user.is_authenticated:
        refusal: ApiError = NotYours(f"The figures are for staff. {way_in}", code="permission_denied")
    else:
        refusal = ApiError(
            f"The figures are not for everybody. {way_in}", code="not_authenticated", status=401
        )
    return JsonResponse(refusal.body(), status=refusal.status, headers={"WWW-Authenticate": "Bearer"})
