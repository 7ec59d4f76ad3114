"""Channels and silences over REST."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from timeline_app.web.alerts.channel_kinds import KINDS
from timeline_app.web.alerts.channel_selectors import (
    SILENCE_STATES,
    describe_channels,
    describe_silences,
    filter_silences,
    get_channel,
    get_silence,
    select_channels,
    select_silences,
)
from timeline_app.web.alerts.channel_services import (
    change_channel,
    create_channel,
    delete_channel,
    try_channel,
)
from timeline_app.web.alerts.documents import MAX_ID
from timeline_app.web.alerts.selectors import get_alert
from timeline_app.web.alerts.silence_services import create_silence, end_silence
from timeline_app.web.core import query_parameters
from timeline_app.web.core.audit_reasons import ReasonSerializer, read_reason
from timeline_app.web.core.etags import answer_with_etag, apply_if_match
from timeline_app.web.core.paging import make_paginator, paginate
from timeline_app.web.core.requests import get_user, validate_body
from timeline_app.web.core.schema import OwnedFields
from timeline_app.web.core.scopes import require_scopes
from timeline_app.web.core.views import ApiView
from timeline_app.web.models.channels import AlertChannel
from timeline_app.web.models.tokens import Scope
from timeline_app.web.streams.source_api import SourceOptionSerializer, describe_options

OPTIONS_HELP = "as its kind asks for; secrets that are left out stay"


class ChannelKindSerializer(serializers.Serializer[Any]):
    """A kind of channel, and its options."""

    name = serializers.CharField()
    title = serializers.CharField()
    options = SourceOptionSerializer(many=True)


class ChannelKindsSerializer(serializers.Serializer[Any]):
    """All kinds of channels."""

    kinds = ChannelKindSerializer(many=True)


class NewChannelSerializer(ReasonSerializer):
    """A channel to create."""

    name = serializers.CharField(max_length=200)
    kind = serializers.CharField(max_length=60)
    options = serializers.DictField(help_text=OPTIONS_HELP)


class ChangedChannelSerializer(ReasonSerializer):
    """Changes of a channel; fields that are left out stay."""

    name = serializers.CharField(max_length=200, required=False)
    options = serializers.DictField(required=False, help_text=OPTIONS_HELP)
    paused = serializers.BooleanField(required=False)


class ChannelSerializer(OwnedFields):
    """A channel and its state. Only its owner and administrators see where messages go."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    kind = serializers.CharField()
    options = serializers.DictField(help_text="without the secrets; of an address of the web only the host")
    secrets = serializers.ListField(child=serializers.CharField(), help_text="which secrets are kept")
    paused = serializers.BooleanField()
    version = serializers.IntegerField(help_text="grows with every change")
    observed = serializers.ChoiceField(AlertChannel.Observed.choices)
    words = serializers.CharField(help_text="what is going on, for people")
    alerts = serializers.IntegerField(help_text="how many alerts notify it, also such as you may not view")
    waiting = serializers.IntegerField(help_text="messages that the receiver does not have yet")
    waiting_since = serializers.DateTimeField(allow_null=True, help_text="when the oldest of them was made")
    sent = serializers.IntegerField(help_text="messages that the receiver has")
    sent_at = serializers.DateTimeField(allow_null=True)
    failing_since = serializers.DateTimeField(
        allow_null=True, help_text="no message has arrived since; null: they do"
    )


class ScheduleSerializer(serializers.Serializer[Any]):
    """Hours of the week by the clocks of a zone."""

    days = serializers.CharField(
        max_length=100,
        required=False,
        help_text="such as mon-fri or sat,sun: those it begins on; default: all",
    )
    zone = serializers.CharField(max_length=100, required=False, help_text="default: UTC")

    def get_fields(self) -> dict[str, Any]:
        """Return the fields; `from` is no name in Python."""
        begin, end = (
            serializers.CharField(max_length=20, help_text=f"such as {one}") for one in ("22:00", "04:00")
        )
        return {"from": begin, "to": end, **super().get_fields()}


