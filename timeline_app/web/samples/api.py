"""Recording, uploading, reading and deleting samples."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter, OpenApiRequest, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from timeline_app.web.core import query_parameters
from timeline_app.web.core.audit_reasons import ReasonSerializer, read_reason
from timeline_app.web.core.paging import make_paginator, paginate
from timeline_app.web.core.permissions import select_owned
from timeline_app.web.core.requests import get_asker, get_user, validate_body
from timeline_app.web.core.sample_size import MAX_SAMPLE_EVENTS
from timeline_app.web.core.schema import ProblemSerializer, ScalarField, SharedFields
from timeline_app.web.core.search_api import WORDS, filter_by_search
from timeline_app.web.core.upload_parsers import PARSERS, validate_upload
from timeline_app.web.core.views import ApiView
from timeline_app.web.jobs.uploads import File
from timeline_app.web.models.samples import Sample
from timeline_app.web.plans.evaluate_api import make_names_field
from timeline_app.web.samples.selectors import (
    describe_samples,
    export_events,
    get_deletable_sample,
    get_sample,
    read_sent_events,
    select_samples,
)
from timeline_app.web.samples.services import (
    delete_sample,
    gather_sample,
    keep_sample_once,
    record_last_events,
    record_next_events,
    rename_sample,
    stop_sample,
)
from timeline_app.web.streams.mappings_api import MappingsField
from timeline_app.web.streams.selectors import get_stream


class NewSampleSerializer(serializers.Serializer[Any]):
    """A sample to create: the last or the next events of some streams, or events that are sent along."""

    name = serializers.CharField(max_length=200)
    streams = make_names_field("the streams to record")
    last = serializers.IntegerField(
        required=False, min_value=1, max_value=MAX_SAMPLE_EVENTS, help_text="how many of each"
    )
    next = serializers.IntegerField(
        required=False, min_value=1, max_value=MAX_SAMPLE_EVENTS, help_text="how many of each"
    )
    keys = make_names_field("only events of these keys")
    events = serializers.DictField(required=False, help_text="by stream, a list of events")
    mapping = MappingsField()

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse a mapping of recorded events, which were mapped already."""
        if attrs.get("mapping") and ("last" in attrs or "next" in attrs):
            raise serializers.ValidationError(
                "Leave out mapping: only events that are sent along are mapped."
            )
        return attrs


class SampleNameSerializer(serializers.Serializer[Any]):
    """Changes of a sample; `recording` false ends the recording."""

    name = serializers.CharField(max_length=200, required=False)
    recording = serializers.ChoiceField([False], required=False)


class RecordingSerializer(serializers.Serializer[Any]):
    """What a recording still waits for: so many events of each stream, of these keys."""

    count = serializers.IntegerField()
    keys = serializers.ListField(child=serializers.CharField())


class SampleStreamSerializer(serializers.Serializer[Any]):
    """The events of one stream; times are microseconds, sizes bytes."""

    stream = serializers.CharField()
    events = serializers.IntegerField()
    mistyped = serializers.IntegerField()
    warnings = ProblemSerializer(
        many=True, help_text="mistyped values, rows that were left out, times that may not be what was meant"
    )
    notes = serializers.ListField(child=serializers.CharField(), help_text="how a file was decoded")
    size = serializers.IntegerField()
    first = serializers.IntegerField(allow_null=True)
    last = serializers.IntegerField(allow_null=True)


