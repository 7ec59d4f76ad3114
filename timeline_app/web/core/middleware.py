"""Middleware for every response: its security policies, and static files."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from whitenoise.middleware import WhiteNoiseMiddleware
from whitenoise.responders import StaticFile

POLICY = {
    "default-src": "'self'",
    "script-src": "'self'",
    # The hash of an empty text: charts create an empty style element and add rules to it by script.
    "style-src": "'self' 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='",
    "img-src": "'self' data: blob:",
    "font-src": "'self' data:",
    "worker-src": "'self' blob:",
    "connect-src": "'self'",
    "object-src": "'none'",
    "base-uri": "'self'",
    "form-action": "'self'",
    "frame-ancestors": "'none'",
}
UNUSED = "camera display-capture geolocation gyroscope magnetometer microphone midi payment usb"
PERMISSIONS = ", ".join(f"{name}=()" for name in UNUSED.split())


def build_content_policy(style_nonce: str = "") -> str:
    """Return what a page may load and do; a nonce allows the editors' own style elements."""
    more = {"style-src": f"{POLICY['style-src']} 'nonce-{style_nonce}'"} if style_nonce else {}
    return "; ".join(f"{name} {sources}" for name, sources in {**POLICY, **more}.items())


class ContentSecurityPolicy:
    """Allow only content from this server, and neither inline scripts nor inline styles."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", build_content_policy())
        response.headers.setdefault("Permissions-Policy", PERMISSIONS)
        return response


class StaticFiles(WhiteNoiseMiddleware):  # type: ignore[misc]
    """WhiteNoise that answers with whole files: an ASGI server cannot send its synchronous iterators."""

    @staticmethod
    def serve(static_file: StaticFile, request: HttpRequest) -> HttpResponse:
        static_response = static_file.get_response(request.method, request.META)
        content = b""
        if static_response.file is not None:
            with static_response.file as file:
                content = file.read()
        response = HttpResponse(content, status=int(static_response.status))
        del response.headers["Content-Type"]
        for name, value in static_response.headers:
            response.headers[name] = value
        return response
