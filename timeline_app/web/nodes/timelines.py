"""The timeline of one key from the revision log, as known now or at an instant."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import reduce
from operator import or_
from typing import Any, TypeVar

from django.db.models import Q, QuerySet

from timeline_app.algebra.fold import Point, cut, format_point
from timeline_app.algebra.kinds import BEGINNING, OPEN, SECOND, Kind
from timeline_app.algebra.thin import Buckets, LeftOut, compute_buckets, find_differences, thin_by_buckets
from timeline_app.web.core.errors import Invalid
from timeline_app.web.models import Node, NodeKey, Revision
from timeline_app.web.nodes.log_pages import MAX_POINTS_PER_ANSWER, MAX_POINTS_PER_CHART, LogOfKey

Document = dict[str, Any]
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Folded:
    """A span of one key's timeline: the newest version in it, the key's birth, the points.

    `next`: where the points end because of the limit; None: they are complete.
    """

    version: int
    birth: int
    points: list[Point]
    next: int | None = None


@dataclass(frozen=True, slots=True)
class KnownKey:
    """What is known of one key, now or at an instant: the newest version, the key's birth, the log."""

    version: int
    birth: int
    log: LogOfKey


def peek(
    node: Node,
    key: str,
    *,
    start: int | None = None,
    end: int | None = None,
    known_at: int | None = None,
    pixels: int | None = None,
) -> Document | None:
    """Return the timeline of a key from `start` to `end` as a document, or None for an unknown key.

    All times are microseconds. With `pixels` it is thinned for a chart of so many pixels, and says what is left out.
    Beyond `MAX_POINTS_PER_ANSWER` points (thinned: `MAX_POINTS_PER_CHART`), `next` says where the next page begins.
    Raise `Invalid` if the log no longer reaches back to `known_at`.
    """
    with_log = load_key_log_at(node, key, known_at=known_at)
    if with_log is None:
        refuse_forgotten(node, known_at)
        return None
    page: Document
    if pixels is None:
        points, beyond = with_log.log.read_page(
            _parse_lower_bound(start), _parse_upper_bound(end), MAX_POINTS_PER_ANSWER
        )
        page = {}
    else:
        points, left_out, beyond = read_chart(with_log.log, start, end, pixels)
        page = {"left_out": left_out}
    refuse_forgotten(node, known_at)
    page |= {
        "truncated": beyond is not None,
        "next": beyond,
        "final_until": estimate_final_until(node, known_at),
    }
    return _describe_timeline(node, key, with_log.version, points) | page


def read_chart(
    log: LogOfKey, start: int | None, end: int | None, pixels: int
) -> tuple[list[Point], list[LeftOut], int | None]:
    """Return points thinned for a chart, the spans left out, and where it ends early, if it does."""
    by = compute_chart_buckets(log, start, end, pixels)
    return log.read_thinned(_parse_lower_bound(start), _parse_upper_bound(end), by, MAX_POINTS_PER_CHART)


def compute_chart_buckets(log: LogOfKey, start: int | None, end: int | None, pixels: int) -> Buckets:
    """Return the buckets of `pixels` pixels; an open range begins or ends at its outermost change point."""
    low, high = _parse_lower_bound(start), _parse_upper_bound(end)
    first = log.read_page(low, high, 2)[0] if start is None else []
    last = log.read_latest(low, high, 1)[0] if end is None else []
    return compute_buckets([*first, *last], pixels, start, end)


def _describe_timeline(node: Node, key: str, version: int, points: list[Point]) -> Document:
    kind = Kind(node.kind)
    return {
        "node": node.digest,
        "key": key,
        "kind": kind.printed,
        "final_until": node.final_until,
        "as_of": node.as_of,
        "results_from": node.results_from,
        "version": version,
        "points": [format_point(kind, point) for point in points],
    }


def estimate_final_until(node: Node, known_at: int | None, differs: int | None = None) -> int | None:
    """Return a conservative estimate of what was final at `known_at`, because the log does not keep it.

    It assumes that the node was as far behind then as now, and stops at the first span that differs today.
    """
    until = node.final_until
    if known_at is None or until is None:
        return until
    behind = max(0, (node.as_of or until) - until)
    return min(until, known_at - behind, until if differs is None else max(0, differs))


