"""Rankings of a node's keys, kept in memory and updated from new revisions only."""

from __future__ import annotations

import heapq
import time
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import groupby
from operator import or_
from threading import Lock
from typing import Any
from weakref import WeakValueDictionary

from django.db.models import OuterRef, Q, Subquery

from timeline_app.algebra.fold import Point, Stretch, fold
from timeline_app.algebra.kinds import BEGINNING, OPEN, Kind
from timeline_app.web.models import Node, NodeKey, Revision
from timeline_app.web.nodes.selectors import find_stop_time

MAX_RANKED_KEYS = 20_000
"""The keys that were revised last."""
MAX_KEYS_PER_READ = 2_000
MAX_PIECES_PER_KEY = 8
LAG_LIMIT_US = 15 * 60 * 1_000_000
"""A node whose events lag more than this behind the clock is ranked at its newest event."""
_KEYS_PER_QUERY = 100


@dataclass(eq=False)
class Ranking:
    """The timelines of a node's keys from some instant on."""

    digest: str
    kind: Kind
    at: int | None = None
    tails: dict[str, list[Point]] = field(default_factory=dict)
    total: int = 0
    place: tuple[int, int] | None = None
    newest: int = BEGINNING
    seen: int | None = None
    """How far a lagging node has read."""
    lock: Lock = field(default_factory=Lock)
    """Held while reading or ranking: pages of several people share it, each in its own thread."""

    def read(self, node: Node, seen_version: int | None = None) -> bool:
        """Read news of at most `MAX_KEYS_PER_READ` keys; return whether that was all.

        `seen_version` is how far a lagging node has read.
        """
        was, self.seen = self.seen, seen_version
        # Tails begin at the instant they were read for; a node that starts to lag needs earlier ones.
        if self.place is None or node.version < self.place[0] or (was is None) != (seen_version is None):
            self.begin(node)
        version, number = self.place or (-1, -1)
        log = NodeKey.objects.filter(node=node, version__lte=node.version)  # later ones are incomplete
        new = log.filter(Q(version__gt=version) | Q(version=version, pk__gt=number)).order_by("version", "pk")
        new_rows = list(new.values_list("version", "pk", "key", "birth")[:MAX_KEYS_PER_READ])
        if new_rows:
            self.take({pk: key for _, pk, key, birth in new_rows if birth != OPEN}, self.edge(node))
            for _, _, key, birth in new_rows:
                if birth == OPEN:
                    self.tails.pop(key, None)
            self.place = new_rows[-1][:2]
            self.total = (
                len(self.tails) if len(self.tails) < MAX_RANKED_KEYS else log.exclude(birth=OPEN).count()
            )
        return len(new_rows) < MAX_KEYS_PER_READ

    def begin(self, node: Node) -> None:
        """Clear everything, and start with the key that was revised `MAX_RANKED_KEYS` revisions ago."""
        self.tails, self.total, self.newest = {}, 0, BEGINNING
        newest_first = NodeKey.objects.filter(node=node).order_by("-version", "-pk")
        self.place = newest_first.values_list("version", "pk")[
            MAX_RANKED_KEYS : MAX_RANKED_KEYS + 1
        ].first() or (-1, -1)

    def take(self, keys: Mapping[int, str], base: int) -> None:
        """Read the timelines of these keys from `base` on."""
        wall = time.time_ns() // 1000
        # For a fixed instant read only what holds there: the rest may be a long history.
        until = OPEN if self.at is None else self.at + 1
        for pk, points in read_key_tails(self.kind, list(keys), base, until):
            self.tails.pop(keys[pk], None)
            self.tails[keys[pk]] = points[:MAX_PIECES_PER_KEY]
            happened = [point[0] for point in points if point[0] is not None and point[0] <= wall]
            self.newest = max(self.newest, happened[-1] if happened else BEGINNING)
        while len(self.tails) > MAX_RANKED_KEYS:
            del self.tails[next(iter(self.tails))]

    def edge(self, node: Node) -> int:
        """Return the instant to rank: the requested one, the clock until the node stopped, or its newest event."""
        if self.at is not None:
            return self.at
        wall = min(time.time_ns() // 1000, find_stop_time(node) or OPEN, self.seen or OPEN)
        until = node.final_until
        if until is None or (until <= wall and wall - max(until, self.newest) <= LAG_LIMIT_US):
            return wall
        return max(until, self.newest)

    def best(self, node: Node, top: int, order: str) -> list[tuple[str, list[Point]]]:
        """Return the keys with the greatest or least values now; keys with unknown values come last."""
        now, least = self.edge(node), order == "least"
        choose = heapq.nsmallest if least else heapq.nlargest
        values = [(find_value(points, now), key) for key, points in self.tails.items()]
        best_keys = choose(top, ((value, key) for value, key in values if value is not None))
        unknown_keys = heapq.nsmallest(top - len(best_keys), (key for value, key in values if value is None))
        return [(key, self.tails[key]) for key in [*(key for _, key in best_keys), *unknown_keys]]


_finding = Lock()
_shared: WeakValueDictionary[tuple[str, int | None], Ranking] = WeakValueDictionary()


def get_ranking(node: Node, at: int | None = None) -> Ranking:
    """Return the shared ranking of a node; it is freed when nobody uses it any more."""
    with _finding:
        ranking = _shared.get((node.digest, at))
        if ranking is None:
            ranking = _shared[(node.digest, at)] = Ranking(node.digest, Kind(node.kind), at)
    return ranking


def read_key_tails(
    kind: Kind, keys: Sequence[int], base: int, until: int = OPEN
) -> Iterable[tuple[int, list[Point]]]:
    """Yield the timeline of each of these keys (rows of `NodeKey`) from `base` to `until`."""
    for begin in range(0, len(keys), _KEYS_PER_QUERY):
        chunk = keys[begin : begin + _KEYS_PER_QUERY]
        covering = Revision.objects.filter(node_key=OuterRef("pk"), start__lte=base, end__gte=until)
        since = Subquery(covering.order_by("-known_at").values("known_at")[:1])
        together = defaultdict(list)
        for pk, then in NodeKey.objects.filter(pk__in=chunk).annotate(since=since).values_list("pk", "since"):
            together[BEGINNING if then is None else then].append(pk)
        conditions = (Q(node_key__in=pks, known_at__gte=then) for then, pks in together.items())
        log = Revision.objects.filter(reduce(or_, conditions, Q(pk=-1)), end__gt=base, start__lt=until)
        rows = log.order_by("node_key", "-known_at").values_list("node_key_id", "start", "end", "pieces")
        for pk, item in groupby(rows, key=lambda row: row[0]):
            yield pk, fold(kind, (Stretch(*row[1:]) for row in item), base, until)


def find_value(points: list[Point], now: int) -> Any:
    """Return the value at an instant; before the first point, the first value."""
    if not points:
        return None
    index = bisect_right(points, now, key=lambda point: BEGINNING if point[0] is None else point[0])
    time_, *lines = points[max(0, index - 1)]
    if lines[0] is None or len(lines) == 1:
        return lines[0]
    values = [
        value + (slope * (now - time_) / 1_000_000 if slope and time_ is not None else 0.0)
        for value, slope in zip(lines[::2], lines[1::2], strict=True)
    ]
    return values[0] if len(values) == 1 else values[0] / values[1] if values[1] else None
