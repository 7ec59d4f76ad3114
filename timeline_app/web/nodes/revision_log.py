"""Writing the revision log, which is append-only: one version of a node after the other."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import pairwise, repeat
from typing import Any

from django.db import connection

from timeline_app.algebra.fold import Point, to_points
from timeline_app.algebra.revisions import Revisions
from timeline_app.web.models import Node, NodeKey
from timeline_app.web.models.fields import Pieces

_ROWS_PER_STATEMENT = 10_000
_KEYS = """
INSERT INTO web_nodekey (node_id, digest, key, birth, version, known_at, unfolded, unfolded_since)
{rows}
ON CONFLICT (node_id, digest) DO UPDATE SET
    birth = excluded.birth, version = excluded.version, known_at = excluded.known_at,
    unfolded = web_nodekey.unfolded + excluded.unfolded,
    unfolded_since = COALESCE(web_nodekey.unfolded_since, excluded.unfolded_since)"""
_LOG = """
INSERT INTO web_revision (node_key_id, version, known_at, birth, start, "end", pieces, folded)
{rows}"""
_BATCH = """
FROM (SELECT CAST(%s AS bigint) AS node, CAST(%s AS bigint) AS version, CAST(%s AS bigint) AS known_at) AS b,
"""
_KEY_ROW = _KEYS.format(rows="VALUES (%s, %s, %s, %s, %s, %s, %s, %s)")
_LOG_ROW = _LOG.format(
    rows="SELECT id, %s, %s, %s, %s, %s, %s, false FROM web_nodekey WHERE node_id = %s AND digest = %s"
)
_KEY_COLUMNS = _KEYS.format(
    rows=f"""SELECT b.node, r.digest, r.key, r.birth, b.version, b.known_at, r.rows, b.known_at {_BATCH}
unnest(%s::bytea[], %s::text[], %s::bigint[], %s::int[]) AS r(digest, key, birth, rows)"""
)
_LOG_COLUMNS = _LOG.format(
    rows=f"""SELECT k.id, b.version, b.known_at, r.birth, r.start, r."end", r.pieces, false {_BATCH}
unnest(%s::bytea[], %s::bigint[], %s::bigint[], %s::bigint[], %s::text[]) AS r(digest, birth, start, "end", pieces),
web_nodekey k WHERE k.node_id = b.node AND k.digest = r.digest"""
)
MAX_PIECES_PER_ROW = 500
"""A revision with more pieces is stored as several consecutive rows, so that a page of it can be read."""

Columns = tuple[list[Any], ...]


def compute_next_known_at(node: Node) -> int:
    """Return when the node's next version becomes known, in microseconds.

    It is later than all versions before, even if the clock stood still or went back, so that each version can be
    queried. Lock the node's row before.
    """
    now = time.time_ns() // 1000
    return now if node.as_of is None else max(now, node.as_of + 1)


def append(node: Node, version: int, known_at: int, revisions: Revisions) -> None:
    """Append a node's next version, in the caller's transaction. Both numbers must exceed all before."""
    keys, rows = _build_columns(revisions)
    write_keys, write_rows = (
        (_write_key_columns, _write_row_columns)
        if connection.vendor == "postgresql"
        else (_write_each_key, _write_each_row)
    )
    for columns in _split_columns(keys):
        write_keys((node.pk, version, known_at), columns)
    for columns in _split_columns(rows):
        write_rows((node.pk, version, known_at), columns)


def _split_columns(columns: Columns) -> Iterator[Columns]:
    for begin in range(0, len(columns[0]), _ROWS_PER_STATEMENT):
        yield tuple(column[begin : begin + _ROWS_PER_STATEMENT] for column in columns)


def checkpoint_sqlite() -> None:
    """Copy SQLite's log into its file now; otherwise a commit does so while somebody waits."""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA wal_checkpoint(PASSIVE)")


def _build_columns(revisions: Revisions) -> tuple[Columns, Columns]:
    """Return digest, key, birth and row count of keys; digest, birth, start, end and pieces of rows."""
    points = to_points(revisions)
    digests = [NodeKey.digest_of(name) for name in revisions.names.tolist()]
    births = revisions.birth.tolist()
    counts: list[int] = []
    rows: list[tuple[Any, ...]] = []
    bounds = zip(
        pairwise(revisions.offsets.tolist()), revisions.start.tolist(), revisions.end.tolist(), strict=True
    )
    for digest, birth, ((begin, stop), start, end) in zip(digests, births, bounds, strict=True):
        split = split_pieces(points[begin:stop], start, end)
        counts.append(len(split))
        rows += [(digest, birth, first, last, Pieces.dumps(pieces)) for first, last, pieces in split]
    columns = tuple(map(list, zip(*rows, strict=True))) if rows else ([],)
    return (digests, revisions.names.tolist(), births, counts), columns


def split_pieces(points: list[Point], start: int, end: int) -> list[tuple[int, int, list[Point]]]:
    """Split points from `start` to `end` into (start, end, points) of at most `MAX_PIECES_PER_ROW` points."""
    firsts = range(0, max(len(points), 1), MAX_PIECES_PER_ROW)
    bounds = [start, *(int(points[first][0]) for first in firsts[1:]), end]
    return [
        (bounds[index], bounds[index + 1], points[first : first + MAX_PIECES_PER_ROW])
        for index, first in enumerate(firsts)
    ]


def _write_key_columns(batch: tuple[int, int, int], columns: Columns) -> None:
    """Write all keys at once, for PostgreSQL."""
    with connection.cursor() as cursor:
        cursor.execute(_KEY_COLUMNS, (*batch, *columns))


def _write_row_columns(batch: tuple[int, int, int], columns: Columns) -> None:
    with connection.cursor() as cursor:
        cursor.execute(_LOG_COLUMNS, (*batch, *columns))


def _write_each_key(batch: tuple[int, int, int], columns: Columns) -> None:
    """Write one key after the other in simple statements, for SQLite."""
    node, version, known_at = map(repeat, batch)
    digests, names, births, counts = columns
    keys = zip(node, digests, names, births, version, known_at, counts, known_at, strict=False)
    with connection.cursor() as cursor:
        cursor.executemany(_KEY_ROW, list(keys))


def _write_each_row(batch: tuple[int, int, int], columns: Columns) -> None:
    node, version, known_at = map(repeat, batch)
    digests, births, starts, ends, pieces = columns
    rows = zip(version, known_at, births, starts, ends, pieces, node, digests, strict=False)
    with connection.cursor() as cursor:
        cursor.executemany(_LOG_ROW, list(rows))