MAX_DIFFERENCES = 500
"""Spans that are listed; the totals count all of them."""


def compare(
    node: Node, key: str, *, known_at: int, start: int | None, end: int | None, pixels: int | None
) -> Document | None:
    """Return what was known of a key at an instant, and where that differs from now, even if thinned.

    Both are compared up to `MAX_POINTS_PER_ANSWER` points; `next` says where the next page begins.
    """
    then, now = (
        read_key_timeline(node, key, start=start, end=end, known_at=item, limit=MAX_POINTS_PER_ANSWER)
        for item in (known_at, None)
    )
    if now is None:
        return None
    then = then or Folded(-1, now.birth, [])
    kind = Kind(node.kind)
    beyond = min((item.next for item in (then, now) if item.next is not None), default=None)
    stop = _parse_upper_bound(end) if beyond is None else beyond
    before, after = (cut(kind, item.points, _parse_lower_bound(start), stop) for item in (then, now))
    changed = list(find_differences(kind, before, after)) if before else [(BEGINNING, OPEN)]
    stretches = [
        (_format_bound(max(low, _parse_lower_bound(start))), _format_bound(min(high, stop)))
        for low, high in changed
    ]
    closed = [high - low for low, high in stretches if low is not None and high is not None]
    first = min((low for low, _ in changed), default=None)
    more: Document = {}
    if pixels is not None:
        before, left_out = thin_by_buckets(
            kind, before, compute_buckets(before, pixels, start, _format_bound(stop))
        )
        more = {"left_out": left_out}
    return _describe_timeline(node, key, then.version, before) | {
        **more,
        "truncated": beyond is not None,
        "next": beyond,
        "final_until": estimate_final_until(node, known_at, first),
        "known": bool(then.points),
        "differences": [{"from": low, "to": high} for low, high in stretches[:MAX_DIFFERENCES]],
        "different": len(stretches),
        "seconds": sum(closed) / SECOND,
        "open": len(closed) < len(stretches),
    }


def read_key_timeline(
    node: Node,
    key: str,
    *,
    start: int | None = None,
    end: int | None = None,
    known_at: int | None = None,
    limit: int | None = None,
) -> Folded | None:
    """Return what is known of a key from `start` to `end`, at most `limit` points; None for an unknown key."""
    with_log = load_key_log_at(node, key, known_at=known_at)
    folded = None
    if with_log is not None:
        points, beyond = with_log.log.read_page(_parse_lower_bound(start), _parse_upper_bound(end), limit)
        folded = Folded(with_log.version, with_log.birth, points, beyond)
    refuse_forgotten(node, known_at)
    return folded


def load_key_log_at(node: Node, key: str, *, known_at: int | None = None) -> KnownKey | None:
    """Return the log of a key as it is now, or was at an instant, without later publications.

    Call `refuse_forgotten` after reading.
    """
    log = select_key_revisions(node, key)
    if known_at is not None:
        log = log.filter(known_at__lte=known_at)
    newest = log.values_list("known_at", "version", "birth").first()
    if newest is None or newest[2] == OPEN:
        return None
    return KnownKey(newest[1], newest[2], LogOfKey(Kind(node.kind), log.filter(known_at__lte=newest[0])))


def select_key_revisions(node: Node, key: str) -> QuerySet[Revision]:
    """Select the log of a key, newest first, without incompletely published versions."""
    keys = NodeKey.objects.filter(node=node, digest=NodeKey.digest_of(key))
    result, as_of = keys.values_list("pk", "node__as_of").first() or (-1, None)
    log = Revision.objects.filter(node_key=result).order_by("-known_at")
    return log if as_of is None else log.filter(known_at__lte=as_of)


def select_revisions_during(
    log: QuerySet[Revision], start: int | None, end: int | None
) -> QuerySet[Revision]:
    """Select the revisions that affect the span from `start` to `end` (None: unbounded)."""
    if start is not None:
        log = log.filter(end__gt=start)
    return log if end is None else log.filter(start__lt=end)


