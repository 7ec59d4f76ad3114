"""Recording, uploading, renaming and deleting samples."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta

import pyarrow as pa
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from timeline_app.landing.recording import Events, load_next_rows
from timeline_app.landing.segments import SCHEMA
from timeline_app.web.core import audit_writing
from timeline_app.web.core.errors import Conflict, Invalid
from timeline_app.web.core.permissions import Right, require_role, select_readable_plans
from timeline_app.web.core.quotas import QUOTAS, enforce_quotas, get_holder
from timeline_app.web.core.sample_size import MAX_SAMPLE_BYTES, MAX_SAMPLE_EVENTS, refuse_count, refuse_size
from timeline_app.web.core.sharing import lock, lock_permitted
from timeline_app.web.models import Stream
from timeline_app.web.models.people import Role
from timeline_app.web.models.samples import PlanTest, Sample, SamplePart
from timeline_app.web.samples.selectors import find_equal_sample, load_newest_events
from timeline_app.web.streams.read_rights import HolderRights, select_lost_recordings
from timeline_app.web.streams.selectors import landing_by_name
from timeline_app.web.workspace.ended_rights import LOST_STREAMS, end_recording

MAX_RECORDING_DURATION = timedelta(hours=1)
"""Then a recording of future events ends."""


def keep_sample(*, user: User, name: str, events: Mapping[str, Events], recorded: bool = False) -> Sample:
    """Store events by stream; `recorded`: they come from the streams themselves."""
    if sum(len(stream_events.table) for stream_events in events.values()) > MAX_SAMPLE_EVENTS:
        raise refuse_size(f"more than {MAX_SAMPLE_EVENTS:,} events")
    with transaction.atomic(), enforce_quotas(user, "samples", "sample_bytes"):
        sample = _create_sample(user, name, events)
        _write(sample, events, recorded=recorded)
    return sample


def keep_sample_once(*, user: User, name: str, events: Mapping[str, Events]) -> tuple[Sample, bool]:
    """Store events by stream, unless an equal sample exists; return the sample and whether it is new."""
    with transaction.atomic():
        equal_sample = find_equal_sample(user, require_name(name), events)
        return (
            (equal_sample, False)
            if equal_sample
            else (keep_sample(user=user, name=name, events=events), True)
        )


def record_last_events(
    *, user: User, name: str, streams: Sequence[str], count: int, keys: Sequence[str]
) -> Sample:
    """Store the last landed events of each stream, optionally of some keys."""
    refuse_recording(count, streams)
    newest_events = load_newest_events(streams, count, keys)
    if not any(len(item.table) for item in newest_events.values()):
        of = f" with the key {' or '.join(keys)}" if keys else ""
        raise Conflict(f"No event{of} has come yet on {', '.join(streams)}.", code="no_events")
    return keep_sample(user=user, name=name, events=newest_events, recorded=True)


def record_next_events(
    *, user: User, name: str, streams: Sequence[str], count: int, keys: Sequence[str]
) -> Sample:
    """Start recording future events; they are collected whenever somebody reads the sample."""
    refuse_recording(count, streams)
    since = {name_of_stream: landing_by_name(name_of_stream).end() for name_of_stream in streams}
    with transaction.atomic(), enforce_quotas(user, "samples"):
        sample = _create_sample(user, name, streams)
        sample.recording = {"count": count, "keys": list(keys), "since": since}
        sample.recording_until = timezone.now() + MAX_RECORDING_DURATION
        sample.save(update_fields=["recording", "recording_until"])
        _write(sample, {stream: Events(SCHEMA.empty_table()) for stream in streams}, recorded=True)
    return sample


def gather_sample(*, sample: Sample) -> Sample:
    """Collect what has landed since.

    The recording ends when it is complete, after an hour, when the owner loses the right, or when the quota is used
    up.
    """
    with transaction.atomic():
        sample = lock(sample)
        if sample.recording is None:
            return sample
        if select_lost_recordings(HolderRights(), sample.pk):
            end_recording(sample, LOST_STREAMS)
            return sample
        if QUOTAS["sample_bytes"].is_full(get_holder(sample)):
            end_recording(sample, "has no room for more samples")
            return sample
        count, missing = sample.recording, 0
        for part in list(sample.parts.all()):
            missing += _gather(part, count)
        over = sample.recording_until is not None and sample.recording_until < timezone.now()
        sample.recording = count if missing and not over else None
        sample.save(update_fields=["recording", "updated_at"])
    return sample


def stop_sample(*, sample: Sample, user: User) -> Sample:
    """End the recording, and keep what has arrived so far."""
    gather_sample(sample=sample)
    with transaction.atomic():
        sample = lock_permitted(sample, user, Right.EDIT)
        sample.recording = None
        sample.save(update_fields=["recording", "updated_at"])
    return sample


def rename_sample(*, sample: Sample, user: User, name: str) -> Sample:
    """Rename a sample."""
    with transaction.atomic():
        sample = lock_permitted(sample, user, Right.EDIT)
        before, sample.name = {"name": sample.name}, require_name(name)
        sample.save(update_fields=["name", "updated_at"])
        audit_writing.note(
            user=user, act="sample.rename", thing=sample, before=before, after={"name": sample.name}
        )
    return sample


def delete_sample(*, sample: Sample, user: User) -> None:
    """Delete a sample, unless tests use it."""
    with transaction.atomic():
        sample = lock_permitted(sample, user, Right.OWN)
        tests = list(sample.tests.select_related("plan__owner", "plan__team")[:4])
        if tests:
            readable_plans = select_readable_plans([test.plan_id for test in tests], user)
            text = ", ".join(
                _describe_test(test, is_visible=test.plan_id in readable_plans) for test in tests[:3]
            )
            more = " and others" if len(tests) > 3 else ""
            raise Conflict(f"The tests {text}{more} use this sample. Delete them first.", code="in_use")
        audit_writing.note(user=user, act="sample.delete", thing=sample)
        sample.delete()


def _describe_test(test: PlanTest, *, is_visible: bool) -> str:
    """Name a test as far as the user may know of it."""
    return (
        f"“{test.name}” of the plan “{test.plan.name}”"
        if is_visible
        else f"of a plan of {test.plan.owner_name}"
    )


def require_name(name: str) -> str:
    """Return a name that is not empty."""
    if not name.strip():
        raise Invalid.field("name", "A sample needs a name.", 'Send "name": "a seek while buffering".')
    return name.strip()[:200]


def refuse_recording(count: int, streams: Sequence[str]) -> None:
    """Refuse to record no stream, or more events than a sample may have."""
    if not streams:
        raise Invalid.field("streams", "No stream is named.", 'Send "streams": ["player"].')
    refuse_count(count, len(streams))


def _create_sample(user: User, name: str, streams: Iterable[str]) -> Sample:
    require_role(user, Role.EDITOR, "To keep a sample")
    closed = Stream.objects.filter(name__in=list(streams), open_to_all=False).exists()
    sample = Sample.objects.create(owner=user, name=require_name(name), open_to_all=not closed)
    audit_writing.note(user=user, act="sample.create", thing=sample)
    return sample


def _write(sample: Sample, events: Mapping[str, Events], *, recorded: bool) -> None:
    parts = [
        SamplePart(sample=sample, stream=stream, recorded=recorded).holding(stream_events)
        for stream, stream_events in events.items()
    ]
    if sum(part.size for part in parts) > MAX_SAMPLE_BYTES:
        raise refuse_size("larger")
    SamplePart.objects.bulk_create(parts)


def _gather(part: SamplePart, recording: dict[str, object]) -> int:
    """Collect the events of one part; return how many are missing."""
    count, keys, since = recording["count"], recording["keys"], recording["since"]
    assert isinstance(count, int)
    assert isinstance(keys, list)
    assert isinstance(since, dict)
    events_left = count - part.events
    if events_left <= 0:
        return 0
    landing = landing_by_name(part.stream)
    new_events, since[part.stream] = load_next_rows(landing, since[part.stream], events_left, keys)
    if len(new_events):
        part.holding(Events(pa.concat_tables([part.table(), new_events]))).save()
    return events_left - len(new_events) if part.size < MAX_SAMPLE_BYTES else 0
