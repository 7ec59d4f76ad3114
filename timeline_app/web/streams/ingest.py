"""Ingestion: events are taken durably, once and in the order of each client; or the whole request is refused."""

from __future__ import annotations

import errno
import hashlib
import logging
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import cache

import pyarrow as pa
import pyarrow.compute as pc
from django.conf import settings
from django.db import DatabaseError, transaction
from django.db.models import F, Value
from django.db.models.functions import Coalesce, Greatest

from timeline_app.algebra.events import UNTIL
from timeline_app.events.declaration import MAX_SEEN_FIELDS, StreamDeclaration
from timeline_app.events.future_times import split_ahead
from timeline_app.events.nested import list_fields
from timeline_app.events.validate import LineProblem, Misread
from timeline_app.fs.durable import Unsettled
from timeline_app.landing.dedup import NotInOrder, Receipt
from timeline_app.landing.group_commit import GroupCommit
from timeline_app.landing.log import Landing
from timeline_app.landing.recent_ids import hash_events
from timeline_app.landing.request_body import list_event_lines, read_events, select_texts
from timeline_app.landing.requests import Request
from timeline_app.plan import BadEvents
from timeline_app.web.core.disk_space import refuse_when_full
from timeline_app.web.core.errors import ApiError, Busy, Conflict, NotWritten, as_problem
from timeline_app.web.core.sharing import lock
from timeline_app.web.models import Stream
from timeline_app.web.streams import arrival_measures, quarantine
from timeline_app.web.streams.backlog import count_unread
from timeline_app.web.streams.selectors import load_declaration

MAX_FIELD_NAME_CHARS = 200
"""No plan can name a longer field."""
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Ticket:
    """The idempotency headers of a request: its key, or the client's name and sequence number; all are optional.

    Names are separate for each user.
    """

    key: str = ""
    client: str = ""
    sequence: int = -1
    user: int = 0

    def receipt(self, body: bytes) -> Receipt:
        """Return what is stored about the request."""
        if not self.key and not self.client:
            return Receipt("", "", -1, "", 0)
        client = _hash_text(f"client {self.user} {self.client}") if self.client else ""
        name = (
            f"key {self.user} {self.key}" if self.key else f"number {self.user} {self.sequence} {self.client}"
        )
        return Receipt(_hash_text(name), client, self.sequence, _hash_text(body), 0)


NAMELESS = Ticket()


@dataclass(slots=True)
class RejectedEvents:
    """Events of a request that are rejected as too far ahead; `rows` are their rows in quarantine."""

    stream: Stream
    sender: int
    request: str
    events: list[Misread] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)

    def keep(self, events: list[Misread]) -> None:
        """Replace the quarantined events; if the database fails, they follow within a second."""
        self.discard()
        self.events = events
        if not events:
            return
        try:
            self.rows = quarantine.keep_rejected(self.stream, events, self.sender, self.request)
        except DatabaseError as why:
            name = self.stream.name
            log.warning("events of %s that were rejected could not be written at once: %s", name, why)
            arrival_measures.note_refused(self.stream, events, self.sender)

    def discard(self) -> None:
        """Delete the quarantined events, because their request did not land."""
        if self.rows:
            quarantine.delete_rejected(self.stream, self.rows, len(self.events))
        self.events, self.rows = [], []


def take_events(*, stream: Stream, body: bytes, ticket: Ticket = NAMELESS) -> Request:
    """Take all events of a request, or none; return where they landed and whether they had been taken before."""
    receipt, door = ticket.receipt(body), get_door(stream.folder)
    if receipt_before := door.landing.find_known(receipt):
        return Request(pa.table({}), receipt, receipt_before, repeated=True)
    rejected = RejectedEvents(stream, ticket.user, receipt.id)
    try:
        refuse_when_full()
        refuse_when_behind(stream)
        request, landed = _land(stream, body, ticket, rejected)
    except OSError as why:
        if not isinstance(why, Unsettled):
            rejected.discard()
        raise refuse_full_disk(why) from why
    if request.refusal or request.repeated:
        rejected.discard()
    if request.refusal:
        raise order_problem(request.refusal, ticket)
    if filled := [item for item in landed if len(item.table)]:
        arrival_measures.note_taken(stream, filled, ticket.user)
        count_carefully(stream, [item.table for item in filled])
    return request


def _land(
    stream: Stream, body: bytes, ticket: Ticket, rejected: RejectedEvents
) -> tuple[Request, list[Request]]:
    """Land a request and those that land with it. Its rejected events are written before, outside of any lock."""
    arrived = time.time_ns() // 1_000
    while True:
        with lock_stream(stream) as declared:
            request, ahead = build_request(declared, body, ticket, arrived)
            if rejected.events == ahead:
                return request, get_door(declared.folder).land(request) if request.receipt is None else []
        rejected.keep(ahead)


def build_request(stream: Stream, body: bytes, ticket: Ticket, arrived: int) -> tuple[Request, list[Misread]]:
    """Return what is to land of a body, and what is rejected as too far ahead.

    If nothing is left and there is no key or number to remember, the request is complete and nothing lands.
    """
    declared, receipt = load_declaration(stream), ticket.receipt(body)
    sent = decode_events(stream, body, ticket.user)
    table, ahead = split_ahead(sent, declared, arrived, lambda: range(1, len(sent) + 1))
    request = Request(table, receipt.with_events(len(table), len(ahead)))
    request.allowed_lateness, request.retention = declared.allowed_lateness, declared.retention
    if declared.id is not None:
        request.digests = hash_events(table)
    if not len(table) and not receipt.id:
        request.receipt = request.claim
    return request, locate_rejected(sent, body, declared, ahead) if ahead else []


