"""Generations of streams: a reused name gets a new landing and new nodes."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import F

from timeline_app.compiler import Program
from timeline_app.web.core.errors import Conflict
from timeline_app.web.models import Stream, StreamName


def first_generation(name: str) -> int:
    """Return the generation of a new stream: 0, unless its name was used before."""
    return take_generation(name) if StreamName.objects.filter(name=name).exists() else 0


def take_generation(name: str) -> int:
    """Return an unused generation of this name. Call it in a transaction."""
    row, is_new = StreamName.objects.select_for_update().get_or_create(
        name=name, defaults={"next_generation": 2}
    )
    if is_new:
        return 1
    StreamName.objects.filter(name=name).update(next_generation=F("next_generation") + 1)
    return row.next_generation


def keep_name(stream: Stream) -> None:
    """Remember that the name has a landing, before its stream is deleted."""
    StreamName.objects.get_or_create(name=stream.name, defaults={"next_generation": stream.generation + 1})


def refuse_trashed_streams(programs: Iterable[Program]) -> None:
    """Refuse programs that would read trashed events. Callers hold the same lock as those who empty a stream."""
    generations = {
        (name, program.declarations[name].generation) for program in programs for name in program.streams
    }
    rows = Stream.everything.filter(trashed_at__isnull=False, name__in={name for name, _ in generations})
    if missing := sorted(
        name for name, its in rows.values_list("name", "generation") if (name, its) in generations
    ):
        subject = f"{', '.join(missing)} was emptied or deleted meanwhile."
        raise Conflict(f"{subject} Run the plan again, or restore it from the trash first.", code="in_trash")
