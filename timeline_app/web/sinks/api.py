"""The sinks of a node."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from timeline_app.connectors.sink_contract import Once
from timeline_app.connectors.sink_kinds import KINDS
from timeline_app.web.core.audit_reasons import ReasonSerializer, read_reason
from timeline_app.web.core.permissions import Right, require
from timeline_app.web.core.requests import get_user, validate_body
from timeline_app.web.core.schema import OwnedFields
from timeline_app.web.core.scopes import require_scopes
from timeline_app.web.core.views import ApiView
from timeline_app.web.models import Node
from timeline_app.web.models.sinks import NodeSink
from timeline_app.web.models.tokens import Scope
from timeline_app.web.nodes.selectors import get_node
from timeline_app.web.sinks.services import (
    add_sink,
    change_sink,
    describe_sinks,
    get_sink,
    list_sinks,
    pause_sink,
    remove_sink,
    try_sink,
)
from timeline_app.web.streams.source_api import SourceOptionSerializer, describe_options

OPTIONS_HELP = "as its kind asks for; secrets that are left out stay"


class SinkKindSerializer(serializers.Serializer[Any]):
    """A kind of sink, its delivery guarantee and its options."""

    name = serializers.CharField()
    title = serializers.CharField()
    once = serializers.ChoiceField(
        [str(one) for one in Once], help_text="how often a row arrives, whatever is killed"
    )
    options = SourceOptionSerializer(many=True)


class SinkKindsSerializer(serializers.Serializer[Any]):
    """All kinds of sinks."""

    kinds = SinkKindSerializer(many=True)


class GivenSinkSerializer(serializers.Serializer[Any]):
    """A sink to set."""

    kind = serializers.CharField(max_length=60)
    options = serializers.DictField(help_text=OPTIONS_HELP)


class TriedSinkRequestSerializer(GivenSinkSerializer):
    """A sink to test, perhaps as a change of an existing one."""

    number = serializers.IntegerField(required=False, help_text="of the sink that would be changed so")


class AddedSinkSerializer(GivenSinkSerializer, ReasonSerializer):
    """A sink to add."""

    delivers = serializers.ChoiceField(NodeSink.Delivers.choices)
    paused = serializers.BooleanField(required=False, help_text="without it, it delivers")


class ChangedSinkSerializer(ReasonSerializer):
    """What a sink delivers, and its options."""

    delivers = serializers.ChoiceField(NodeSink.Delivers.choices)
    options = serializers.DictField(help_text=OPTIONS_HELP)


class SinkSerializer(OwnedFields):
    """A sink and its state. Only its owner and administrators see where it delivers to."""

    number = serializers.IntegerField()
    kind = serializers.CharField()
    title = serializers.CharField()
    once = serializers.CharField(
        help_text="how often a row arrives; empty where there is no such kind any more"
    )
    place = serializers.CharField(
        help_text="where that is, of the options that say so; empty for those who may not change it"
    )
    delivers = serializers.ChoiceField(NodeSink.Delivers.choices)
    options = serializers.DictField(
        help_text="without the secrets; of an address of the web only the host; none for who may not change it"
    )
    units = serializers.DictField(
        child=serializers.CharField(), help_text="by option, what its number counts, such as seconds"
    )
    secrets = serializers.ListField(child=serializers.CharField(), help_text="which secrets are kept")
    paused = serializers.BooleanField()
    observed = serializers.ChoiceField(NodeSink.Observed.choices)
    words = serializers.CharField()
    lag = serializers.IntegerField(help_text="versions of the node that wait")
    rows = serializers.IntegerField(help_text="delivered so far")
    corrected = serializers.IntegerField(
        help_text="revisions of what had been delivered as final, which was not delivered again"
    )
    known_at = serializers.IntegerField(
        allow_null=True, help_text="what was known by then is delivered, microseconds"
    )
    final_until = serializers.IntegerField(allow_null=True, help_text="what was final by then is delivered")
    delivered_at = serializers.DateTimeField(allow_null=True)
    looked_at = serializers.DateTimeField(allow_null=True)


class SinksSerializer(serializers.Serializer[Any]):
    """All sinks of a node."""

    sinks = SinkSerializer(many=True)


class SinkKindsView(ApiView):
    """The kinds of sinks."""

    @extend_schema(responses=SinkKindsSerializer)
    def get(self, _request: Request) -> Response:
        """List the kinds of sinks, with their delivery guarantees and options."""
        kinds = [
            {
                "name": name,
                "title": kind.title,
                "once": kind.once.value,
                "options": describe_options(kind, kind.place),
            }
            for name, kind in KINDS.items()
        ]
        return Response({"kinds": kinds})


def _get_operated_node(request: Request, digest: str) -> tuple[Node, User]:
    user = get_user(request)
    node = get_node(digest, user)
    require(user, Right.OPERATE, node)
    return node, user


class SinksView(ApiView):
    """The sinks of a node."""

    refusals = ("400", "403", "409")

    @extend_schema(responses=SinksSerializer, operation_id="node_sinks")
    def get(self, request: Request, digest: str) -> Response:
        """List the sinks of a node and their state."""
        user = get_user(request)
        return Response({"sinks": describe_sinks(list_sinks(get_node(digest, user)), user)})

    @extend_schema(request=AddedSinkSerializer, responses={201: SinkSerializer})
    def post(self, request: Request, digest: str) -> Response:
        """Add a sink; it delivers from the beginning of the node's history."""
        node, user = _get_operated_node(request, digest)
        with read_reason(request, AddedSinkSerializer) as body:
            sink = add_sink(
                node=node, user=user, kind=body["kind"], delivers=body["delivers"], options=body["options"],
                paused=body.get("paused", False),
            )  # fmt: skip
        return Response(describe_sinks([sink], user)[0], status=status.HTTP_201_CREATED)


