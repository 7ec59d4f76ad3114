"""Reading the next rows for a sink from the revision log in batches, and recording the position.

Delivery works in *passes*. A pass delivers what became known after one instant and until another: keys in the order
of their digests, each key's revisions in the order in which they became known. So a new sink gets its history in its
first pass, and reading on costs what changed. The position of a pass (`NodeSink.place`):

    {"from": known_at, "version": …,                      what became known by then is delivered
     "pass": {"until": known_at, "version": …, "final": …, what the pass delivers
              "after": [digest, known_at, start],          its position: within a key, or behind it
              "keys": true}}                               all revised keys are done

Final spans are delivered once, when `final_until` has passed their end. What is not yet delivered of a key is stored
(`SinkKey`), so a correction of a final value changes nothing that was delivered and leaves no gap. If the log is
compacted beyond a pass while it runs, the pass finds nothing final any more; the next pass does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import Any

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from timeline_app.algebra.fold import Point, Stretch, fold
from timeline_app.algebra.kinds import BEGINNING, OPEN, Kind
from timeline_app.connectors.delivered_rows import Rows
from timeline_app.connectors.spool import Spooled
from timeline_app.web.models import Node, NodeKey, Revision
from timeline_app.web.models.sinks import NodeSink, SinkKey

MAX_KEYS_PER_BATCH = 500
"""The limit of points usually ends a batch earlier."""
MAX_POINTS_PER_BATCH = 50_000
"""A batch ends with the revision that reaches this limit."""
MAX_KEYS_TO_SORT = 5_000
"""Up to this many revised keys are queried at once and sorted here."""
MAX_VERSIONS_PER_READ = 10
"""Up to this many versions of a node are read for many keys at once."""
Place = dict[str, Any]


class DeliveredElsewhere(Exception):
    """Another process has delivered further: reopen the sink."""


@dataclass(frozen=True, slots=True)
class Said:
    """A revision of a key."""

    known_at: int
    start: int
    end: int
    pieces: list[Point]


@dataclass(frozen=True, slots=True)
class NewOfKey:
    """The new revisions of a key; `whole`: this pass has no more of them."""

    number: int
    key: str
    said: list[Said]
    whole: bool = True


@dataclass(slots=True)
class Facts:
    """What is recorded with a batch."""

    place: Place
    keys: list[list[Any]] = field(default_factory=list)
    corrected: int = 0


def read_next_batch(sink: NodeSink, *, begin: bool = True) -> Spooled | None:
    """Return the next batch, perhaps without rows; None if all is delivered (or `begin` forbids a new pass)."""
    place = sink.place
    if "pass" not in place:
        opened = _begin_pass(sink) if begin else None
        if opened is None:
            return None
        place = place | {"pass": opened}
    kind = Kind(Node.objects.values_list("kind", flat=True).get(pk=sink.node_id))
    going = place["pass"]
    document, place = _read_page(sink, place)
    if _may_end_spans(sink) and _is_folded(sink, going):
        place = _mark_not_final(going, place)
    facts, rows = Facts(place), Rows(kind)
    if sink.delivers == NodeSink.Delivers.REVISIONS:
        for item in document:
            for revision in item.said:
                rows.add(item.key, revision.pieces, revision.end, revision.known_at)
    else:
        _add_finals(sink, kind, document, facts, rows)
    return Spooled(rows.table(), {"place": facts.place, "keys": facts.keys, "corrected": facts.corrected})


def record_step(sink: NodeSink, spooled: Spooled) -> None:
    """Record that a step is done. Raise `DeliveredElsewhere` if another process has done it."""
    facts, published = spooled.facts, len(spooled.rows)
    place = facts["place"]
    changed_fields: dict[str, Any] = {"step": sink.step + 1, "place": place}
    if "pass" not in place:
        changed_fields |= {"known_at": place["from"]}
        changed_fields |= {} if place["final"] is None else {"final_until": place["final"]}
    if published:
        changed_fields |= {"batch": sink.batch + 1, "delivered_at": timezone.now()}
    counted = {"rows": F("rows") + published, "corrected": F("corrected") + facts["corrected"]}
    with transaction.atomic():
        row = NodeSink.objects.filter(pk=sink.pk, identity=sink.identity, step=sink.step)
        if not row.update(**changed_fields, **counted):
            raise DeliveredElsewhere
        _keep(sink, facts["keys"])
    sink.refresh_from_db()


def count_waiting(sink: NodeSink) -> int:
    """Return how many versions of the node are not delivered."""
    version = Node.objects.values_list("version", flat=True).get(pk=sink.node_id)
    return int(max(version - sink.place.get("version", -1), 0))


def _begin_pass(sink: NodeSink) -> Place | None:
    """Return a pass over the present state, if there is anything new."""
    as_of, version, final = Node.objects.values_list("as_of", "version", "final_until").get(pk=sink.node_id)
    if as_of is None or as_of <= sink.place.get("from", BEGINNING):
        return None
    return {"until": as_of, "version": version, "final": final}


def _read_page(sink: NodeSink, place: Place) -> tuple[list[NewOfKey], Place]:
    """Return the news of the next keys, and the position after them, which may end the pass."""
    going: Place = place["pass"]
    if not going.get("keys"):
        document, after = _read_revised(sink, place)
        if after is not None:
            return document, place | {"pass": going | {"after": after}}
        going = going | {"keys": True}
        if document:
            return document, place | {"pass": going} if _may_end_spans(sink) else _end_pass(going)
    document = _read_ended(sink, going) if _may_end_spans(sink) else []
    return document, place | {"pass": going} if len(document) == MAX_KEYS_PER_BATCH else _end_pass(going)


def _may_end_spans(sink: NodeSink) -> bool:
    """Return whether keys without new revisions may have something to deliver."""
    return sink.delivers == NodeSink.Delivers.FINAL


def _end_pass(going: Place) -> Place:
    return {"from": going["until"], "version": going["version"], "final": going["final"]}


def _is_folded(sink: NodeSink, going: Place) -> bool:
    """Return whether the state at the start of the pass has been compacted away."""
    known_from = Node.objects.values_list("known_from", flat=True).get(pk=sink.node_id)
    return known_from is not None and known_from > going["until"]


def _mark_not_final(going: Place, place: Place) -> Place:
    """Return the same position in a pass without final spans; it ends with the revised keys."""
    going = going | {"final": None}
    if "pass" not in place or place["pass"].get("keys"):
        return _end_pass(going)
    return place | {"pass": place["pass"] | {"final": None}}


def _read_revised(sink: NodeSink, place: Place) -> tuple[list[NewOfKey], list[Any] | None]:
    """Return the next revised keys, and the position after them; None: after the last one."""
    going = place["pass"]
    keys = _list_revised_keys(sink, place)
    since, until = place.get("from", BEGINNING), going["until"]
    new = Revision.objects.filter(known_at__gt=since, known_at__lte=until)
    middle = going.get("after", [None, None])[1] is not None
    are_few = (
        not middle and "version" in place and going["version"] - place["version"] <= MAX_VERSIONS_PER_READ
    )
    if are_few:
        at_once = _read_at_once(new, keys)
        after = None
    else:
        at_once, after = _read_by_key(new, keys, going.get("after"))
    if after is None and len(keys) == MAX_KEYS_PER_BATCH:
        after = [keys[-1][0].hex(), None, None]
    return at_once, after


Key = tuple[bytes, int, str]


def _list_revised_keys(sink: NodeSink, place: Place) -> list[Key]:
    """Return digest, number and name of the next revised keys, ordered by digest."""
    since, after = place.get("version", -1), place["pass"].get("after")
    result = NodeKey.objects.filter(node=sink.node_id, version__gt=since).values_list("digest", "pk", "key")
    low, inclusive = (b"", True) if after is None else (bytes.fromhex(after[0]), after[1] is not None)
    if since >= 0:
        revised = sorted(
            (bytes(digest), pk, key)
            for digest, pk, key in result.order_by("-version")[: MAX_KEYS_TO_SORT + 1]
        )
        if len(revised) <= MAX_KEYS_TO_SORT:
            return [item for item in revised if item[0] > low or (inclusive and item[0] == low)][
                :MAX_KEYS_PER_BATCH
            ]
    bound = Q(digest__gte=low) if inclusive else Q(digest__gt=low)
    return [
        (bytes(digest), pk, key)
        for digest, pk, key in result.filter(bound).order_by("digest")[:MAX_KEYS_PER_BATCH]
    ]


_COLUMNS = ("known_at", "start", "end", "pieces")


def _read_at_once(new: Any, keys: Sequence[Key]) -> list[NewOfKey]:
    """Return the news of some keys."""
    rows = new.filter(node_key__in=[pk for _, pk, _ in keys]).order_by("node_key", "known_at", "start")
    revisions_by_key = {
        pk: [Said(*row[1:]) for row in group]
        for pk, group in groupby(rows.values_list("node_key_id", *_COLUMNS), key=itemgetter(0))
    }
    return [NewOfKey(pk, key, revisions_by_key[pk]) for _, pk, key in keys if pk in revisions_by_key]


def _read_by_key(
    new: Any, keys: Sequence[Key], after: list[Any] | None
) -> tuple[list[NewOfKey], list[Any] | None]:
    """Return the news of keys that may have many; a batch may end within a key."""
    news: list[NewOfKey] = []
    points = 0
    for index, (digest, pk, key) in enumerate(keys):
        rows_of_key = new.filter(node_key=pk)
        if index == 0 and after is not None and after[1] is not None:
            rows_of_key = rows_of_key.filter(
                Q(known_at__gt=after[1]) | Q(known_at=after[1], start__gt=after[2])
            )
        revisions: list[Said] = []
        for row in rows_of_key.order_by("known_at", "start").values_list(*_COLUMNS).iterator(chunk_size=500):
            revisions.append(Said(*row))
            points += len(revisions[-1].pieces)
            if points >= MAX_POINTS_PER_BATCH:
                news.append(NewOfKey(pk, key, revisions, whole=False))
                return news, [digest.hex(), revisions[-1].known_at, revisions[-1].start]
        news.append(NewOfKey(pk, key, revisions))
    return news, None


def _read_ended(sink: NodeSink, going: Place) -> list[NewOfKey]:
    """Return keys without new revisions of which a span has become final."""
    if going["final"] is None:
        return []
    result = SinkKey.objects.filter(sink=sink, ends__lt=going["final"]).order_by("ends", "pk")[
        :MAX_KEYS_PER_BATCH
    ]
    return [NewOfKey(item.node_key_id, item.node_key.key, []) for item in result.select_related("node_key")]


def _add_finals(sink: NodeSink, kind: Kind, news: Sequence[NewOfKey], facts: Facts, rows: Rows) -> None:
    """Add the newly final spans of each key as rows, and what to store of the others."""
    going = facts.place.get("pass") or {"final": facts.place["final"], "until": facts.place["from"]}
    numbers = [item.number for item in news]
    rows_by_key = {row.node_key_id: row for row in SinkKey.objects.filter(sink=sink, node_key__in=numbers)}
    for item in news:
        row = rows_by_key.get(item.number)
        since = BEGINNING if row is None else row.until
        facts.corrected += sum(revision.start < since for revision in item.said) if row is not None else 0
        points = fold(kind, _iterate_newest_first(item.said, row), since)
        if not points:
            continue
        bound = going["final"] if item.whole and going["final"] is not None else BEGINNING
        ends = [int(point[0]) for point in points[1:]]
        ready = sum(end < bound for end in ends)
        if ready:
            rows.add(item.key, points[:ready], ends[ready - 1], going["until"])
        until = ends[ready - 1] if ready else since
        facts.keys.append([item.number, until, ends[ready] if ready < len(ends) else OPEN, points[ready:]])


def _iterate_newest_first(revisions: Sequence[Said], row: SinkKey | None) -> Iterator[Stretch]:
    for item in reversed(revisions):
        yield Stretch(item.start, item.end, item.pieces)
    if row is not None:
        yield Stretch(row.until, OPEN, row.pieces)


def _keep(sink: NodeSink, keys: Sequence[Sequence[Any]]) -> None:
    """Store the undelivered rest of each key."""
    SinkKey.objects.bulk_create(
        [
            SinkKey(sink=sink, node_key_id=pk, until=until, ends=ends, pieces=pieces)
            for pk, until, ends, pieces in keys
        ],
        update_conflicts=True,
        unique_fields=["sink", "node_key"],
        update_fields=["until", "ends", "pieces"],
    )
