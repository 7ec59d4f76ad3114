"""Which keys of a node have the most, or the least: kept between looks, and read only where something is new."""

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

MOST = 20_000
"""So many keys are compared: those that were revised last."""
READ = 2_000
"""So many keys are read at one look."""
PIECES = 8
BEHIND = 15 * 60 * 1_000_000
"""A node whose events are so far behind the clock has its own now: its newest event."""
_TOGETHER = 100


@dataclass(eq=False)
class Ranking:
    """What each key of a node says from some instant on."""

    digest: str
    kind: Kind
    at: int | None = None
    tails: dict[str, list[Point]] = field(default_factory=dict)
    total: int = 0
    place: tuple[int, int] | None = None
    newest: int = BEGINNING
    seen: int | None = None
    """How far a node that is behind has seen."""
    lock: Lock = field(default_factory=Lock)
    """Held by whoever reads or ranks: pages of several people share it, each in a thread of its own."""

    def read(self, node: Node, seen: int | None = None) -> bool:
        """Read what is new of at most `READ` keys; whether that was all. `seen`: how far, of a node that is behind."""
        was, self.seen = self.seen, seen
        # What was read from now on says nothing of the time before, to which a node falls behind.
        if self.place is None or node.version < self.place[0] or (was is None) != (seen is None):
            self.begin(node)
        version, number = self.place or (-1, -1)
        log = NodeKey.objects.filter(node=node, version__lte=node.version)  # later ones are not whole yet
        new = log.filter(Q(version__gt=version) | Q(version=version, pk__gt=number)).order_by("version", "pk")
        result = list(new.values_list("version", "pk", "key", "birth")[:READ])
        if result:
            self.take({pk: key for _, pk, key, birth in result if birth != OPEN}, self.edge(node))
            for _, _, key, birth in result:
                if birth == OPEN:
                    self.tails.pop(key, None)
            self.place = result[-1][:2]
            self.total = len(self.tails) if len(self.tails) < MOST else log.exclude(birth=OPEN).count()
        return len(result) < READ

    def begin(self, node: Node) -> None:
        """Forget everything, and begin with the key that was revised `MOST` revisions ago."""
        self.tails, self.total, self.newest = {}, 0, BEGINNING
        newest_first = NodeKey.objects.filter(node=node).order_by("-version", "-pk")
        self.place = newest_first.values_list("version", "pk")[MOST : MOST + 1].first() or (-1, -1)

    def take(self, keys: Mapping[int, str], base: int) -> None:
        """Read what these keys say from `base` on."""
        wall = time.time_ns() // 1000
        # Of an instant that was asked for no more is read than what holds there: what follows may be a long history.
        until = OPEN if self.at is None else self.at + 1
        for pk, points in read_key_tails(self.kind, list(keys), base, until):
            self.tails.pop(keys[pk], None)
            self.tails[keys[pk]] = points[:PIECES]
            happened = [point[0] for point in points if point[0] is not None and point[0] <= wall]
            self.newest = max(self.newest, happened[-1] if happened else BEGINNING)
        while len(self.tails) > MOST:
            del self.tails[next(iter(self.tails))]

    def edge(self, node: Node) -> int:
        """Now: what was asked for, the clock until the node stopped, or the newest event where that is far behind."""
        if self.at is not None:
            return self.at
        wall = min(time.time_ns() // 1000, find_stop_time(node) or OPEN, self.seen or OPEN)
        until = node.final_until
        if until is None or (until <= wall and wall - max(until, self.newest) <= BEHIND):
            return wall
        return max(until, self.newest)

    def best(self, node: Node, top: int, order: str) -> list[tuple[str, list[Point]]]:
        """The keys with the most or the least value now; those whose value is unknown come last."""
        now, least = self.edge(node), order == "least"
        choose = heapq.nsmallest if least else heapq.nlargest
        known = [(find_value(points, now), key) for key, points in self.tails.items()]
        some = choose(top, ((value, key) for value, key in known if value is not None))
        rest = heapq.nsmallest(top - len(some), (key for value, key in known if value is None))
        return [(key, self.tails[key]) for key in [*(key for _, key in some), *rest]]


_finding = Lock()
_shared: WeakValueDictionary[tuple[str, int | None], Ranking] = WeakValueDictionary()


def get_ranking(node: Node, at: int | None = None) -> Ranking:
    """The ranking of a node that all who look share; it is forgotten when nobody looks any more."""
    with _finding:
        ranking = _shared.get((node.digest, at))
        if ranking is None:
            ranking = _shared[(node.digest, at)] = Ranking(node.digest, Kind(node.kind), at)
    return ranking


def read_key_tails(
    kind: Kind, keys: Sequence[int], base: int, until: int = OPEN
) -> Iterable[tuple[int, list[Point]]]:
    """What each of these keys (rows of `NodeKey`) says from `base` to `until`."""
    for begin in range(0, len(keys), _TOGETHER):
        some = keys[begin : begin + _TOGETHER]
        covering = Revision.objects.filter(node_key=OuterRef("pk"), start__lte=base, end__gte=until)
        since = Subquery(covering.order_by("-known_at").values("known_at")[:1])
        together = defaultdict(list)
        for pk, then in NodeKey.objects.filter(pk__in=some).annotate(since=since).values_list("pk", "since"):
            together[BEGINNING if then is None else then].append(pk)
        each = (Q(node_key__in=pks, known_at__gte=then) for then, pks in together.items())
        log = Revision.objects.filter(reduce(or_, each, Q(pk=-1)), end__gt=base, start__lt=until)
        rows = log.order_by("node_key", "-known_at").values_list("node_key_id", "start", "end", "pieces")
        for pk, item in groupby(rows, key=lambda row: row[0]):
            yield pk, fold(kind, (Stretch(*row[1:]) for row in item), base, until)


def find_value(points: list[Point], now: int) -> Any:
    """The value of a tail; what is before it is its first."""
    if not points:
        return None
    place = bisect_right(points, now, key=lambda point: BEGINNING if point[0] is None else point[0])
    time_, *lines = points[max(0, place - 1)]
    if lines[0] is None or len(lines) == 1:
        return lines[0]
    values = [
        value + (slope * (now - time_) / 1_000_000 if slope and time_ is not None else 0.0)
        for value, slope in zip(lines[::2], lines[1::2], strict=True)
    ]
    return values[0] if len(values) == 1 else values[0] / values[1] if values[1] else None
