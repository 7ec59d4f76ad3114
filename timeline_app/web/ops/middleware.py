"""What all requests pass first: they are known to the log, and probes may come by any name."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from timeline_app.web.core import log_context
from timeline_app.web.core.log_context import Seen

PLACES = ("/healthz", "/readyz", "/metrics")


class Named:
    """The request is known to the log; where no door has named it (`runserver`, tests), it is named here."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """The answer."""
        seen = log_context.get_current_request()
        if seen is not None:
            seen.request = request
            return self.get_response(request)
        name = log_context.parse_request_id(request.headers.get("X-Request-ID"))
        with log_context.log_request(Seen(name, request)):
            response = self.get_response(request)
        response.headers["X-Request-ID"] = name
        return response


class AnyHost:
    """Probes come to the address of a machine or container, not to the name of the product: any will do."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """The answer, whatever host was asked for."""
        if request.path in PLACES:
            request.get_host = lambda: "localhost"  # type: ignore[method-assign]
        return self.get_response(request)
