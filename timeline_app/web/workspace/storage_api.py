"""Stored data over REST."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from timeline_app.web.core.requests import get_user
from timeline_app.web.core.schema import OWNER_KINDS
from timeline_app.web.core.views import ApiView
from timeline_app.web.workspace.storage import KINDS, LIMITED_KINDS, describe_storage


class StoredTotalSerializer(serializers.Serializer[Any]):
    """The total of one kind."""

    kind = serializers.ChoiceField(KINDS)
    bytes = serializers.IntegerField()


class StoredSerializer(serializers.Serializer[Any]):
    """A stored item."""

    kind = serializers.ChoiceField(
        KINDS, help_text="results: feed, state and checkpoints of the nodes that a query computes"
    )
    name = serializers.CharField()
    owner = serializers.CharField()
    owner_kind = serializers.ChoiceField(OWNER_KINDS)
    bytes = serializers.IntegerField(help_text="on disk; of rejected events and samples in the database")
    count = serializers.IntegerField(help_text="events; of results keys")
    why = serializers.CharField()
    until = serializers.DateTimeField(allow_null=True, help_text="null: no end is set")
    link = serializers.CharField(help_text="the page where something can be done about it")


class KeptForSerializer(serializers.Serializer[Any]):
    """How long something is kept."""

    kind = serializers.ChoiceField(
        LIMITED_KINDS,
        help_text="results: by event time; incidents: after their last change; unused: results that nothing uses",
    )
    setting = serializers.CharField(help_text="the setting that says so")
    kept_for = serializers.CharField(help_text="a duration, such as 90d")


class DiskSerializer(serializers.Serializer[Any]):
    """The server's disk."""

    free = serializers.IntegerField(help_text="bytes")
    low = serializers.BooleanField(help_text="whether somebody should make room")
    refused = serializers.CharField(help_text="what is refused for lack of space; empty: nothing")


class StorageSerializer(serializers.Serializer[Any]):
    """Stored items, the largest first."""

    totals = StoredTotalSerializer(many=True)
    results = StoredSerializer(many=True)
    more = serializers.IntegerField(help_text="how many smaller ones are not listed")
    limits = KeptForSerializer(many=True)
    disk = DiskSerializer()


class StorageView(ApiView):
    """Stored data."""

    @extend_schema(responses=StorageSerializer)
    def get(self, request: Request) -> Response:
        """Return what you and your teams store, why, and until when; administrators see everything."""
        return Response(describe_storage(get_user(request)))