def locate_rejected(
    sent: pa.Table, body: bytes, declared: StreamDeclaration, problems: Sequence[LineProblem]
) -> list[Misread]:
    """Return problems, which know the number of their event, with its text and its line."""
    texts = arrival_measures.format_events(sent.take([problem.line - 1 for problem in problems]), declared)
    lines = list_event_lines(body, declared)
    placed = [replace(problem, line=lines[problem.line - 1]) for problem in problems]
    return [Misread(item, text, alone=True) for item, text in zip(placed, texts, strict=True)]


@contextmanager
def lock_stream(stream: Stream) -> Iterator[Stream]:
    """Yield the stream, which stays as it is until its events have landed; raise `Missing` if it was deleted.

    An empty stream can be redeclared: that and its first events wait for each other. Events that arrive while the
    stream is emptied or deleted go to the trash with the others.
    """
    if get_landing(stream.folder).end():
        yield stream
        return
    with transaction.atomic():
        yield lock(stream)


@cache
def get_door(folder: str) -> GroupCommit:
    """Return the group commit of a stream's landing; one object per process, which remembers its position."""
    return GroupCommit(Landing(settings.LANDING, folder))


def get_landing(folder: str) -> Landing:
    """Return the landing of a stream."""
    return get_door(folder).landing


def decode_events(stream: Stream, body: bytes, sender: int = 0) -> pa.Table:
    """Return the events of a request; on any error raise a refusal with all wrong lines, which are kept."""
    try:
        return read_events(body, load_declaration(stream))
    except BadEvents as error:
        texts = select_texts(body, load_declaration(stream), {problem.line for problem in error.problems})
        arrival_measures.note_refused(stream, arrival_measures.pair_texts(error.problems, texts), sender)
        problems = [as_problem(asdict(item)) for item in error.problems]
        first = error.problems[0]
        message = f"Nothing was taken. Line {first.line}: {first.message}"
        raise ApiError(message, code="bad_events", problems=problems) from None


def refuse_when_behind(stream: Stream) -> None:
    """Limit the backlog of the running queries."""
    waiting = count_unread(stream.name, get_landing(stream.folder))
    if waiting > settings.MAX_BACKLOG_EVENTS:
        raise Busy.behind(stream.name, waiting, settings.MAX_BACKLOG_EVENTS)


def refuse_full_disk(why: OSError) -> NotWritten:
    """Return the refusal for a failed write."""
    if isinstance(why, Unsettled):
        log.error("whether events were written is not known: %s", why)
        message = (
            f"It is not known whether this was taken: the server could not bring it to disk ({why.strerror})."
        )
        return NotWritten(
            f"{message} Send it again unchanged, with the same Idempotency-Key: it counts once."
        )
    if why.errno in (errno.ENOSPC, errno.EDQUOT):
        return NotWritten.disk("it is full")
    log.error("events could not be written: %s", why)
    return NotWritten(f"Nothing was taken: the server cannot write ({why.strerror}). Send it again.")


def order_problem(why: NotInOrder, ticket: Ticket) -> ApiError:
    """Return the refusal of a key or a sequence number, with the expected number."""
    if why.code == "other_body":
        sent = f"Idempotency-Key {ticket.key!r}" if ticket.key else f"Client-Sequence {ticket.sequence}"
        message = f"Nothing was taken: {sent} came before with another body or another place in its order."
        return ApiError(f"{message} A new request needs a new one.", code="reused", status=422)
    expected = {"Expected-Sequence": str(why.expected)}
    sent = f"{ticket.client!r} sent number {ticket.sequence}, and number {why.expected} is next"
    if why.code == "gap":
        message = f"Nothing was taken: {sent}. Send what is missing first, then this again."
        return Conflict(message, code="sequence_gap", headers=expected | {"Retry-After": "1"})
    message = f"Nothing was taken: {sent}. What came before has landed, and is too long ago to be compared."
    return Conflict(message, code="sequence_old", headers=expected)


def count_carefully(stream: Stream, tables: Sequence[pa.Table]) -> None:
    """Count events that are on disk; an error here must not make the client send them again."""
    try:
        count(stream, pa.concat_tables(tables))
    except DatabaseError as why:
        log.warning("could not count events of %s: %s", stream.name, why)


def count(stream: Stream, table: pa.Table) -> None:
    """Update the counters with one cheap UPDATE; write names of fields only when there are new ones."""
    latest = Value(pc.max(table["time"]).as_py())
    Stream.everything.filter(name=stream.name, generation=stream.generation).update(
        events=F("events") + len(table),
        last_event_at=Greatest(Coalesce(F("last_event_at"), latest), latest),
    )
    names = {
        name for name in collect_field_names(table) if "\0" not in name and len(name) <= MAX_FIELD_NAME_CHARS
    }
    if names <= set(stream.seen_fields) or len(stream.seen_fields) >= MAX_SEEN_FIELDS:
        return
    with transaction.atomic():
        fresh = Stream.objects.select_for_update().filter(pk=stream.pk).first()
        if fresh is None:
            return
        fresh.seen_fields = sorted({*fresh.seen_fields, *names})[:MAX_SEEN_FIELDS]
        fresh.save(update_fields=["seen_fields"])


def collect_field_names(table: pa.Table) -> set[str]:
    """Return the names and paths of the fields that any of the events has."""
    return list_fields(table["fields"]) - {UNTIL}


def _hash_text(text: str | bytes) -> str:
    raw = text.encode() if isinstance(text, str) else text
    return hashlib.blake2b(raw, digest_size=16).hexdigest()
