"""Decides how much of each restriction a batch reads, in how many splits, for how many tasks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from timeline_app.connectors.source_contract import SplittableSource
from timeline_app.connectors.source_promises import BrokenSourcePromise
from timeline_app.connectors.splits.offsets import Part
from timeline_app.connectors.splits.readers import PlannedReader
from timeline_app.connectors.splits.tracker import Position


def compute_shares(sizes: Sequence[int | None], most: int) -> list[int]:
    """Return each one's share of `most`: small ones get everything, the others equal shares, at least 1.

    >>> compute_shares([10, 1_000, None], 100)
    [10, 45, 45]
    """
    shares, rows_left = [0] * len(sizes), most
    order = sorted(range(len(sizes)), key=lambda index: _get_size(sizes[index]))
    for rank, index in enumerate(order):
        fair = max(1, rows_left // (len(order) - rank))
        shares[index] = int(min(max(1, _get_size(sizes[index])), fair))
        rows_left -= shares[index]
    return shares


def _get_size(size: int | None) -> float:
    return float("inf") if size is None else size


def split_part(source: SplittableSource, part: Part, share: int, split_count: float) -> Iterator[Part]:
    """Yield the share of a part, in about as many splits as are wanted and worth it."""
    planned = issubclass(source.reader, PlannedReader)
    last = part.last
    size = source.size(part.key, part.start, part.end)
    if planned and size is not None and size > share:
        cut = _compute_edges(source, part, -(-size // share))
        if cut:
            part, last = replace(part, end=cut[0]), False
    count = min(round(split_count), share // source.least)
    edges = (
        _compute_edges(source, part, count)
        if count > 1 and part.end is not None and part.until is None
        else []
    )
    bounds = [part.start, *edges, part.end]
    most = None if planned else -(-share // (len(edges) + 1))
    for start, end in pairwise(bounds):
        yield replace(part, start=start, end=end, most=most, last=last and end == part.end)


def _compute_edges(source: SplittableSource, part: Part, count: int) -> list[Position]:
    """Return where the source splits a part. Raises `BrokenSourcePromise` for impossible edges."""
    edges = list(source.split(part.key, part.start, part.end, count))
    bounds = [part.start, *edges, part.end]
    if not all(left < right for left, right in pairwise(bounds)):
        words = f"{part.key!r} from {part.start!r} to {part.end!r} was split at {edges!r}"
        raise BrokenSourcePromise("splits", f"{words}; edges ascend and lie between start and end")
    return edges


def pack_into_bins(sizes: Sequence[int], bins: int) -> list[list[int]]:
    """Return the indexes of the sizes in at most `bins` bins of similar size, the largest first.

    >>> pack_into_bins([5, 1, 1, 4, 3], 2)
    [[0, 1, 2], [3, 4]]
    """
    filled: list[tuple[int, int, list[int]]] = [(0, number, []) for number in range(min(bins, len(sizes)))]
    for index in sorted(range(len(sizes)), key=lambda index: -sizes[index]):
        load, number, places = min(filled)
        filled[number] = load + sizes[index], number, [*places, index]
    return [sorted(places) for _, _, places in filled]
