"""Display options of a plan's nodes."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from timeline_app.web.core.display_forms import DisplaysSerializer
from timeline_app.web.core.displays import change_display
from timeline_app.web.core.requests import get_user, validate_body
from timeline_app.web.core.views import ApiView
from timeline_app.web.plans.selectors import plan_of


class PlanDisplayView(ApiView):
    """Display options of a plan's nodes."""

    refusals = ("403", "409")

    @extend_schema(request=DisplaysSerializer, responses=DisplaysSerializer)
    def patch(self, request: Request, number: int) -> Response:
        """Set display options for nodes of this plan; the draft and what runs stay as they are."""
        plan = plan_of(number, get_user(request))
        chosen = validate_body(DisplaysSerializer, request)["display"]
        return Response({"display": change_display(thing=plan, user=get_user(request), chosen=chosen)})
