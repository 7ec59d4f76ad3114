"""What a public link opens over REST: its dashboard, and the answers that charts of many keys need."""

from __future__ import annotations

import time
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed, Throttled
from rest_framework.request import Request
from rest_framework.response import Response

from timeline_app.web.core.authentication import note_credential_use
from timeline_app.web.core.client_addresses import find_client_address
from timeline_app.web.core.errors import Missing
from timeline_app.web.core.throttles import MINUTE_S, counting
from timeline_app.web.core.views import ApiView
from timeline_app.web.dashboards.documents import DashboardDocumentSerializer, FoundSourceSerializer
from timeline_app.web.dashboards.public_boards import load_public_board
from timeline_app.web.dashboards.public_links import find_link
from timeline_app.web.models.public_links import PublicLink
from timeline_app.web.nodes.funnel_api import FunnelView
from timeline_app.web.nodes.keys_api import KeyTimelinesView

SCHEME = "link"
LINK_REFUSAL = "This public link is not valid (any more). Ask the owner of the dashboard for another one."


def refuse_many_calls(caller: str) -> None:
    """Refuse a link, or an address, with too many calls in a minute; raise `Throttled`."""
    limit, now = settings.MAX_PUBLIC_CALLS_PER_MINUTE, time.time()
    count = counting.count(f"public:{caller}", now) if limit else None
    if count is not None and count > limit:
        raise Throttled(max(1.0, MINUTE_S - now % MINUTE_S))


class PublicLinkAuthentication(BaseAuthentication):
    """`Authorization: Link …`: the request reads by the rights of the person who made the link.

    Only the views below accept it. The secret is in no address, so no log and no other site learns it.
    """

    def authenticate(self, request: Request) -> tuple[User, PublicLink] | None:
        """Return the person and the link; raise `AuthenticationFailed`."""
        refuse_many_calls(f"address-{find_client_address(request._request)}")
        kind, _, text = request.headers.get("Authorization", "").partition(" ")
        if kind.lower() != SCHEME:
            return None
        link = find_link(text.strip())
        if link is None:
            raise AuthenticationFailed(LINK_REFUSAL, code="link_invalid")
        refuse_many_calls(f"link-{link.pk}")
        note_credential_use(link, "a public link")
        return link.made_by, link

    def authenticate_header(self, _request: Request) -> str:
        return "Link"


class PublicView(ApiView):
    """Base class of the views for public links. Nothing else authenticates here, not even a session."""

    authentication_classes = (PublicLinkAuthentication,)
    throttle_classes = ()

    def get_link(self, request: Request) -> PublicLink:
        """Return the link; permissions guarantee that there is one."""
        link: PublicLink = request.auth  # type: ignore[assignment]
        return link


class PublicNodeView(PublicView):
    """Base class of the views of a node: a chart of the dashboard must show all its keys."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Refuse nodes that no chart of many keys shows."""
        super().initial(request, *args, **kwargs)
        if not load_public_board(self.get_link(request)).shows_all(kwargs["digest"]):
            raise Missing("This public link shows no such node.", code="unknown_node")


class PublicDashboardSerializer(serializers.Serializer[Any]):
    """A dashboard as a public link shows it, with the sources of its charts."""

    name = serializers.CharField()
    version = serializers.IntegerField()
    document = DashboardDocumentSerializer()
    sources = FoundSourceSerializer(many=True)


class PublicDashboardView(PublicView):
    """The dashboard of a public link."""

    @extend_schema(responses=PublicDashboardSerializer)
    def get(self, request: Request) -> Response:
        """Return the dashboard of the link, as it was saved last."""
        board = load_public_board(self.get_link(request))
        fields = ("name", "version", "document", "sources")
        return Response({name: getattr(board, name) for name in fields})


class PublicKeyTimelinesView(PublicNodeView, KeyTimelinesView):
    """The timelines of many keys, for a public link."""


class PublicFunnelView(PublicNodeView, FunnelView):
    """The funnel of a sequence, for a public link."""
