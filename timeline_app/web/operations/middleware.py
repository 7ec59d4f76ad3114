"""What requests of those who run the product pass on their way."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

PLACES = ("/healthz", "/readyz", "/metrics")


class AnyHost:
    """Probes come to the address of a machine or container, not to the name of the product: any will do."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """The answer, whatever host was asked for."""
        if request.path in PLACES:
            request.get_host = lambda: "localhost"  # type: ignore[method-assign]
        return self.get_response(request)
