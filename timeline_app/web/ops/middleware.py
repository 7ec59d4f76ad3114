"""The first middleware of all requests: logging context, and probes under any host name."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from timeline_app.web.core import log_context
from timeline_app.web.core.log_context import Seen

PROBE_PATHS = ("/healthz", "/readyz", "/metrics")


class Named:
    """Attach the request to the logging context; without an ASGI server (`runserver`, tests), create one."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        current = log_context.get_current_request()
        if current is not None:
            current.request = request
            return self.get_response(request)
        name = log_context.parse_request_id(request.headers.get("X-Request-ID"))
        with log_context.log_request(Seen(name, request)):
            response = self.get_response(request)
        response.headers["X-Request-ID"] = name
        return response


class AnyHost:
    """Accept any host for probes, which use the address of a machine or container."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.path in PROBE_PATHS:
            request.get_host = lambda: "localhost"  # type: ignore[method-assign]
        return self.get_response(request)