class SampleSerializer(SharedFields):
    """A sample, without its events."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    created_at = serializers.DateTimeField()
    recording = RecordingSerializer(allow_null=True)
    streams = SampleStreamSerializer(many=True)
    tests = serializers.IntegerField(help_text="how many tests use it")


class SampleEventsSerializer(serializers.Serializer[Any]):
    """The events of a sample by stream, as they could be pushed again."""

    events = serializers.DictField(
        child=serializers.ListField(child=serializers.DictField(child=ScalarField(allow_null=True)))
    )
    times = serializers.DictField(
        child=serializers.ListField(child=serializers.IntegerField()),
        help_text="of the events in their order, microseconds",
    )


class SamplesView(ApiView):
    """All samples."""

    pagination_class = make_paginator("-created_at", "-pk")

    parser_classes = PARSERS
    refusals = ("400", "404", "409", "413", "429", "503")

    @extend_schema(
        parameters=[WORDS, OpenApiParameter("owner", str)],
        responses=SampleSerializer(many=True),
        operation_id="samples_list",
    )
    def get(self, request: Request) -> Response:
        """List all samples, the newest first."""
        queryset = filter_by_search(select_samples(get_user(request)), request)
        if owner := query_parameters.parse_text(request, "owner"):
            queryset = select_owned(queryset, owner, get_user(request))
        return paginate(self, request, queryset, lambda rows: describe_samples(rows, get_user(request)))

    @extend_schema(
        request={
            "application/json": NewSampleSerializer,
            "multipart/form-data": OpenApiRequest(
                {"type": "object", "properties": {"request": {"type": "string"}}}
            ),
        },
        responses={201: SampleSerializer, 200: SampleSerializer},
    )
    def post(self, request: Request) -> Response:
        """Record the last or the next events of streams (of some keys), or store events that are sent along.

        Sending the same events under the same name again returns that sample, and 200.
        """
        body, files = validate_upload(NewSampleSerializer, request)
        sample, is_new = create_requested_sample(body, files, request)
        answer = status.HTTP_201_CREATED if is_new else status.HTTP_200_OK
        return Response(describe_current_sample(sample.pk, request), status=answer)


def describe_current_sample(number: int, request: Request) -> dict[str, Any]:
    """Return a sample's current state."""
    user = get_user(request)
    return describe_samples([get_sample(number, user)], user)[0]


def create_requested_sample(
    body: dict[str, Any], files: dict[str, File], request: Request
) -> tuple[Sample, bool]:
    """Return the requested sample, and whether it is new."""
    ways = [name for name in ("last", "next", "events") if name in body] + (["files"] if files else [])
    if len(ways) != 1 and set(ways) != {"events", "files"}:
        raise serializers.ValidationError("Send exactly one of last, next, and events or files.")
    user, name = get_user(request), body["name"]
    if ways[0] in ("events", "files"):
        mapping = body.get("mapping", {})
        events = read_sent_events(body.get("events", {}), files, mapping, user=user, asker=get_asker(request))
        return keep_sample_once(user=user, name=name, events=events)
    record = record_last_events if ways[0] == "last" else record_next_events
    streams = [get_stream(item, user).name for item in dict.fromkeys(body.get("streams", ()))]
    return record(user=user, name=name, streams=streams, count=body[ways[0]], keys=body.get("keys", ())), True


class SampleView(ApiView):
    """One sample."""

    refusals = ("403", "409")

    @extend_schema(responses=SampleSerializer)
    def get(self, request: Request, number: int) -> Response:
        """Return a sample; an active recording first takes what has arrived."""
        sample = get_sample(number, get_user(request))
        if sample.recording is not None:
            gather_sample(sample=sample)
        return Response(describe_current_sample(number, request))

    @extend_schema(request=SampleNameSerializer, responses=SampleSerializer)
    def put(self, request: Request, number: int) -> Response:
        """Rename it, or end its recording."""
        sample, user, body = (
            get_sample(number, get_user(request)),
            get_user(request),
            validate_body(SampleNameSerializer, request),
        )
        if "name" in body:
            rename_sample(sample=sample, user=user, name=body["name"])
        if "recording" in body:
            stop_sample(sample=sample, user=user)
        return Response(describe_current_sample(number, request))

    @extend_schema(request=ReasonSerializer, responses={204: None})
    def delete(self, request: Request, number: int) -> Response:
        """Delete it, unless tests use it."""
        with read_reason(request):
            delete_sample(sample=get_deletable_sample(number, get_user(request)), user=get_user(request))
        return Response(status=status.HTTP_204_NO_CONTENT)


class SampleEventsView(ApiView):
    """The events of a sample."""

    refusals = ("400",)

    @extend_schema(
        parameters=[OpenApiParameter("key", str, description="only the events of this key")],
        responses=SampleEventsSerializer,
    )
    def get(self, request: Request, number: int) -> Response:
        """Return all events by stream, or those of a key."""
        return Response(
            export_events(get_sample(number, get_user(request)), query_parameters.parse_text(request, "key"))
        )
