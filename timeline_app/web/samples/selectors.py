"""Reading samples."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from django.contrib.auth.models import User
from django.db.models import Prefetch, QuerySet

from timeline_app.landing.recording import Events, describe_events, load_last_rows
from timeline_app.web.core.errors import Missing, as_problem
from timeline_app.web.core.permissions import (
    NONE,
    Rights,
    compute_rights,
    format_rights,
    match_owner,
    select_readable,
)
from timeline_app.web.core.sample_size import refuse_count
from timeline_app.web.core.sandboxed_work import Asker, compute
from timeline_app.web.jobs.packing import KeptPart, pack_files, unpack_events, write_declarations
from timeline_app.web.jobs.uploads import File
from timeline_app.web.models import Plan
from timeline_app.web.models.samples import Sample, SamplePart
from timeline_app.web.streams.granted_streams import load_visible_streams
from timeline_app.web.streams.selectors import (
    collect_stream_names,
    get_stream,
    landing_by_name,
    load_declarations,
)

_PARTS = SamplePart.objects.defer("body")


def select_samples(user: User) -> QuerySet[Sample]:
    """Select the samples that somebody may read, without their events."""
    readable = select_readable(Sample.objects.select_related("owner", "team"), user)
    return readable.prefetch_related(Prefetch("parts", _PARTS), "tests")


def get_sample(number: int, user: User) -> Sample:
    """Return the sample of this number, if this user may read it."""
    sample = select_samples(user).filter(pk=number).first()
    if sample is None:
        raise Missing("There is no sample of this number; it may have been deleted.", code="unknown_sample")
    return sample


def get_deletable_sample(number: int, user: User) -> Sample:
    """Return a readable sample, or an own one whose recorded streams may no longer be read."""
    sample = Sample.objects.filter(match_owner(user), pk=number).first()
    return sample or get_sample(number, user)


def describe_samples(samples: Iterable[Sample], user: User) -> list[dict[str, Any]]:
    """Return samples in their wire type."""
    chosen = list(samples)
    rights = compute_rights(user, chosen)
    return [_describe_sample(item, rights.get(item.pk, NONE)) for item in chosen]


def _describe_sample(sample: Sample, rights: Rights) -> dict[str, Any]:
    fields = ("stream", "events", "size", "first", "last")
    recording = sample.recording
    return {
        "id": sample.pk,
        "name": sample.name,
        **sample.owner_told(),
        "rights": format_rights(rights),
        "open_to_all": sample.open_to_all,
        "created_at": sample.created_at.isoformat(),
        "recording": recording and {"count": recording["count"], "keys": recording["keys"]},
        "streams": [
            {name: getattr(part, name) for name in fields}
            | {
                "mistyped": part.mistyped,
                "warnings": [as_problem(warning) for warning in part.warnings],
                "notes": part.notes,
            }
            for part in sample.parts.all()
        ],
        "tests": len(sample.tests.all()),
    }


def load_events(sample: Sample) -> dict[str, Events]:
    """Return the events of a sample by stream."""
    return {part.stream: part.load_events() for part in SamplePart.objects.filter(sample=sample)}


def find_equal_sample(user: User, name: str, events: Mapping[str, Events]) -> Sample | None:
    """Return this person's sample with this name and exactly these events, if any."""
    document = {
        stream: (len(stream_events.table), stream_events.mistyped) for stream, stream_events in events.items()
    }
    own_samples = select_samples(user).filter(owner=user, name=name, recording__isnull=True)
    alike = [
        item
        for item in own_samples
        if {part.stream: (part.events, part.mistyped) for part in item.parts.all()} == document
    ]
    equal_samples = (item for item in alike if _holds_events(item, events))
    return next(equal_samples, None)


def _holds_events(sample: Sample, events: Mapping[str, Events]) -> bool:
    return all(
        stream_events.table.equals(events[stream].table)
        for stream, stream_events in load_events(sample).items()
    )


def load_events_by_sample(numbers: Iterable[int]) -> dict[int, dict[str, Events]]:
    """Return the events of many samples, by number and stream."""
    events_by_sample: dict[int, dict[str, Events]] = {}
    for part in SamplePart.objects.filter(sample__in=set(numbers)):
        events_by_sample.setdefault(part.sample_id, {})[part.stream] = part.load_events()
    return events_by_sample


def load_parts(sample: Sample) -> list[KeptPart]:
    """Return the stored events of a sample, for a child."""
    return [load_part(part) for part in SamplePart.objects.filter(sample=sample)]


def load_newest(document: Any, plan: Plan | None, count: int, user: User) -> list[KeptPart]:
    """Return the newest events of each stream that a document reads, as parts of a sample.

    Raise `Missing` for a stream that the user may not read.
    """
    names = collect_stream_names(document) & load_visible_streams(plan, user).keys()
    streams = [get_stream(name, user).name for name in sorted(names)]
    if streams:
        refuse_count(count, len(streams))
    newest = load_newest_events(streams, count)
    return [load_part(SamplePart(stream=name).holding(events)) for name, events in newest.items()]


def load_newest_events(streams: Iterable[str], count: int, keys: Sequence[str] = ()) -> dict[str, Events]:
    """Return the newest landed events of each stream, optionally of some keys."""
    return {name: Events(load_last_rows(landing_by_name(name), count, keys)[0]) for name in streams}


def load_part(part: SamplePart) -> KeptPart:
    """Return one stored part of a sample."""
    return KeptPart(part.stream, part.describe_reading(), bytes(part.body))


def read_sent_events(
    events: Mapping[str, Any],
    files: Mapping[str, File],
    mapping: Mapping[str, Any],
    *,
    user: User,
    asker: Asker,
) -> dict[str, Events]:
    """Return the events in a request by stream, decoded in a child; refuse them with all wrong lines."""
    header, blobs = pack_files(events, files, mapping)
    header["known"] = write_declarations(load_declarations(user))
    read = compute("read", header, blobs, asker=asker, hint="Send fewer rows, or a smaller file.")
    return unpack_events(read.header, read.blobs)


def export_events(sample: Sample, key: str | None = None) -> dict[str, dict[str, list[Any]]]:
    """Return the events of a sample (or key) by stream, ready to be pushed again, and their times (microseconds)."""
    declared = load_declarations(None)
    tables = {
        name: _filter_key(stream_events.table, key)
        for name, stream_events in load_events(sample).items()
        if name in declared
    }
    return {
        "events": {name: describe_events(table, declared[name]) for name, table in tables.items()},
        "times": {name: table["time"].to_pylist() for name, table in tables.items()},
    }


def _filter_key(table: pa.Table, key: str | None) -> pa.Table:
    return table if key is None else table.filter(pc.equal(table["key"], key))
