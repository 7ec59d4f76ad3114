"""How far nodes have read their inputs. Later time is unknown where more has arrived than a node has read.

Time that passes without events is known as well, so a node that has read everything never lags. The page applies the
same rule (`frontend/src/core/socket/freshness.ts`).
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, TypedDict

from timeline_app.algebra.kinds import SECOND
from timeline_app.operators.parameters import parse_duration
from timeline_app.web.models import Node, Query, Stream
from timeline_app.web.nodes.selectors import describe_observed_state, find_stop_time, is_left

LAG_TOLERANCE_US = 5 * SECOND
"""A running node within this distance of its streams does not lag."""
MAX_USUAL_LAGS = 2
"""A node is late beyond this multiple of its usual lag: `LAG_TOLERANCE_US`, or the length of a batch."""
NO_PROGRESS = "running, no progress for"
"""The words of a stalled query that has something to do begin like this."""

FINAL, PROVISIONAL, PROJECTED = STANDINGS = ("final", "provisional", "projected")


def read_known_until(node: Node, known_at: int | None = None) -> dict[str, Any]:
    """Return until when a node is known, and why: now (or `known_at`), when it stopped, or what it has read.

    Times are microseconds; `known_until` is None for a node that has read nothing of what arrived.
    """
    wall = time.time_ns() // 1000
    stopped, late = find_stop_time(node), find_nodes_behind([node], wall).get(node.digest)
    # An event's time may be later than the moment at which the node stopped.
    ends = [wall] if stopped is None else [wall, max(stopped, node.final_until or 0)]
    until: int | None = min(ends) if known_at is None else min(*ends, known_at)
    if late is not None:
        until = min(until or 0, late["until"]) if late["until"] is not None else None
    return {"known_until": until, "stopped_at": stopped, "behind": late}


def classify_finality(at: int, final_until: int | None, known_until: int | None) -> str:
    """Return the finality of a value at an instant.

    `final`: no event changes it; `provisional`: a late event may; `projected`: nothing is known of that time yet, and
    this holds if nothing more arrives.
    """
    if known_until is None or at > known_until:
        return PROJECTED
    return FINAL if final_until is not None and at < final_until else PROVISIONAL


class Behind(TypedDict):
    """A node that lags."""

    until: int | None
    """The event time up to which it has read; None: nothing."""
    words: str
    late: bool
    """Whether it lags more than twice its usual lag."""


class NodeProgress(NamedTuple):
    """The progress of nodes, by digest."""

    behind: dict[str, Behind]
    """Lagging nodes: up to which event time they have read (None: nothing), and why."""
    newest: dict[str, int]
    """How far the sources have come (see `_newest`), in microseconds of event time; only where known."""


def measure_progress(selected_nodes: Iterable[Node], now: int | None = None) -> NodeProgress:
    """Return the progress of nodes; two queries, however many nodes there are."""
    wall = now or time.time_ns() // 1000
    nodes = list(selected_nodes)
    named = {source.rpartition("/")[2] for node in nodes for source in _list_sources(node)}
    streams = {
        stream.name: stream for stream in Stream.objects.filter(name__in=named, last_event_at__isnull=False)
    }
    newest = {node.digest: _compute_newest(node, streams) for node in nodes}
    going = [node for node in nodes if not _is_stopped(node)]
    return NodeProgress(
        _find_behind(going, streams, wall), {name: at for name, at in newest.items() if at is not None}
    )


def find_nodes_behind(nodes: Iterable[Node], now: int | None = None) -> dict[str, Behind]:
    """Return the lagging nodes by digest; two queries, however many nodes there are."""
    return measure_progress(nodes, now).behind


def _find_behind(nodes: Iterable[Node], streams: Mapping[str, Stream], wall: int) -> dict[str, Behind]:
    sources = {node: _list_sources(node) for node in nodes}
    below = {
        digest
        for sources_of_node in sources.values()
        for source in sources_of_node
        for digest in source.split("/")[:-1]
    }
    queries = {
        node.digest: node.query
        for node in Node.objects.filter(digest__in=below).select_related("query").defer("program", "horizons")
    }
    delays = {
        node.digest: _describe_delay(node, sources_of_node, streams, queries, wall)
        for node, sources_of_node in sources.items()
    }
    return {digest: value for digest, value in delays.items() if value is not None}


def _compute_newest(node: Node, streams: Mapping[str, Stream]) -> int | None:
    """Return how far a node's sources have come by watermark and allowed lateness, but no further than any event.

    Without a watermark that is the newest event it has read; a watermark that holds back holds this back, too.
    """
    reached_by_source = [
        min(reached, streams[name].last_event_at or 0)
        for source in _list_sources(node)
        if (name := source.rpartition("/")[2]) in streams
        and (reached := _compute_reached(node, source, streams[name])) is not None
    ]
    return max(reached_by_source, default=None)


def _is_stopped(node: Node) -> bool:
    """Return whether the node is stopped on purpose, or nothing was recorded of its progress."""
    query, stopped = node.query, Query.Observed.STOPPED
    unmarked = node.version >= 0 and not node.horizons
    return unmarked or is_left(node) or (query.observed == stopped and query.desired == Query.Desired.STOPPED)


def _list_sources(node: Node) -> tuple[str, ...]:
    """Return the names of its marks: streams, and those of its inputs behind their digests."""
    streams, feeds = node.program.get("streams", ()), node.program.get("feeds", ())
    return (*streams, *(f"{feed['digest']}/{source}" for feed in feeds for source in feed["sources"]))


def _describe_delay(
    node: Node,
    sources: Iterable[str],
    streams: Mapping[str, Stream],
    queries: Mapping[str, Query],
    wall: int,
) -> Behind | None:
    """Return how far one node lags, or None."""
    waiting: list[tuple[int | None, str, bool]] = []
    for source in sources:
        *above, name = source.split("/")
        if name in streams:
            newest, reached = (
                min(streams[name].last_event_at or 0, wall),
                _compute_reached(node, source, streams[name]),
            )
            chain = [node.query, *(queries[digest] for digest in above if digest in queries)]
            if reached is None or reached < newest:
                waiting.append(
                    (reached, _explain_delay(chain, reached, newest), _is_late(chain, reached, newest))
                )
            else:
                waiting.append((node.horizons[source], _explain_held_events(chain), True))
    delayed = [pair for pair in waiting if pair[1]]
    if not delayed:
        return None
    until = None if any(pair[0] is None for pair in delayed) else min(pair[0] or 0 for pair in delayed)
    return {"until": until, "words": delayed[0][1], "late": any(pair[2] for pair in delayed)}


def _is_late(chain: Iterable[Query], reached: int | None, newest: int) -> bool:
    """Return whether a node lags more than its batches explain."""
    queries = list(chain)
    if reached is None or any(
        describe_observed_state(query)[0] != Query.Observed.RUNNING for query in queries
    ):
        return True
    usual = max(LAG_TOLERANCE_US, *(query.batch_ms * 1000 for query in queries))
    return newest - reached > MAX_USUAL_LAGS * usual


def _explain_held_events(chain: Iterable[Query]) -> str:
    """Return why late events wait, which may change all that is not final; "" if none do."""
    stands = [query.words for query in chain if query.lag and query.words.startswith(NO_PROGRESS)]
    return stands[0] if stands else ""


def _compute_reached(node: Node, source: str, stream: Stream) -> int | None:
    """Return how far a node has come in a source: its final time plus the allowed lateness."""
    horizon = node.horizons.get(source)
    return None if horizon is None else horizon + parse_duration(str(stream.document["allowed_lateness"]))


def _explain_delay(chain: Iterable[Query], reached: int | None, newest: int) -> str:
    """Return why a node lags; "" if it is idle or about to catch up."""
    queries = list(chain)
    for query in queries:
        observed, words = describe_observed_state(query)
        if observed != Query.Observed.RUNNING:
            return words
    if all(not query.lag and not query.events_per_second for query in queries):
        return ""
    if reached is not None and newest - reached <= LAG_TOLERANCE_US:
        return ""
    query_words = queries[0].words
    return query_words if query_words != "running" and not query_words.startswith("idle") else "catching up"
