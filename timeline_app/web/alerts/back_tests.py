"""Back-tests of alerts on the events of a plan's streams in the order of arrival, or on a sample."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, astuple, dataclass
from typing import Any

import pyarrow as pa
from django.contrib.auth.models import User

from timeline_app.evaluate.backtest.back_test import AlertRule
from timeline_app.evaluate.backtest.landed import load_landed_rows
from timeline_app.events.declaration import StreamDeclaration
from timeline_app.web.core.sandboxed_work import Asker, compute, read_slot
from timeline_app.web.jobs.packing import pack_parts, write_declarations
from timeline_app.web.jobs.rendered import Rendered
from timeline_app.web.models import Plan
from timeline_app.web.samples.selectors import get_sample, load_parts
from timeline_app.web.streams.granted_streams import load_visible_streams
from timeline_app.web.streams.selectors import get_stream, landing_by_name

MAX_EVENTS = 2_000_000
"""The newest events of all streams that are replayed."""
HINT = "Give fewer keys, or test it on a sample."


@dataclass(frozen=True, slots=True)
class BackTestQuestion:
    """A rule on a node; optionally between two event times (microseconds), and on a sample."""

    rule: AlertRule
    start: int | None = None
    end: int | None = None
    sample: int | None = None
    last: int | None = None
    """Without a start: this many seconds before the newest event."""
    lane: str | None = None
    """A key whose values are returned as well."""


def run_test(
    document_and_plan: tuple[object, Plan | None], question: BackTestQuestion, *, user: User, asker: Asker
) -> Rendered:
    """Return the result of a back-test; nothing is kept."""
    document, plan = document_and_plan
    known = load_visible_streams(plan, user)
    header: dict[str, Any] = {
        "document": document,
        "known": write_declarations(known),
        "rule": asdict(question.rule),
        "range": (question.start, question.end),
        "last": question.last,
        "lane": question.lane,
        "parts": None,
    }
    if question.sample is not None:
        header["parts"], blobs = pack_parts(load_parts(get_sample(question.sample, user)))
    else:
        needs = compute("back_test_needs", header, (), asker=asker, hint=HINT).header
        with read_slot(asker):
            header["landed"], blobs = _pack_landed(needs, known, user)
            (answer,) = compute("back_test", header, blobs, asker=asker, hint=HINT).blobs
        return Rendered(answer)
    (answer,) = compute("back_test", header, blobs, asker=asker, hint=HINT).blobs
    return Rendered(answer)


def _pack_landed(
    needs: Mapping[str, list[str]], known: Mapping[str, StreamDeclaration], user: User
) -> tuple[list[dict[str, Any]], list[bytes]]:
    """Return the events of streams, packed for a child; raises `Missing` for unreadable streams."""
    packed, blobs = [], []
    for name, fields in needs.items():
        stream = get_stream(name, user).name
        most = MAX_EVENTS // len(needs)
        rows, beats, _ = load_landed_rows(landing_by_name(stream), known[name], tuple(fields), most)
        packed.append({"stream": name, "heartbeats": [astuple(beat) for beat in beats]})
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, rows.schema) as writer:
            writer.write_table(rows)
        blobs.append(sink.getvalue().to_pybytes())
    return packed, blobs