class SinkCheckView(ApiView):
    """A test of a sink."""

    scopes = require_scopes(POST=Scope.WRITE)
    refusals = ("400", "403")

    @extend_schema(request=TriedSinkRequestSerializer, responses={204: None})
    def post(self, request: Request, digest: str) -> Response:
        """Connect, and check that the sink could deliver; nothing is kept."""
        node, user = _get_operated_node(request, digest)
        body = validate_body(TriedSinkRequestSerializer, request)
        sink = get_sink(node, body["number"]) if "number" in body else None
        if sink is not None:
            require(user, Right.OWN, sink)
        try_sink(node=node, user=user, kind=body["kind"], options=body["options"], sink=sink)
        return Response(status=status.HTTP_204_NO_CONTENT)


class SinkView(ApiView):
    """One sink of a node."""

    refusals = ("400", "403", "409")

    @extend_schema(responses=SinkSerializer)
    def get(self, request: Request, digest: str, number: int) -> Response:
        """Return a sink and its state."""
        user = get_user(request)
        return Response(describe_sinks([get_sink(get_node(digest, user), number)], user)[0])

    @extend_schema(request=ChangedSinkSerializer, responses=SinkSerializer)
    def put(self, request: Request, digest: str, number: int) -> Response:
        """Change the options. If it delivers elsewhere, or something else, it starts from the beginning."""
        node, user = _get_operated_node(request, digest)
        sink = get_sink(node, number)
        with read_reason(request, ChangedSinkSerializer) as body:
            changed = change_sink(sink=sink, user=user, delivers=body["delivers"], options=body["options"])
        return Response(describe_sinks([changed], user)[0])

    @extend_schema(request=ReasonSerializer, responses={204: None})
    def delete(self, request: Request, digest: str, number: int) -> Response:
        """Remove the sink; what was delivered stays at the target."""
        user = get_user(request)
        sink = get_sink(get_node(digest, user), number)
        with read_reason(request):
            remove_sink(sink=sink, user=user)
        return Response(status=status.HTTP_204_NO_CONTENT)


class SinkPauseView(ApiView):
    """Pausing a sink."""

    scopes = require_scopes(POST=Scope.OPERATE)
    refusals = ("403",)
    paused = True

    @extend_schema(request=ReasonSerializer, responses=SinkSerializer)
    def post(self, request: Request, digest: str, number: int) -> Response:
        """Pause delivery; the node continues, and nothing is lost."""
        return self.set(request, digest, number)

    def set(self, request: Request, digest: str, number: int) -> Response:
        """Pause or resume."""
        user = get_user(request)
        sink = get_sink(get_node(digest, user), number)
        with read_reason(request):
            return Response(describe_sinks([pause_sink(sink=sink, user=user, paused=self.paused)], user)[0])


class SinkResumeView(SinkPauseView):
    """Resuming a sink."""

    paused = False

    @extend_schema(request=ReasonSerializer, responses=SinkSerializer)
    def post(self, request: Request, digest: str, number: int) -> Response:
        """Resume delivery at the stored position."""
        return self.set(request, digest, number)
