"""How a stream arrives: rates, lateness, rejected events, readers, newest events."""

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
from timeline_app.events.guess.lateness import QUANTILES, round_up_to_step
from timeline_app.events.paths import NESTED
from timeline_app.landing.log import Landing
from timeline_app.operators import operators
from timeline_app.operators.parameters import parse_duration, spell_duration
from timeline_app.web.core.permissions import Right, compute_rights_on, select_readable, select_readable_plans
from timeline_app.web.models import Node, Plan, Stream
from timeline_app.web.models.arrivals import RejectedEvent, StreamMeasure
from timeline_app.web.nodes.selectors import describe_node_user, describe_status, select_nodes
from timeline_app.web.streams.arrival_measures import MEASURE_STEP_S, compute_length
from timeline_app.web.streams.selectors import collect_stream_names, list_running_plans, select_naming_plans
from timeline_app.web.streams.source_services import describe_source, find_source

Document = dict[str, Any]
MEASURED_SPAN_S = 3_600
COUNTED = ("late", "too_late", "refused")


def describe_arrivals(stream: Stream, user: User, now: int | None = None) -> Document:
    """Return everything known about how a stream arrives."""
    now = int(time.time()) if now is None else now
    source = find_source(stream)
    measured = list(StreamMeasure.objects.filter(stream=stream, at__gt=now - MEASURED_SPAN_S).order_by("at"))
    return {
        "now": now,
        "step": MEASURE_STEP_S,
        "series": [_describe_measure(item) for item in measured],
        "totals": {"events": stream.events} | {name: getattr(stream, name) for name in COUNTED},
        "lateness": _describe_lateness(measured, parse_duration(stream.document["retention"])),
        "plans": _describe_reading_plans(stream, user),
        "nodes": _describe_reading_nodes(stream, user),
        "others": _describe_other_plans(stream, user)
        if Right.OWN in compute_rights_on(user, stream)
        else None,
        "source": source and describe_source(source, whole=Right.EDIT in compute_rights_on(user, stream)),
        "idle_until": _find_idle_until(Landing(settings.LANDING, stream.folder)),
    }


def _find_idle_until(landing: Landing) -> int | None:
    """Return the time of the last heartbeat if it is the newest entry and no source holds the stream back."""
    end = landing.end()
    beats = landing.beats(max(end - 1, 0), end)[-1:]
    return next((item.until for item in beats if not item.holds and item.until > BEGINNING), None)


def _describe_measure(stream_measure: StreamMeasure) -> Document:
    return {"at": stream_measure.at, "events": stream_measure.events} | {
        name: getattr(stream_measure, name) for name in COUNTED
    }


def _describe_lateness(measured: list[StreamMeasure], retention: int) -> Document | None:
    """Return quantiles of the last hour's lateness and a proposal, which ignores events that are too late."""
    counts: Counter[int] = Counter()
    for item in measured:
        counts.update({int(step): count for step, count in item.lateness.items()})
    total = sum(counts.values())
    if not total:
        return None
    quantiles = {name: _compute_quantile(counts, share * total) for name, share in QUANTILES.items()}
    unordered = total - counts[0]
    covered = next((item for item in (quantiles["p999"], quantiles["p99"]) if item < retention), 0)
    proposal = spell_duration(round_up_to_step(round(1.5 * covered))) if covered else None
    return {"events": total, "unordered": unordered, "quantiles": quantiles, "proposal": proposal}


def _compute_quantile(counts: Counter[int], rank: float) -> int:
    """Return the quantile by nearest rank."""
    passed = 0
    for step in sorted(counts):
        passed += counts[step]
        if passed >= rank:
            return compute_length(step)
    return compute_length(max(counts))


def _describe_reading_plans(stream: Stream, user: User) -> list[Document]:
    """Return the plans that read the stream, running ones first."""
    reading_plans = []
    for plan in select_readable(select_naming_plans(stream).select_related("owner", "team"), user):
        reads = stream.name in collect_stream_names(plan.document)
        if reads or (plan.running and stream.name in collect_stream_names(plan.running_document)):
            document = {"id": plan.pk, "name": plan.name} | plan.owner_told()
            reading_plans.append(document | {"running": plan.running})
    return sorted(reading_plans, key=lambda item: not item["running"])


def _describe_other_plans(stream: Stream, user: User) -> Document:
    """Return how many running plans the owner cannot see, and their owners."""
    running = list_running_plans(stream)
    readable_plans = select_readable_plans([plan.pk for plan in running], user)
    owners_of_plans = [plan.owner_told() for plan in running if plan.pk not in readable_plans]
    owners = {(other["owner_kind"], other["owner"]): other for other in owners_of_plans}
    return {"plans": len(owners_of_plans), "owners": [owners[key] for key in sorted(owners)]}


def _describe_reading_nodes(stream: Stream, user: User) -> list[Document]:
    """Return the nodes that read the events directly, and their counters."""
    leaves = [name for name, op in operators().items() if op.takes_stream or op.reads_streams]
    used = select_nodes(user).filter(operator__in=leaves, uses__isnull=False).distinct()
    readable_plans = select_readable_plans(Plan.objects.filter(running=True).values("pk"), user)
    return [_describe_node(node, readable_plans) for node in used if _is_reading(node, stream)]


def _is_reading(node: Node, stream: Stream) -> bool:
    """Return whether the node itself reads the stream, not only its inputs."""
    if node.program.get("format") != FORMAT:
        return False
    steps = Program.from_document(node.program).steps
    return any(stream.name in step.streams for step in steps if step.digest == node.digest)


def _describe_node(node: Node, readable_plans: Container[int]) -> Document:
    counted = ("events", "late", "too_late", "duplicates", "conflicts")
    return {
        "digest": node.digest,
        "operator": node.operator,
        "users": [describe_node_user(use, readable_plans) for use in node.uses.all()],
        "observed": describe_status(node)["observed"],
        "words": describe_status(node)["words"],
        "lag": node.query.lag,
        "counters": {name: getattr(node, name) for name in counted},
    }


def load_newest_events(landing: Landing, limit: int) -> list[Document]:
    """Return the events that landed last, newest first."""
    end, first = landing.end(), landing.first()
    start, rows_read = end, pa.table({})
    while start > first and rows_read.num_rows < limit:
        start = max(first, start - max(end - start, 1))
        rows_read = landing.rows(start, end, ("key", "time", "id", "fields"))
    rows = rows_read.slice(max(rows_read.num_rows - limit, 0)).to_pylist() if rows_read.num_rows else []
    return [
        {"key": row["key"], "time": row["time"], "id": row["id"], "values": _format_values(row["fields"])}
        for row in reversed(rows)
    ]


def _format_values(fields: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return values by name; objects and lists as JSON text."""
    return {name.removesuffix(NESTED): text for name, text in fields if name != UNTIL}


def select_rejected_events(stream: Stream, kind: str | None) -> QuerySet[RejectedEvent]:
    """Select rejected events, newest first."""
    queryset = RejectedEvent.objects.filter(stream=stream).select_related("sender").order_by("-id")
    return queryset if kind is None else queryset.filter(kind=kind)


def describe_rejected_event(rejected: RejectedEvent) -> Document:
    """Return a rejected line in its wire type."""
    names = ("id", "kind", "at", "line", "place", "alone", "field", "code", "message", "text", "whole")
    sender = rejected.sender.get_username() if rejected.sender else None
    return {name: getattr(rejected, name) for name in names} | {"sender": sender}
