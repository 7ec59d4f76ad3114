"""Emptying and deleting streams, and the trash."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.contrib.auth.models import User
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from timeline_app.web.core.audit_reasons import ReasonSerializer, read_reason
from timeline_app.web.core.etags import apply_if_match
from timeline_app.web.core.paging import make_paginator, paginate
from timeline_app.web.core.permissions import select_own
from timeline_app.web.core.requests import get_user
from timeline_app.web.core.schema import OWNER_KINDS
from timeline_app.web.core.scopes import require_token_scopes
from timeline_app.web.core.views import ApiView
from timeline_app.web.models import Stream
from timeline_app.web.models.tokens import Scope
from timeline_app.web.streams.api import StreamSerializer, StreamView, describe_stream
from timeline_app.web.streams.selectors import get_stream
from timeline_app.web.workspace.stream_removal import describe_removal, measure_landing
from timeline_app.web.workspace.trash import delete_stream, empty_stream, restore_from_trash

WAYS = ["deleted", "emptied"]


class StopConsentSerializer(ReasonSerializer):
    """Whether plans that read the stream may be stopped."""

    stop_plans = serializers.BooleanField(
        required=False,
        default=False,
        help_text="stop the running plans that read the stream; a token needs the scope operate for it",
    )


class RemovalPlanSerializer(serializers.Serializer[Any]):
    """A plan that reads the stream."""

    id = serializers.IntegerField(allow_null=True, help_text="null: the plan is not shared with you")
    name = serializers.CharField()
    owner = serializers.CharField()
    owner_kind = serializers.ChoiceField(OWNER_KINDS)
    running = serializers.BooleanField(help_text="it must stop first")
    may_stop = serializers.BooleanField(help_text="whether you may stop it")


class RemovalBoardSerializer(serializers.Serializer[Any]):
    """A dashboard that shows such a plan."""

    id = serializers.IntegerField()
    name = serializers.CharField()


class RemovalSerializer(serializers.Serializer[Any]):
    """The consequences of emptying or deleting a stream."""

    events = serializers.IntegerField(help_text="stored")
    bytes = serializers.IntegerField(help_text="of the stored events on disk")
    rejected = serializers.IntegerField(help_text="rejected events that go with them")
    plans = RemovalPlanSerializer(many=True)
    nodes = serializers.IntegerField(help_text="nodes in use that are computed from the stream")
    sinks = serializers.IntegerField(help_text="sinks of these nodes")
    dashboards = RemovalBoardSerializer(many=True)
    has_source = serializers.BooleanField(help_text="a source feeds the stream; it is paused")
    stops = serializers.IntegerField(help_text="running plans that must stop first")
    may_stop = serializers.BooleanField(help_text="whether you may stop all of them: send stop_plans")
    kept_seconds = serializers.IntegerField(help_text="how long it can be restored from the trash")


class TrashedSerializer(serializers.Serializer[Any]):
    """A deleted stream, or the events that a stream held before it was emptied."""

    id = serializers.IntegerField()
    name = serializers.CharField(help_text="of the stream")
    way = serializers.ChoiceField(WAYS)
    owner = serializers.CharField()
    owner_kind = serializers.ChoiceField(OWNER_KINDS)
    by = serializers.CharField(allow_null=True, help_text="who deleted or emptied it")
    at = serializers.DateTimeField()
    until = serializers.DateTimeField(help_text="from when on it is removed for good")
    events = serializers.IntegerField()
    bytes = serializers.IntegerField()


def describe_trashed_stream(trashed: Stream) -> dict[str, Any]:
    """Return an item of the trash in its wire type."""
    return {
        "id": trashed.pk,
        "name": trashed.name,
        "way": "deleted" if trashed.emptied_from_id is None else "emptied",
        **trashed.owner_told(),
        "by": trashed.trashed_by.get_username() if trashed.trashed_by else None,
        "at": trashed.trashed_at,
        "until": trashed.trashed_until,
        **measure_landing(trashed),
    }


def _consented(request: Request, body: dict[str, Any]) -> bool:
    """Return whether to stop plans; refuse a token without that scope."""
    if body["stop_plans"]:
        require_token_scopes(request.auth, [Scope.OPERATE])
    return bool(body["stop_plans"])


class RemovableStreamView(StreamView):
    """One stream."""

    @extend_schema(request=StopConsentSerializer, responses={204: None})
    def delete(self, request: Request, name: str) -> Response:
        """Move the stream with all its events to the trash, from which it can be restored for a while."""
        stream, user = get_stream(name, get_user(request)), get_user(request)
        with read_reason(request, StopConsentSerializer) as body:
            stops = _consented(request, body)
            delete = partial(delete_stream, stream=stream, user=user, stop_plans=stops)
            apply_if_match(request, stream, delete)
        return Response(status=status.HTTP_204_NO_CONTENT)


class StreamRemovalView(ApiView):
    """The preview of emptying or deleting a stream."""

    @extend_schema(responses=RemovalSerializer)
    def get(self, request: Request, name: str) -> Response:
        """Return what is stored, what reads it, and what must stop before it is emptied or deleted."""
        user = get_user(request)
        return Response(describe_removal(get_stream(name, user), user))


class StreamEmptyView(ApiView):
    """Emptying a stream."""

    refusals = ("403", "409")

    @extend_schema(request=StopConsentSerializer, responses=StreamSerializer)
    def post(self, request: Request, name: str) -> Response:
        """Move all events to the trash, from which they can be restored for a while; the stream stays."""
        stream, user = get_stream(name, get_user(request)), get_user(request)
        with read_reason(request, StopConsentSerializer) as body:
            empty_stream(stream=stream, user=user, stop_plans=_consented(request, body))
        return Response(describe_stream(get_stream(name, user), user))


class TrashView(ApiView):
    """The trash."""

    pagination_class = make_paginator("-trashed_at", "-id")

    @extend_schema(responses=TrashedSerializer(many=True))
    def get(self, request: Request) -> Response:
        """List deleted streams and events of emptied streams that you may restore; newest first."""
        return paginate(
            self,
            request,
            select_trashed_streams(get_user(request)),
            lambda rows: list(map(describe_trashed_stream, rows)),
        )


def select_trashed_streams(user: User) -> Any:
    """Select what somebody may restore."""
    trashed = Stream.everything.filter(trashed_at__isnull=False, purging=False)
    return select_own(trashed.select_related("owner", "team", "trashed_by"), user)


class TrashRestoreView(ApiView):
    """Restoring from the trash."""

    refusals = ("403", "409")

    @extend_schema(request=StopConsentSerializer, responses=StreamSerializer)
    def post(self, request: Request, number: int) -> Response:
        """Restore a stream, or its events; events that came since the emptying go to the trash instead."""
        user = get_user(request)
        with read_reason(request, StopConsentSerializer) as body:
            stops = _consented(request, body)
            stream = restore_from_trash(number=number, user=user, stop_plans=stops)
        return Response(describe_stream(stream, user))
