"""Pushing samples of any format, row by row as declared, through normal ingestion."""

from __future__ import annotations

from dataclasses import dataclass

from timeline_app.events.validate import LineProblem, Misread
from timeline_app.landing.requests import Request
from timeline_app.web.core.sandboxed_work import Asker, compute
from timeline_app.web.jobs.packing import write_declarations
from timeline_app.web.models import Stream
from timeline_app.web.streams.arrival_measures import MAX_PENDING_LINES, note_refused
from timeline_app.web.streams.ingest import NAMELESS, Ticket, take_events
from timeline_app.web.streams.selectors import load_declaration

HINT = "Send fewer rows in one request."


@dataclass(frozen=True, slots=True)
class Pushed:
    """The request that landed, and how many rows were left out."""

    request: Request
    left_out: int


def push_sample(
    *,
    stream: Stream,
    body: bytes,
    leave_out: bool,
    asker: Asker,
    ticket: Ticket = NAMELESS,
    mapping: object = None,
) -> Pushed:
    """Take the events of a sample: all, or with `leave_out` all valid ones; the others go to quarantine."""
    declarations = write_declarations({stream.name: load_declaration(stream)})
    header = {"known": declarations, "leave_out": leave_out, "keep": MAX_PENDING_LINES, "mapping": mapping}
    read = compute("push", header, [body], asker=asker, hint=HINT)
    rejected = [Misread(LineProblem(*item), text, alone=True) for *item, text in read.header["newest"]]
    count: int = read.header["count"]
    request = take_events(stream=stream, body=read.blobs[0], ticket=ticket)
    if rejected and not request.repeated:
        note_refused(stream, rejected, ticket.user, count=count)
    return Pushed(request, count)