def load_revisions_since(requests: Sequence[tuple[Node, str, int]]) -> list[list[Document]]:
    """Return what became known of each key after an instant, oldest first.

    What was compacted meanwhile comes as one revision. Incompletely published versions are left out. Two queries,
    however many keys there are.
    """
    places = [(node.pk, NodeKey.digest_of(key)) for node, key, _ in requests]
    rows = _load_key_rows(places)
    ranges = [rows.get(pair, (None, OPEN)) for pair in places]
    instants = [
        (row, known_at)
        for (row, _), (_, _, known_at) in zip(ranges, requests, strict=True)
        if row is not None
    ]
    log = _log_since(instants)
    return [
        [item for item in log.get(row, []) if known_at < item["known_at"] <= as_of]
        for (row, as_of), (_, _, known_at) in zip(ranges, requests, strict=True)
    ]


def _load_key_rows(places: Iterable[tuple[int, bytes]]) -> dict[tuple[int, bytes], tuple[int, int]]:
    """Return the row of each key, by node and digest, and until when its node is completely published."""
    conditions = (Q(node=node, digest__in=digests) for node, digests in _group_pairs(places).items())
    columns = ("node_id", "digest", "pk", "node__as_of")
    result = NodeKey.objects.filter(reduce(or_, conditions, Q(pk=-1))).values_list(*columns)
    return {
        (node, bytes(digest)): (pk, OPEN if as_of is None else as_of) for node, digest, pk, as_of in result
    }


def _log_since(instants: Iterable[tuple[int, int]]) -> dict[int | None, list[Document]]:
    """Return the revisions of rows of keys after an instant each, by row."""
    groups = _group_pairs((known_at, row) for row, known_at in instants)
    conditions = (Q(node_key__in=rows, known_at__gt=known_at) for known_at, rows in groups.items())
    names = ("node_key_id", "version", "known_at", "birth", "start", "end", "pieces")
    log: dict[int | None, list[Document]] = defaultdict(list)
    for revision in (
        Revision.objects.filter(reduce(or_, conditions, Q(pk=-1))).order_by("known_at").values(*names)
    ):
        row = revision.pop("node_key_id")
        log[row].append(
            revision | {"start": _format_bound(revision["start"]), "end": _format_bound(revision["end"])}
        )
    return log


def _group_pairs(pairs: Iterable[tuple[int, Value]]) -> dict[int, list[Value]]:
    result: dict[int, list[Value]] = defaultdict(list)
    for key, value in pairs:
        result[key].append(value)
    return result


def describe_revision(revision: Revision) -> Document:
    """Return when something became known; a compacted revision has its newest version."""
    names = ("version", "known_at", "folded")
    document = {name: getattr(revision, name) for name in names}
    return document | {"start": _format_bound(revision.start), "end": _format_bound(revision.end)}


def _parse_lower_bound(time: int | None) -> int:
    return BEGINNING if time is None else time


def _parse_upper_bound(time: int | None) -> int:
    return OPEN if time is None else time


def _format_bound(time: int) -> int | None:
    """Return a bound in its wire type: None if there is none."""
    return None if time in (BEGINNING, OPEN) else time


def find_keys(node: Node, search: str = "") -> QuerySet[NodeKey]:
    """Return the keys of a node that contain `search`, most recently revised first."""
    queryset = NodeKey.objects.filter(node=node).exclude(birth=OPEN)
    return (queryset.filter(key__icontains=search) if search else queryset).order_by("-version", "key")


def describe_key(key: NodeKey) -> Document:
    return {"key": key.key, "known_at": key.known_at}


def refuse_forgotten(node: Node, known_at: int | None) -> None:
    """Refuse an instant that the log no longer reaches. Call it after reading, which a compaction may overtake."""
    if known_at is None:
        return
    since = Node.objects.values_list("known_from", flat=True).get(pk=node.pk)
    if since is not None and known_at < since:
        earliest = datetime.fromtimestamp(since // 1_000_000 + 1, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        raise Invalid.field(
            "known_at",
            "What was known so long ago is not kept any more.",
            f"Ask for {since} ({earliest}) or later.",
            code="known_at_too_early",
        )
