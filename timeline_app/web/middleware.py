"""What every answer passes: the content security policy, and static files."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from whitenoise.middleware import WhiteNoiseMiddleware
from whitenoise.responders import StaticFile

POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self'",
        # Charts and the graph editor position their parts with style attributes.
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "worker-src 'self' blob:",
        "connect-src 'self'",
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)


class ContentSecurityPolicy:
    """Everything is served from here: nothing else may be loaded, and no inline script runs."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """The answer, with the policy."""
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", POLICY)
        return response


class StaticFiles(WhiteNoiseMiddleware):  # type: ignore[misc]
    """WhiteNoise, answering with whole files: an ASGI server cannot send its synchronous file iterators."""

    @staticmethod
    def serve(static_file: StaticFile, request: HttpRequest) -> HttpResponse:
        """One static file as an ordinary response."""
        found = static_file.get_response(request.method, request.META)
        content = b""
        if found.file is not None:
            with found.file as file:
                content = file.read()
        response = HttpResponse(content, status=int(found.status))
        del response.headers["Content-Type"]
        for name, value in found.headers:
            response.headers[name] = value
        return response
