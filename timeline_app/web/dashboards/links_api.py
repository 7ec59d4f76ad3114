"""The public links of a dashboard over REST, for its owners."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from timeline_app.web.core.paging import Whole, format_page
from timeline_app.web.core.requests import get_user, validate_body
from timeline_app.web.core.scopes import LOGIN, require_scopes
from timeline_app.web.core.views import ApiView
from timeline_app.web.dashboards.public_links import (
    MAX_LINK_DAYS,
    create_link,
    describe_link,
    end_link,
    select_links,
)
from timeline_app.web.dashboards.selectors import get_dashboard


class NewPublicLinkSerializer(serializers.Serializer[Any]):
    """The name of a new link, and when it expires."""

    name = serializers.CharField(max_length=100, help_text="where it is used, such as the wall of a room")
    days = serializers.IntegerField(
        min_value=1,
        max_value=MAX_LINK_DAYS,
        required=False,
        allow_null=True,
        default=None,
        help_text="after which it expires; null: it does not",
    )


class PublicLinkSerializer(serializers.Serializer[Any]):
    """A public link, without its secret."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    made_by = serializers.CharField(help_text="by whose rights it shows the dashboard")
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField(allow_null=True)
    last_used_at = serializers.DateTimeField(allow_null=True, help_text="to the minute")
    expired = serializers.BooleanField()


class MadePublicLinkSerializer(PublicLinkSerializer):
    """A new public link."""

    address = serializers.CharField(help_text="it is shown here and never again: only its hash is kept")


class DashboardLinksView(ApiView):
    """The public links of a dashboard."""

    keyed = False  # a stored response would store the secret
    pagination_class = Whole
    refusals = ("400", "403", "409")
    scopes = require_scopes(POST=LOGIN)

    @extend_schema(responses=PublicLinkSerializer(many=True), operation_id="dashboard_links_list")
    def get(self, request: Request, number: int) -> Response:
        """List the public links, the newest first."""
        links = select_links(get_dashboard(number, get_user(request)), get_user(request))
        return format_page([describe_link(link) for link in links])

    @extend_schema(request=NewPublicLinkSerializer, responses={201: MadePublicLinkSerializer})
    def post(self, request: Request, number: int) -> Response:
        """Make a link that shows the dashboard to whoever has it, without a login. A token cannot make one."""
        dashboard = get_dashboard(number, get_user(request))
        body = validate_body(NewPublicLinkSerializer, request)
        made, text = create_link(dashboard=dashboard, user=get_user(request), **body)
        address = request.build_absolute_uri(f"/public/#{text}")
        return Response(describe_link(made) | {"address": address}, status=status.HTTP_201_CREATED)


class DashboardLinkView(ApiView):
    """One public link of a dashboard."""

    refusals = ("403",)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, number: int, link: int) -> Response:
        """End a public link; it stops at once on every screen."""
        user = get_user(request)
        end_link(dashboard=get_dashboard(number, user), user=user, number=link)
        return Response(status=status.HTTP_204_NO_CONTENT)
