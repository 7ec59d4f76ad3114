"""Reading streams."""

from __future__ import annotations

import difflib
from typing import Any

from timeline_app.plan import StreamDeclaration
from timeline_app.web.errors import Missing
from timeline_app.web.models import Plan, Stream


def declaration(stream: Stream) -> StreamDeclaration:
    """How the stream is declared, and which fields its events have had."""
    return StreamDeclaration.from_document(stream.name, stream.document).with_seen(
        frozenset(stream.seen_fields)
    )


def declarations() -> dict[str, StreamDeclaration]:
    """Every declared stream, by name."""
    return {stream.name: declaration(stream) for stream in Stream.objects.all()}


def stream_named(name: str) -> Stream:
    """The stream of this name, or a refusal that says which there are."""
    stream = Stream.objects.select_related("owner").filter(name=name).first()
    if stream is None:
        raise Missing(f"There is no stream {name!r}. {nearest(name)}", code="unknown_stream")
    return stream


def nearest(name: str) -> str:
    """Which streams could have been meant."""
    names = list(Stream.objects.values_list("name", flat=True))
    near = difflib.get_close_matches(name, names, n=3, cutoff=0.5) or names[:3]
    return f"Did you mean {' or '.join(near)}?" if near else "Declare it first: POST /api/streams/."


def streams_of(document: Any) -> set[str]:
    """The names of the streams that a plan document reads."""
    nodes = document.get("nodes") if isinstance(document, dict) else None
    found = (
        [node.get("stream") for node in nodes.values() if isinstance(node, dict)]
        if isinstance(nodes, dict)
        else []
    )
    return {name for name in found if isinstance(name, str)}


def running_plans_of(stream: Stream) -> list[Plan]:
    """The running plans that read this stream."""
    return [
        plan for plan in Plan.objects.filter(running=True) if stream.name in streams_of(plan.running_document)
    ]
