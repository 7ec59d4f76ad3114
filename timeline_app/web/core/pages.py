"""Pages: the shell of the React application and the error pages."""

from __future__ import annotations

import secrets

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_safe

from timeline_app.web.core import log_context
from timeline_app.web.core.errors import ApiError, Missing
from timeline_app.web.core.middleware import build_content_policy
from timeline_app.web.core.permissions import member_of
from timeline_app.web.templatetags.frontend import find_entry


@require_safe
@ensure_csrf_cookie
def app(request: HttpRequest, **_route: object) -> HttpResponse:
    """Serve the one page of the React application, which does its own routing."""
    built = find_entry(settings.FRONTEND) is not None
    nonce = secrets.token_urlsafe(16)
    page = "app.html" if built else "unbuilt.html"
    chosen = member_of(request.user)
    context = {"style_nonce": nonce, "theme": chosen.theme, "zone": chosen.zone}
    response = render(request, page, context, status=200 if built else 503)
    response.headers["Content-Security-Policy"] = build_content_policy(style_nonce=nonce)
    return response


@require_safe
@login_not_required
def public_app(request: HttpRequest) -> HttpResponse:
    """Serve the page of all public links: the secret is in the fragment, which no browser sends."""
    response = app(request)
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["X-Robots-Tag"] = "noindex"
    return response


@require_safe
@login_not_required
def favicon(_request: HttpRequest) -> HttpResponse:
    """Redirect pages that are not ours and name no icon."""
    return redirect(static("timeline/mark.svg"))


def wants_json(request: HttpRequest) -> bool:
    """Return whether this request is for the API."""
    return request.path.startswith("/api/")


@login_not_required
def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001
    """Answer 404, as JSON or as a page."""
    if wants_json(request):
        message = f"There is nothing at {request.path}. The calls are listed at /api/docs/."
        return JsonResponse(Missing(message).body(), status=404)
    return render(request, "404.html", status=404)


@login_not_required
def failed(request: HttpRequest) -> HttpResponse:
    """Answer 500, as JSON or as a page."""
    if wants_json(request):
        body = ApiError("This is our fault; the log of the web process says more.", code="internal").body()
        return JsonResponse(body | {"request_id": log_context.get_request_id()}, status=500)
    return render(request, "500.html", {"request_id": log_context.get_request_id()}, status=500)
