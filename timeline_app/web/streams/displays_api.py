"""Display options of a stream's fields."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from timeline_app.web.core.display_forms import DisplaysSerializer
from timeline_app.web.core.displays import change_display
from timeline_app.web.core.requests import get_user, validate_body
from timeline_app.web.core.views import ApiView
from timeline_app.web.streams.selectors import get_stream


class StreamDisplayView(ApiView):
    """Display options of a stream's fields."""

    refusals = ("403", "409")

    @extend_schema(request=DisplaysSerializer, responses=DisplaysSerializer)
    def patch(self, request: Request, name: str) -> Response:
        """Set colours, labels, thresholds and formats of fields; fields that are not sent stay as they are."""
        stream = get_stream(name, get_user(request))
        chosen = validate_body(DisplaysSerializer, request)["display"]
        return Response({"display": change_display(thing=stream, user=get_user(request), chosen=chosen)})