class SilencingNodeSerializer(serializers.Serializer[Any]):
    """A bool node of a plan."""

    plan = serializers.IntegerField(min_value=1, max_value=MAX_ID)
    node = serializers.CharField(max_length=200)


class NewSilenceSerializer(serializers.Serializer[Any]):
    """A silence for an alert, or for all alerts of the owner: their incidents notify nobody for a while."""

    alert = serializers.IntegerField(
        min_value=1, max_value=MAX_ID, required=False, allow_null=True, help_text="null: all of yours"
    )
    key = serializers.CharField(
        max_length=1_024, required=False, allow_blank=True, help_text="with * for any text; empty: all keys"
    )
    label = serializers.CharField(  # type: ignore[assignment]  # a field of this name
        max_length=50, required=False, allow_blank=True, help_text="only alerts with this label"
    )
    label_value = serializers.CharField(
        max_length=200, required=False, allow_blank=True, help_text="and this value of it"
    )
    reason = serializers.CharField(max_length=500, help_text="why")
    begins_at = serializers.DateTimeField(required=False, help_text="default: now")
    ends_at = serializers.DateTimeField()
    schedule = ScheduleSerializer(required=False, allow_null=True, help_text="only within these hours")
    during = SilencingNodeSerializer(
        required=False, allow_null=True, help_text="only for keys of which this node is true"
    )


class SilencedDuringSerializer(SilencingNodeSerializer):
    """A bool node of a plan, with the name of the plan."""

    plan_name = serializers.CharField(allow_null=True, help_text="null: you may not view the plan")


class SilenceSerializer(OwnedFields):
    """A silence."""

    id = serializers.IntegerField()
    alert = serializers.IntegerField(allow_null=True)
    alert_name = serializers.CharField(allow_null=True)
    key = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]  # a field of this name
    label_value = serializers.CharField()
    reason = serializers.CharField()
    begins_at = serializers.DateTimeField()
    ends_at = serializers.DateTimeField()
    schedule = ScheduleSerializer(allow_null=True, help_text="it silences only within these hours")
    during = SilencedDuringSerializer(
        allow_null=True, help_text="it silences only the keys of which this node is true"
    )
    state = serializers.ChoiceField(SILENCE_STATES, help_text="whether it has begun, or is over")
    open = serializers.BooleanField(
        help_text="whether it silences now, as far as its times and its schedule say"
    )


def describe_current_channel(number: int, user: User) -> dict[str, Any]:
    """Return a channel's current state."""
    return describe_channels([get_channel(number, user)], user)[0]


class ChannelKindsView(ApiView):
    """The kinds of channels."""

    @extend_schema(responses=ChannelKindsSerializer)
    def get(self, _request: Request) -> Response:
        """List the kinds of channels, with their options."""
        kinds = [
            {"name": name, "title": kind.title, "options": describe_options(kind, kind.place)}
            for name, kind in KINDS.items()
        ]
        return Response({"kinds": kinds})


class ChannelsView(ApiView):
    """All channels."""

    refusals = ("400", "409")
    pagination_class = make_paginator("name", "pk")

    @extend_schema(responses=ChannelSerializer(many=True), operation_id="channels_list")
    def get(self, request: Request) -> Response:
        """List the channels that you may read, by name."""
        user = get_user(request)
        return paginate(self, request, select_channels(user), lambda rows: describe_channels(rows, user))

    @extend_schema(request=NewChannelSerializer, responses={201: ChannelSerializer})
    def post(self, request: Request) -> Response:
        """Create a channel, which alerts can notify."""
        user = get_user(request)
        with read_reason(request, NewChannelSerializer) as body:
            channel = create_channel(user=user, name=body["name"], kind=body["kind"], options=body["options"])
        return Response(describe_current_channel(channel.pk, user), status=status.HTTP_201_CREATED)


