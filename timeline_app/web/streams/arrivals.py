"""How a stream arrives: rates, lateness, what was kept aside, who reads it, its newest events."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Container, Iterable
from typing import Any

import pyarrow as pa
from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import QuerySet

from timeline_app.algebra.events import UNTIL
from timeline_app.algebra.kinds import BEGINNING
from timeline_app.compiler.program import FORMAT, Program
from timeline_app.events.guess.lateness import QUANTILES, step_above
from timeline_app.events.paths import NESTED
from timeline_app.landing.log import Landing
from timeline_app.operators import operators
from timeline_app.operators.parameters import parse_duration, spell_duration
from timeline_app.web.core.permissions import Right, rights_on, select_readable, select_readable_plans
from timeline_app.web.models import Node, Plan, Stream
from timeline_app.web.models.arrivals import Aside, StreamMeasure
from timeline_app.web.nodes.selectors import nodes, status_words, user_document
from timeline_app.web.streams.arrival_measures import STEP, length_of
from timeline_app.web.streams.selectors import plans_speaking_of, running_plans_of, streams_of
from timeline_app.web.streams.source_services import source_document, source_of

Document = dict[str, Any]
SPAN = 3_600
COUNTED = ("late", "too_late", "refused")


def arrival_activity(stream: Stream, user: User, now: int | None = None) -> Document:
    """All that is known of how it arrives."""
    now = int(time.time()) if now is None else now
    source = source_of(stream)
    measured = list(StreamMeasure.objects.filter(stream=stream, at__gt=now - SPAN).order_by("at"))
    return {
        "now": now,
        "step": STEP,
        "series": [_tick(one) for one in measured],
        "totals": {"events": stream.events} | {name: getattr(stream, name) for name in COUNTED},
        "lateness": _lateness(measured, parse_duration(stream.document["retention"])),
        "plans": _plans(stream, user),
        "nodes": _nodes(stream, user),
        "others": _others(stream, user) if Right.OWN in rights_on(user, stream) else None,
        "source": source and source_document(source, whole=Right.EDIT in rights_on(user, stream)),
        "idle_until": _idle_until(Landing(settings.LANDING, stream.folder)),
    }


def _idle_until(landing: Landing) -> int | None:
    """The moment of the last heartbeat, if nothing has come since, and no source has said anything of itself."""
    end = landing.end()
    said = landing.beats(max(end - 1, 0), end)[-1:]
    return next((one.until for one in said if not one.holds and one.until > BEGINNING), None)


def _tick(one: StreamMeasure) -> Document:
    return {"at": one.at, "events": one.events} | {name: getattr(one, name) for name in COUNTED}


def _lateness(measured: list[StreamMeasure], retention: int) -> Document | None:
    """The last hour's quantiles, to a twelfth, and what would be allowed by them; what is too late needs no room."""
    counts: Counter[int] = Counter()
    for one in measured:
        counts.update({int(step): count for step, count in one.lateness.items()})
    total = sum(counts.values())
    if not total:
        return None
    quantiles = {name: _quantile(counts, part * total) for name, part in QUANTILES.items()}
    unordered = total - counts[0]
    covered = next((one for one in (quantiles["p999"], quantiles["p99"]) if one < retention), 0)
    proposal = spell_duration(step_above(round(1.5 * covered))) if covered else None
    return {"events": total, "unordered": unordered, "quantiles": quantiles, "proposal": proposal}


def _quantile(counts: Counter[int], rank: float) -> int:
    """By nearest rank."""
    passed = 0
    for step in sorted(counts):
        passed += counts[step]
        if passed >= rank:
            return length_of(step)
    return length_of(max(counts))


def _plans(stream: Stream, user: User) -> list[Document]:
    """The plans that read it, those that run first."""
    found = []
    for plan in select_readable(plans_speaking_of(stream).select_related("owner", "team"), user):
        reads = stream.name in streams_of(plan.document)
        if reads or (plan.running and stream.name in streams_of(plan.running_document)):
            told = {"id": plan.pk, "name": plan.name} | plan.owner_told()
            found.append(told | {"running": plan.running})
    return sorted(found, key=lambda one: not one["running"])


def _others(stream: Stream, user: User) -> Document:
    """The running plans that read it and that are not shared with its owner: how many, and whose."""
    running = running_plans_of(stream)
    shown = select_readable_plans([plan.pk for plan in running], user)
    others = [plan.owner_told() for plan in running if plan.pk not in shown]
    owners = {(one["owner_kind"], one["owner"]): one for one in others}
    return {"plans": len(others), "owners": [owners[key] for key in sorted(owners)]}


def _nodes(stream: Stream, user: User) -> list[Document]:
    """The nodes that read its events themselves, and what they counted."""
    leaves = [name for name, op in operators().items() if op.takes_stream or op.reads_streams]
    used = nodes(user).filter(operator__in=leaves, uses__isnull=False).distinct()
    shown = select_readable_plans(Plan.objects.filter(running=True).values("pk"), user)
    return [_node(node, shown) for node in used if _reads(node, stream)]


def _reads(node: Node, stream: Stream) -> bool:
    """Whether the node itself reads the stream, not only what is below it."""
    if node.program.get("format") != FORMAT:
        return False
    steps = Program.from_document(node.program).steps
    return any(stream.name in step.streams for step in steps if step.digest == node.digest)


def _node(node: Node, shown: Container[int]) -> Document:
    counted = ("events", "late", "too_late", "duplicates", "conflicts")
    return {
        "digest": node.digest,
        "operator": node.operator,
        "users": [user_document(use, shown) for use in node.uses.all()],
        "observed": status_words(node)["observed"],
        "words": status_words(node)["words"],
        "lag": node.query.lag,
        "counters": {name: getattr(node, name) for name in counted},
    }


def newest_events(landing: Landing, limit: int) -> list[Document]:
    """The events that landed last, newest first."""
    end, first = landing.end(), landing.first()
    start, found = end, pa.table({})
    while start > first and found.num_rows < limit:
        start = max(first, start - max(end - start, 1))
        found = landing.rows(start, end, ("key", "time", "id", "fields"))
    rows = found.slice(max(found.num_rows - limit, 0)).to_pylist() if found.num_rows else []
    return [
        {"key": row["key"], "time": row["time"], "id": row["id"], "values": _values(row["fields"])}
        for row in reversed(rows)
    ]


def _values(fields: Iterable[tuple[str, str]]) -> dict[str, str]:
    """By name; objects and lists as JSON text."""
    return {name.removesuffix(NESTED): text for name, text in fields if name != UNTIL}


def rejected_events(stream: Stream, kind: str | None) -> QuerySet[Aside]:
    """What is kept aside, newest first."""
    found = Aside.objects.filter(stream=stream).select_related("sender").order_by("-id")
    return found if kind is None else found.filter(kind=kind)


def rejected_event_document(one: Aside) -> Document:
    """A line as it goes over the wire."""
    names = ("id", "kind", "at", "line", "place", "alone", "field", "code", "message", "text", "whole")
    sender = one.sender.get_username() if one.sender else None
    return {name: getattr(one, name) for name in names} | {"sender": sender}
