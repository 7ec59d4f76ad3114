"""The keys of a node by their current value: where it holds, for how long, and how long it usually lasts.

The cost is bounded, and the answer says so: only the keys that were revised last, as far back as `lookback`, and at
most `MAX_POINTS_READ` change points. Four queries, however many keys there are.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any

from django.db.models import OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from timeline_app.algebra.fold import Point, Stretch, fold
from timeline_app.algebra.kinds import BEGINNING, OPEN, SECOND, Kind
from timeline_app.web.models import Node, NodeKey, Revision
from timeline_app.web.nodes.freshness import classify_finality, read_known_until
from timeline_app.web.nodes.ranking import find_value

Document = dict[str, Any]
MAX_KEYS_READ = 1000
"""The keys that were revised last."""
MAX_POINTS_READ = 200_000
MAX_VALUES_RETURNED = 20
"""Different values, with the number of keys that have them."""


@dataclass(frozen=True, slots=True)
class StatesQuestion:
    """Which keys, at which instant, how far back (microseconds), which value, in which order."""

    at: int
    lookback: int
    value: Any
    chosen: bool
    search: str = ""
    order: str = "longest"
    limit: int = 50


@dataclass(frozen=True, slots=True)
class Key:
    """One key: its value at the instant, since when, and whether that is only a lower bound."""

    name: str
    value: Any
    since: int
    at_least: bool
    ended: tuple[tuple[Any, int], ...]
    """Spans that began and ended within the lookback: value and microseconds."""


def describe_key_states(node: Node, question: StatesQuestion) -> Document:
    """Return the values at the instant, the keys with the chosen value, and how long such spans last."""
    kind = Kind(node.kind)
    keys_by_pk, total = load_newest_keys(node, question.search)
    log = load_key_log(list(keys_by_pk), question.at - question.lookback, question.at, node.as_of)
    keys, complete = _read(kind, keys_by_pk, log, question.at - question.lookback, question.at)
    counted = Counter(key.value for key in keys)
    value = question.value if question.chosen or kind.is_line else _select_usual_value(kind, counted)
    rows = [key for key in keys if kind.is_line or key.value == value]
    spread = _describe_values(rows) if kind.is_line else _describe_lengths(keys, value)
    known_until = read_known_until(node)
    return {
        "node": node.digest,
        "kind": kind.printed,
        "at": question.at,
        "from": question.at - question.lookback,
        "value": None if kind.is_line else value,
        "known": total,
        "looked_at": len(keys),
        "complete": complete and len(keys_by_pk) == total,
        "values": [] if kind.is_line else _rank_values(counted),
        "matching": len(rows),
        "keys": [
            _describe_key(key, question.at) for key in _sort_keys(rows, question.order)[: question.limit]
        ],
        "distribution": spread,
        "final_until": node.final_until,
        "as_of": node.as_of,
        "standing": classify_finality(question.at, node.final_until, known_until["known_until"]),
        **known_until,
    }


def compute_now(node: Node, clock: int, tolerance: int = 15 * 60 * SECOND) -> int:
    """Return the time until which the node is known, or its final time if that is far behind."""
    wall, until = read_known_until(node)["known_until"] or clock, node.final_until
    return wall if until is None or abs(wall - until) <= tolerance else until


def load_newest_keys(node: Node, search: str) -> tuple[dict[int, tuple[str, int]], int]:
    """Return name and birth, by row, of the keys that were revised last, and the total number of keys."""
    keys = NodeKey.objects.filter(node=node).exclude(birth=OPEN)
    if search:
        keys = keys.filter(key__icontains=search)
    rows = keys.order_by("-version", "-pk").values_list("pk", "key", "birth")[:MAX_KEYS_READ]
    keys_by_pk = {pk: (key, birth) for pk, key, birth in rows}
    return keys_by_pk, len(keys_by_pk) if len(keys_by_pk) < MAX_KEYS_READ else keys.count()


def _read(
    kind: Kind,
    keys_by_pk: dict[int, tuple[str, int]],
    rows: Iterable[tuple[int, Any, Any, Any]],
    base: int,
    at: int,
) -> tuple[list[Key], bool]:
    """Return the keys, and whether all of them could be read."""
    keys: list[Key] = []
    try:
        for pk, log in group_revisions(rows):
            name, birth = keys_by_pk[pk]
            if birth <= at and (points := fold(kind, log, base, at + 1)):
                keys.append(_build_key(name, birth, points, base, at))
    except TooManyChangePoints:
        return keys, False
    return keys, True


class TooManyChangePoints(Exception):
    """More than `MAX_POINTS_READ` change points would have to be read."""


def group_revisions(rows: Iterable[tuple[int, Any, Any, Any]]) -> Iterator[tuple[int, list[Stretch]]]:
    """Yield the revisions of each key that `load_key_log` read; raise `TooManyChangePoints`."""
    read = 0
    for pk, group in groupby(rows, key=lambda row: row[0]):
        log: list[Stretch] = []
        for row in group:
            log.append(Stretch(*row[1:]))
            read += len(log[-1].pieces)
            if read > MAX_POINTS_READ:
                raise TooManyChangePoints
        yield pk, log


def load_key_log(
    keys: Sequence[int], base: int, at: int, as_of: int | None
) -> Iterable[tuple[int, Any, Any, Any]]:
    """Return the revisions that affect the keys from `base` to `at`, newest first, no older than needed.

    A batch that is being published is left out: it becomes known after `as_of`.
    """
    known_rows: QuerySet[Revision] = Revision.objects.filter(known_at__lte=OPEN if as_of is None else as_of)
    rows = known_rows.filter(node_key__in=keys, end__gt=base, start__lte=at)
    covering = known_rows.filter(node_key=OuterRef("node_key"), start__lte=base, end__gt=at)
    since = Subquery(covering.order_by("-known_at").values("known_at")[:1])
    needed = rows.filter(known_at__gte=Coalesce(since, BEGINNING))
    ordered = needed.order_by("-node_key__version", "-node_key_id", "-known_at")
    return ordered.values_list("node_key_id", "start", "end", "pieces").iterator(chunk_size=500)


def _build_key(name: str, birth: int, points: list[Point], base: int, at: int) -> Key:
    """Return the state of a key at the instant; before its birth nothing counts."""
    first = max(base, birth)
    ended = tuple(
        (item[1], other[0] - max(item[0] or first, first))
        for item, other in pairwise(points)
        if other[0] > first and (_is_start_known(item, base) or birth >= base)
    )
    last = points[-1]
    return Key(
        name,
        find_value(points, at),
        max(last[0] or first, first),
        not (_is_start_known(last, base) or birth >= base),
        ended,
    )


def _is_start_known(point: Point, base: int) -> bool:
    """Return whether a piece really begins there, not at the edge of what was read."""
    return point[0] is not None and point[0] > base


def _select_usual_value(kind: Kind, counted: Counter[Any]) -> Any:
    """Return True, or the value that most keys have."""
    if kind is Kind.BOOL:
        return True
    counts_known = [(count, value) for value, count in counted.items() if value is not None]
    return max(counts_known)[1] if counts_known else None


def _rank_values(counted: Counter[Any]) -> list[Document]:
    ordered = sorted(counted.items(), key=lambda item: (-item[1], str(item[0])))
    return [{"value": value, "keys": count} for value, count in ordered[:MAX_VALUES_RETURNED]]


def _sort_keys(rows: list[Key], order: str) -> list[Key]:
    """Sort by duration or by value; unknown values last."""
    if order in ("most", "least"):
        sign = -1 if order == "most" else 1
        return sorted(rows, key=lambda item: (item.value is None, sign * (item.value or 0), item.name))
    sign = 1 if order == "longest" else -1
    return sorted(rows, key=lambda item: (sign * item.since, item.name))


def _describe_key(key: Key, at: int) -> Document:
    return {
        "key": key.name,
        "value": key.value,
        "since": key.since,
        "seconds": (at - key.since) / SECOND,
        "at_least": key.at_least,
    }


def _describe_lengths(keys: Sequence[Key], value: Any) -> Document:
    """Return how long finished spans with the value lasted."""
    lengths = [ended / SECOND for key in keys for span_value, ended in key.ended if span_value == value]
    return _describe_spread("seconds", sorted(lengths), _iterate_decade_edges)


def _describe_values(rows: Sequence[Key]) -> Document:
    """Return the distribution of the values at the instant."""
    return _describe_spread(
        "value", sorted(float(row.value) for row in rows if row.value is not None), _iterate_equal_edges
    )


def _describe_spread(of: str, numbers: list[float], edges_of: Any) -> Document:
    """Return count, minimum, median, 90th percentile, maximum and buckets of sorted numbers."""
    if not numbers:
        nothing = dict.fromkeys(("least", "median", "p90", "greatest"))
        return {"of": of, "count": 0, **nothing, "buckets": []}
    rank = {
        name: numbers[max(0, -(-len(numbers) * share // 100) - 1)]
        for name, share in (("median", 50), ("p90", 90))
    }
    return {
        "of": of,
        "count": len(numbers),
        "least": numbers[0],
        **rank,
        "greatest": numbers[-1],
        "buckets": list(_count_buckets(numbers, list(edges_of(numbers[0], numbers[-1])))),
    }


def _count_buckets(numbers: list[float], edges: list[float]) -> Iterator[Document]:
    """Count the numbers from each edge (inclusive) to the next (exclusive)."""
    places = Counter(bisect_right(edges, item) - 1 for item in numbers)
    for index, (low, high) in enumerate(pairwise(edges)):
        yield {"from": low, "to": high, "count": places[index]}


def _iterate_decade_edges(least: float, greatest: float) -> Iterator[float]:
    """Yield 1, 2, 5, 10, 20 … microseconds as edges around all numbers."""
    steps = [float(f"{digit}e{power}") for power in range(-6, 10) for digit in (1, 2, 5)]
    first = max(0, bisect_right(steps, least) - 1)
    yield from steps[first : bisect_right(steps, greatest) + 1]


def _iterate_equal_edges(least: float, greatest: float, count: int = 12) -> Iterator[float]:
    """Yield edges at equal distances; the last is just above the greatest number."""
    step = (greatest - least) / count or 1.0
    yield from (least + step * index for index in range(count))
    yield least + step * count * (1 + 1e-9) + 1e-12
