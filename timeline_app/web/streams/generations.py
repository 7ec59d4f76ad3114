"""Generations of streams: a name that was used before gets another landing, and other nodes, than it had."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import F

from timeline_app.compiler import Program
from timeline_app.web.core.errors import Conflict
from timeline_app.web.models import Stream, StreamName


def first_generation(name: str) -> int:
    """The generation of a stream that is declared now: 0, unless one of its name was there before."""
    return take_generation(name) if StreamName.objects.filter(name=name).exists() else 0


def take_generation(name: str) -> int:
    """A generation of this name that none has had. Call it in a transaction."""
    kept, made = StreamName.objects.select_for_update().get_or_create(
        name=name, defaults={"next_generation": 2}
    )
    if made:
        return 1
    StreamName.objects.filter(name=name).update(next_generation=F("next_generation") + 1)
    return kept.next_generation


def keep_name(stream: Stream) -> None:
    """Remember that the name has a landing, though its stream goes."""
    StreamName.objects.get_or_create(name=stream.name, defaults={"next_generation": stream.generation + 1})


def refuse_trashed_streams(programs: Iterable[Program]) -> None:
    """Refuse what would read events in the trash; nobody empties a stream meanwhile who waits as for nodes."""
    generations = {
        (name, program.declarations[name].generation) for program in programs for name in program.streams
    }
    rows = Stream.everything.filter(trashed_at__isnull=False, name__in={name for name, _ in generations})
    if gone := sorted(
        name for name, its in rows.values_list("name", "generation") if (name, its) in generations
    ):
        words = f"{', '.join(gone)} was emptied or deleted meanwhile."
        raise Conflict(f"{words} Run the plan again, or restore it from the trash first.", code="in_trash")