class ChannelView(ApiView):
    """One channel."""

    refusals = ("400", "403", "409")
    tagged = True

    @extend_schema(responses=ChannelSerializer)
    def get(self, request: Request, number: int) -> Response:
        """Return a channel and its state."""
        user = get_user(request)
        channel = get_channel(number, user)
        return answer_with_etag(request, channel, describe_channels([channel], user)[0])

    @extend_schema(request=ChangedChannelSerializer, responses=ChannelSerializer)
    def patch(self, request: Request, number: int) -> Response:
        """Change the name or options, pause it, or resume it. Messages wait while it is paused."""
        user = get_user(request)
        channel = get_channel(number, user)
        with read_reason(request, ChangedChannelSerializer) as body:
            changed = apply_if_match(
                request,
                channel,
                lambda: change_channel(
                    channel=channel, user=user, name=body.get("name"), options=body.get("options"),
                    paused=body.get("paused"),
                ),
            )  # fmt: skip
        return answer_with_etag(request, changed, describe_current_channel(number, user))

    @extend_schema(request=ReasonSerializer, responses={204: None})
    def delete(self, request: Request, number: int) -> Response:
        """Delete the channel, with its waiting messages."""
        user = get_user(request)
        channel = get_channel(number, user)
        with read_reason(request):
            apply_if_match(request, channel, lambda: delete_channel(channel=channel, user=user))
        return Response(status=status.HTTP_204_NO_CONTENT)


class ChannelTestView(ApiView):
    """A test of a channel."""

    scopes = require_scopes(POST=Scope.WRITE)
    refusals = ("400", "403")

    @extend_schema(request=None, responses={204: None})
    def post(self, request: Request, number: int) -> Response:
        """Send a test message now; if it does not arrive, the refusal says why."""
        user = get_user(request)
        try_channel(channel=get_channel(number, user), user=user)
        return Response(status=status.HTTP_204_NO_CONTENT)


class SilencesView(ApiView):
    """All silences."""

    pagination_class = make_paginator("-ends_at", "-pk")

    @extend_schema(
        parameters=[
            OpenApiParameter("state", str, enum=SILENCE_STATES, description="only those in this state"),
            OpenApiParameter("alert", int, description="only those of the alert of this number"),
        ],
        responses=SilenceSerializer(many=True),
        operation_id="silences_list",
    )
    def get(self, request: Request) -> Response:
        """List the silences that you may read, the last to end first."""
        user = get_user(request)
        silences = select_silences(user)
        if state := query_parameters.parse_choice(request, "state", SILENCE_STATES):
            silences = filter_silences(silences, state)
        if alert := query_parameters.number(request, "alert", default=0, least=1, most=MAX_ID):
            silences = silences.filter(alert=alert)
        return paginate(self, request, silences, lambda rows: describe_silences(rows, user))

    @extend_schema(request=NewSilenceSerializer, responses={201: SilenceSerializer})
    def post(self, request: Request) -> Response:
        """Silence incidents for a while. The incidents go on; only messages wait."""
        user, body = get_user(request), validate_body(NewSilenceSerializer, request)
        number = body.pop("alert", None)
        alert = None if number is None else get_alert(number, user)
        silence = create_silence(user=user, alert=alert, settings=body)
        return Response(describe_silences([silence], user)[0], status=status.HTTP_201_CREATED)


class SilenceView(ApiView):
    """One silence."""

    refusals = ("403",)

    @extend_schema(responses=SilenceSerializer)
    def get(self, request: Request, number: int) -> Response:
        """Return a silence."""
        user = get_user(request)
        return Response(describe_silences([get_silence(number, user)], user)[0])

    @extend_schema(request=ReasonSerializer, responses={204: None})
    def delete(self, request: Request, number: int) -> Response:
        """End the silence now."""
        user = get_user(request)
        silence = get_silence(number, user)
        with read_reason(request):
            end_silence(silence=silence, user=user)
        return Response(status=status.HTTP_204_NO_CONTENT)
