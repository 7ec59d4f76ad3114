"""Reading samples."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from django.contrib.auth.models import User
from django.db.models import Prefetch, QuerySet

from timeline_app.landing.recording import Events, event_documents, last_rows
from timeline_app.web.core.errors import Missing, as_problem
from timeline_app.web.core.permissions import (
    NONE,
    Rights,
    owned_by_user,
    rights_document,
    rights_of,
    select_readable,
)
from timeline_app.web.core.sample_size import refuse_count
from timeline_app.web.core.sandboxed_work import Asker, compute
from timeline_app.web.jobs.packing import KeptPart, pack_files, unpack_events, write_declarations
from timeline_app.web.jobs.uploads import File
from timeline_app.web.models import Plan
from timeline_app.web.models.samples import Sample, SamplePart
from timeline_app.web.streams.granted_streams import visible_streams
from timeline_app.web.streams.selectors import declarations, get_stream, landing_by_name, streams_of

_PARTS = SamplePart.objects.defer("body")


def samples(user: User) -> QuerySet[Sample]:
    """All samples that somebody may look at, without their events."""
    found = select_readable(Sample.objects.select_related("owner", "team"), user)
    return found.prefetch_related(Prefetch("parts", _PARTS), "tests")


def sample_of(number: int, user: User) -> Sample:
    """The sample of this number, if this user may look at it."""
    sample = samples(user).filter(pk=number).first()
    if sample is None:
        raise Missing("There is no sample of this number; it may have been deleted.", code="unknown_sample")
    return sample


def sample_to_delete(number: int, user: User) -> Sample:
    """The same, or one that belongs to the user, who may no longer look at what it was recorded of."""
    own = Sample.objects.filter(owned_by_user(user), pk=number).first()
    return own or sample_of(number, user)


def sample_documents(found: Iterable[Sample], user: User) -> list[dict[str, Any]]:
    """Samples as they go over the wire to somebody."""
    chosen = list(found)
    rights = rights_of(user, chosen)
    return [_document(one, rights.get(one.pk, NONE)) for one in chosen]


def _document(sample: Sample, rights: Rights) -> dict[str, Any]:
    shown = ("stream", "events", "size", "first", "last")
    recording = sample.recording
    return {
        "id": sample.pk,
        "name": sample.name,
        **sample.owner_told(),
        "rights": rights_document(rights),
        "open_to_all": sample.open_to_all,
        "created_at": sample.created_at.isoformat(),
        "recording": recording and {"count": recording["count"], "keys": recording["keys"]},
        "streams": [
            {name: getattr(part, name) for name in shown}
            | {
                "mistyped": part.mistyped,
                "warnings": [as_problem(warning) for warning in part.warnings],
                "notes": part.notes,
            }
            for part in sample.parts.all()
        ],
        "tests": len(sample.tests.all()),
    }


def events_of(sample: Sample) -> dict[str, Events]:
    """The events of a sample by stream."""
    return {part.stream: part.load_events() for part in SamplePart.objects.filter(sample=sample)}


def find_equal_sample(user: User, name: str, events: Mapping[str, Events]) -> Sample | None:
    """The sample of this person and name that holds these very events, if there is one."""
    told = {stream: (len(one.table), one.mistyped) for stream, one in events.items()}
    own = samples(user).filter(owner=user, name=name, recording__isnull=True)
    alike = [
        one for one in own if {part.stream: (part.events, part.mistyped) for part in one.parts.all()} == told
    ]
    same = (one for one in alike if _holds(one, events))
    return next(same, None)


def _holds(sample: Sample, events: Mapping[str, Events]) -> bool:
    return all(one.table.equals(events[stream].table) for stream, one in events_of(sample).items())


def events_by_sample(numbers: Iterable[int]) -> dict[int, dict[str, Events]]:
    """The same of many samples, by number."""
    found: dict[int, dict[str, Events]] = {}
    for part in SamplePart.objects.filter(sample__in=set(numbers)):
        found.setdefault(part.sample_id, {})[part.stream] = part.load_events()
    return found


def load_parts(sample: Sample) -> list[KeptPart]:
    """The events of a sample as they are kept, for a child to read."""
    return [load_part(part) for part in SamplePart.objects.filter(sample=sample)]


def load_newest(document: Any, plan: Plan | None, count: int, user: User) -> list[KeptPart]:
    """So many of the newest events of each stream that a document reads, as a sample would keep them.

    Raises `Missing` for a stream that the user may not look at.
    """
    names = streams_of(document) & visible_streams(plan, user).keys()
    streams = [get_stream(name, user).name for name in sorted(names)]
    if streams:
        refuse_count(count, len(streams))
    newest = newest_events(streams, count)
    return [load_part(SamplePart(stream=name).holding(events)) for name, events in newest.items()]


def newest_events(streams: Iterable[str], count: int, keys: Sequence[str] = ()) -> dict[str, Events]:
    """So many of the newest events that have landed of each stream, or of some keys of it."""
    return {name: Events(last_rows(landing_by_name(name), count, keys)[0]) for name in streams}


def load_part(part: SamplePart) -> KeptPart:
    """One part of a sample as it is kept."""
    return KeptPart(part.stream, part.describe_reading(), bytes(part.body))


def read_sent_events(
    events: Mapping[str, Any],
    files: Mapping[str, File],
    mapping: Mapping[str, Any],
    *,
    user: User,
    asker: Asker,
) -> dict[str, Events]:
    """The events that a request brings along, by stream, read in a child; refused with every line that is wrong."""
    header, blobs = pack_files(events, files, mapping)
    header["known"] = write_declarations(declarations(user))
    read = compute("read", header, blobs, asker=asker, cure="Send fewer rows, or a smaller file.")
    return unpack_events(read.header, read.blobs)


def sample_events(sample: Sample, key: str | None = None) -> dict[str, dict[str, list[Any]]]:
    """The events of a sample (of a key) by stream, as they could be pushed again, and their times in microseconds."""
    declared = declarations(None)
    tables = {name: _of_key(one.table, key) for name, one in events_of(sample).items() if name in declared}
    return {
        "events": {name: event_documents(table, declared[name]) for name, table in tables.items()},
        "times": {name: table["time"].to_pylist() for name, table in tables.items()},
    }


def _of_key(table: pa.Table, key: str | None) -> pa.Table:
    return table if key is None else table.filter(pc.equal(table["key"], key))
