"""Sources of streams."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from timeline_app.connectors.options import Described, OptionKind, describe
from timeline_app.connectors.source_kinds import KINDS, NO_FOLDER, get_title, list_place_options
from timeline_app.web.core.audit_reasons import ReasonSerializer, read_reason
from timeline_app.web.core.permissions import Right, compute_rights_on, require
from timeline_app.web.core.requests import get_user, validate_body
from timeline_app.web.core.schema import ProblemSerializer
from timeline_app.web.core.scopes import require_scopes
from timeline_app.web.core.views import ApiView
from timeline_app.web.models import Stream
from timeline_app.web.models.sources import StreamSource
from timeline_app.web.models.tokens import Scope
from timeline_app.web.streams.mappings_api import MAPPING, ComparedEventSerializer, MappingRuleSerializer
from timeline_app.web.streams.selectors import get_stream
from timeline_app.web.streams.source_services import (
    describe_source,
    get_source,
    pause_source,
    remove_source,
    set_source,
    try_source,
)


class SourceOptionSerializer(serializers.Serializer[Any]):
    """An option of a kind of source or sink."""

    name = serializers.CharField()
    kind = serializers.ChoiceField([str(one) for one in OptionKind])
    help = serializers.CharField()
    required = serializers.BooleanField()  # type: ignore[assignment]
    default = serializers.JSONField(allow_null=True)
    choices = serializers.ListField(child=serializers.CharField())
    secret = serializers.BooleanField(help_text="kept encrypted, and never shown again")
    folder = serializers.BooleanField(help_text="a directory of the servers, one that may be read")
    unit = serializers.CharField(help_text="what a number counts, such as seconds; else empty")
    guards = serializers.BooleanField(help_text="where it changes, kept secrets are to be given again")


class SourceKindSerializer(serializers.Serializer[Any]):
    """A kind of source, and its options."""

    name = serializers.CharField()
    title = serializers.CharField()
    options = SourceOptionSerializer(many=True)


class SourceKindsSerializer(serializers.Serializer[Any]):
    """All kinds of sources."""

    kinds = SourceKindSerializer(many=True)


class GivenSourceSerializer(serializers.Serializer[Any]):
    """A source to set."""

    kind = serializers.CharField(max_length=40)
    options = serializers.DictField(help_text="as its kind asks for; secrets that are left out stay")
    mapping = serializers.ListField(
        child=serializers.JSONField(), required=False, help_text=f"{MAPPING}; without it as it was"
    )


class SetSourceSerializer(GivenSourceSerializer, ReasonSerializer):
    """A source to set, and whether it is read."""

    paused = serializers.BooleanField(required=False, help_text="without it as it was; at first it is read")


class SourceSerializer(serializers.Serializer[Any]):
    """A source and its state."""

    kind = serializers.CharField()
    title = serializers.CharField(help_text="how people call its kind")
    options = serializers.DictField(
        help_text="without the secrets; of addresses only the host, for who may not change it"
    )
    units = serializers.DictField(
        child=serializers.CharField(), help_text="by option, what its number counts, such as seconds"
    )
    secrets = serializers.ListField(child=serializers.CharField(), help_text="which secrets are kept")
    mapping = MappingRuleSerializer(many=True, help_text=MAPPING)
    paused = serializers.BooleanField()
    observed = serializers.ChoiceField(StreamSource.Observed.choices)
    words = serializers.CharField()
    lag = serializers.IntegerField(
        allow_null=True, help_text="messages that wait at the source, about; null while it is not reached"
    )
    missed = serializers.IntegerField(help_text="messages gone from the source before they were read")
    last_message_at = serializers.DateTimeField(allow_null=True)
    looked_at = serializers.DateTimeField(allow_null=True)


class TriedMessageSerializer(serializers.Serializer[Any]):
    """A message and its problems."""

    place = serializers.CharField(help_text="where it lies, as in `message 7 of plays/0`")
    text = serializers.CharField()
    problems = ProblemSerializer(many=True)
    events = ComparedEventSerializer(many=True, help_text="its first events")


class TriedSourceSerializer(serializers.Serializer[Any]):
    """Some of the newest messages."""

    messages = TriedMessageSerializer(many=True)


class SourceKindsView(ApiView):
    """The kinds of sources."""

    @extend_schema(responses=SourceKindsSerializer)
    def get(self, _request: Request) -> Response:
        """List the kinds of sources, with their options."""
        kinds = [
            {
                "name": name,
                "title": get_title(name),
                "options": describe_options(kind, list_place_options(name)),
            }
            for name, kind in KINDS.items()
        ]
        return Response({"kinds": kinds})


SECRETS_NEEDED_HINT = "; where it changes, secrets are to be given again"


def describe_options(kind: type, where: Collection[str]) -> list[dict[str, Any]]:
    """Return the options of a kind in their wire type; `where` are those that say where secrets are sent."""
    options = describe(kind)
    has_secrets = any(item.secret for item in options)
    return [_describe_option(item, has_secrets and (item.guards or item.name in where)) for item in options]


def _describe_option(option: Described, guards: bool) -> dict[str, Any]:
    document = {name: value for name, value in asdict(option).items() if name != "check"}
    folders = f"; {_format_folders()}" if option.folder else ""
    return document | {
        "guards": guards,
        "help": option.help + folders + (SECRETS_NEEDED_HINT if guards else ""),
    }


def _format_folders() -> str:
    within = ", ".join(map(str, settings.SOURCE_FOLDERS))
    return f"it lies in {within}" if within else NO_FOLDER


def _describe_source(source: StreamSource, stream: Stream, user: User) -> dict[str, Any]:
    return describe_source(source, whole=Right.EDIT in compute_rights_on(user, stream))


class SourceView(ApiView):
    """The source of a stream."""

    refusals = ("400", "403")

    @extend_schema(responses=SourceSerializer)
    def get(self, request: Request, name: str) -> Response:
        """Return the source and its state."""
        stream, user = get_stream(name, get_user(request)), get_user(request)
        return Response(_describe_source(get_source(stream), stream, user))

    @extend_schema(request=SetSourceSerializer, responses=SourceSerializer)
    def put(self, request: Request, name: str) -> Response:
        """Set the source. What was read from the same source before is not read again."""
        stream, user = get_stream(name, get_user(request)), get_user(request)
        require(user, Right.EDIT, stream)
        with read_reason(request, SetSourceSerializer) as body:
            source = set_source(
                stream=stream,
                user=user,
                kind=body["kind"],
                options=body["options"],
                paused=body.get("paused"),
                mapping=body.get("mapping"),
            )
        return Response(describe_source(source, whole=True))

    @extend_schema(request=ReasonSerializer, responses={204: None})
    def delete(self, request: Request, name: str) -> Response:
        """Remove the source. Its events stay, and events can still be pushed."""
        stream, user = get_stream(name, get_user(request)), get_user(request)
        require(user, Right.EDIT, stream)
        with read_reason(request):
            remove_source(stream=stream, user=user)
        return Response(status=status.HTTP_204_NO_CONTENT)


class SourceCheckView(ApiView):
    """A test of a source."""

    scopes = require_scopes(POST=Scope.WRITE)
    refusals = ("400", "403")

    @extend_schema(request=GivenSourceSerializer, responses=TriedSourceSerializer)
    def post(self, request: Request, name: str) -> Response:
        """Connect, and read up to 20 of the newest messages as the stream would take them; nothing is kept."""
        stream, user = get_stream(name, get_user(request)), get_user(request)
        require(user, Right.EDIT, stream)
        body = validate_body(GivenSourceSerializer, request)
        tried = try_source(
            stream=stream,
            user=user,
            kind=body["kind"],
            options=body["options"],
            mapping=body.get("mapping"),
        )
        return Response({"messages": tried})


class SourcePauseView(ApiView):
    """Pausing a source."""

    scopes = require_scopes(POST=Scope.OPERATE)
    refusals = ("403",)
    paused = True

    @extend_schema(request=ReasonSerializer, responses=SourceSerializer)
    def post(self, request: Request, name: str) -> Response:
        """Pause reading; the position is kept."""
        return self.set(request, get_stream(name, get_user(request)), get_user(request))

    def set(self, request: Request, stream: Stream, user: User) -> Response:
        """Pause or resume."""
        require(user, Right.OPERATE, stream)
        with read_reason(request):
            return Response(
                _describe_source(pause_source(stream=stream, user=user, paused=self.paused), stream, user)
            )


class SourceResumeView(SourcePauseView):
    """Resuming a source."""

    paused = False

    @extend_schema(request=ReasonSerializer, responses=SourceSerializer)
    def post(self, request: Request, name: str) -> Response:
        """Resume reading at the stored position."""
        return self.set(request, get_stream(name, get_user(request)), get_user(request))
