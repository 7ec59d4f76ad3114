"""Restarting and stopping nodes."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from timeline_app.web.core.audit_reasons import ReasonSerializer
from timeline_app.web.core.requests import get_user, validate_body
from timeline_app.web.core.scopes import require_scopes
from timeline_app.web.core.views import ApiView
from timeline_app.web.models.tokens import Scope
from timeline_app.web.nodes.actions import restart_node, stop_node
from timeline_app.web.nodes.api import NodeSerializer
from timeline_app.web.nodes.selectors import describe_nodes, get_node


class NodeRestartView(ApiView):
    """Restarting a node."""

    scopes = require_scopes(POST=Scope.OPERATE)
    refusals = ("403", "409")

    @extend_schema(request=ReasonSerializer, responses={202: NodeSerializer})
    def post(self, request: Request, digest: str) -> Response:
        """Restart the node's query within seconds, with a full restart budget. No results are lost."""
        user = get_user(request)
        restart_node(
            node=get_node(digest, user),
            user=user,
            reason=validate_body(ReasonSerializer, request).get("reason"),
        )
        document = describe_nodes([get_node(digest, user)], user)[0]
        return Response(document, status=status.HTTP_202_ACCEPTED)


class NodeStopView(ApiView):
    """Stopping a node."""

    scopes = require_scopes(POST=Scope.OPERATE)
    refusals = ("403", "409")

    @extend_schema(request=ReasonSerializer, responses=NodeSerializer)
    def post(self, request: Request, digest: str) -> Response:
        """Stop all plans that use the node, if they are all yours; `problems` name the owners of the others."""
        user = get_user(request)
        stop_node(
            node=get_node(digest, user),
            user=user,
            reason=validate_body(ReasonSerializer, request).get("reason"),
        )
        return Response(describe_nodes([get_node(digest, user)], user)[0])
