"""Bulk transfer to another person or team, by ids or by search."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from timeline_app.web.core.audit_reasons import ReasonSerializer, read_reason
from timeline_app.web.core.errors import Conflict, Invalid
from timeline_app.web.core.requests import get_user, validate_body
from timeline_app.web.core.schema import OWNER_KINDS
from timeline_app.web.core.scopes import require_scopes
from timeline_app.web.core.search_api import MAX_QUERY_CHARS
from timeline_app.web.core.sharing import transfer
from timeline_app.web.core.views import ApiView
from timeline_app.web.models.tokens import Scope
from timeline_app.web.workspace.bulk_transfer import KINDS, Meant, describe_transfer, select_to_give
from timeline_app.web.workspace.transfer_api import HolderSerializer, TransferredSerializer, get_named_holder

MAX_CHOSEN_IDS = 1000
GIVEN = tuple(KINDS)


class MeantSerializer(serializers.Serializer[Any]):
    """Resources of one kind: those that `ids` name, or all that `q` finds."""

    of = serializers.ChoiceField(GIVEN)
    ids = serializers.ListField(
        child=serializers.CharField(max_length=200),
        max_length=MAX_CHOSEN_IDS,
        required=False,
        help_text="numbers; of nodes digests, of streams names",
    )
    q = serializers.CharField(
        max_length=MAX_QUERY_CHARS,
        required=False,
        allow_blank=True,
        help_text="words of a search, instead of `ids`",
    )


class GiveSerializer(MeantSerializer, ReasonSerializer):
    """The new owner, and the reason."""

    to = HolderSerializer()
    count = serializers.IntegerField(
        min_value=0,
        max_value=2**31 - 1,
        required=False,
        help_text="how many are meant; where it is another number by now, nothing is given away",
    )


class StayingSerializer(serializers.Serializer[Any]):
    """A resource that would be transferred, or that the user may not transfer."""

    id = serializers.CharField()
    name = serializers.CharField()
    owner = serializers.CharField()
    owner_kind = serializers.ChoiceField(OWNER_KINDS)


class GivingSerializer(serializers.Serializer[Any]):
    """The preview of a transfer."""

    count = serializers.IntegerField(help_text="how many may be given away by the one who asks")
    running = serializers.IntegerField(help_text="how many of them are plans that run, and go on running")
    given = StayingSerializer(many=True, help_text="the first of those that may be given away")
    owner = HolderSerializer(allow_null=True, help_text="whose all of those are; null where several own them")
    others = serializers.IntegerField(help_text="how many are somebody else's")
    kept = StayingSerializer(many=True, help_text="the first of those that are somebody else's")


def select_by_body(body: dict[str, Any]) -> Meant:
    """Return the selection of a body: ids, or a search."""
    if ("q" in body) == ("ids" in body):
        raise Invalid.field("ids", "Give either ids or q.", "q finds all that match, ids names some.")
    if "q" not in body and not body["ids"]:
        raise Invalid.field("ids", "Nothing is chosen.", "Name at least one.")
    return Meant(body["of"], body.get("ids", ()), body.get("q"))


class GivingView(ApiView):
    """The preview of a bulk transfer."""

    scopes = require_scopes(POST=Scope.READ)

    @extend_schema(request=MeantSerializer, responses=GivingSerializer)
    def post(self, request: Request) -> Response:
        """Return how many would be transferred, and which would not; nothing is changed."""
        return Response(
            describe_transfer(select_by_body(validate_body(MeantSerializer, request)), get_user(request))
        )


class GiveView(ApiView):
    """A bulk transfer."""

    refusals = ("403", "404", "409")

    @extend_schema(request=GiveSerializer, responses=TransferredSerializer)
    def post(self, request: Request) -> Response:
        """Transfer all of them or none. Chosen ones must all be your own; of a search, your own are taken."""
        user = get_user(request)
        with read_reason(request, GiveSerializer) as body:
            things = select_to_give(select_by_body(body), user)
            if body.get("count", len(things)) != len(things):
                words = f"There are {len(things)} by now, and {body['count']} were meant: nothing was transferred."
                raise Conflict(f"{words} Look again.", code="changed_meanwhile")
            to = get_named_holder(body["to"], "to")
            count = transfer(things=things, user=user, to=to)
        return Response({"owner": body["to"]["name"], "owner_kind": body["to"]["kind"], "transferred": count})
