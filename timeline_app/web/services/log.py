"""Writing the revision log: only ever appended to, one version of a node after the other."""

from __future__ import annotations

import time
from itertools import pairwise, repeat
from typing import Any

from django.db import connection

from timeline_app.algebra.fold import points_of
from timeline_app.algebra.revisions import Revisions
from timeline_app.web.fields import Pieces
from timeline_app.web.models import Node, NodeKey

_AT_ONCE = 10_000
_KEYS = """
INSERT INTO web_nodekey (node_id, digest, key, birth, version, known_at, unfolded, unfolded_since)
{rows}
ON CONFLICT (node_id, digest) DO UPDATE SET
    birth = excluded.birth, version = excluded.version, known_at = excluded.known_at,
    unfolded = web_nodekey.unfolded + 1,
    unfolded_since = COALESCE(web_nodekey.unfolded_since, excluded.unfolded_since)"""
_LOG = """
INSERT INTO web_revision (node_key_id, version, known_at, birth, start, "end", pieces, folded)
{rows}"""
_COLUMNS = """
FROM (SELECT CAST(%s AS bigint) AS node, CAST(%s AS bigint) AS version, CAST(%s AS bigint) AS known_at) AS b,
unnest(%s::bytea[], %s::text[], %s::bigint[], %s::bigint[], %s::bigint[], %s::text[])
    AS r(digest, key, birth, start, "end", pieces)"""
_KEY_ROW = _KEYS.format(rows="VALUES (%s, %s, %s, %s, %s, %s, 1, %s)")
_LOG_ROW = _LOG.format(
    rows="SELECT id, %s, %s, %s, %s, %s, %s, false FROM web_nodekey WHERE node_id = %s AND digest = %s"
)
_KEY_COLUMNS = _KEYS.format(
    rows=f"SELECT b.node, r.digest, r.key, r.birth, b.version, b.known_at, 1, b.known_at {_COLUMNS}"
)
_LOG_COLUMNS = _LOG.format(
    rows=f"""SELECT k.id, b.version, b.known_at, r.birth, r.start, r."end", r.pieces, false {_COLUMNS},
web_nodekey k WHERE k.node_id = b.node AND k.digest = r.digest"""
)

Columns = tuple[list[Any], ...]


def known_now(node: Node) -> int:
    """The instant, in microseconds, at which the node's next version becomes known.

    It is later than that of every version before, also where the clock stands still or went back, so that each
    version can be asked for. Lock the node's row before.
    """
    now = time.time_ns() // 1000
    return now if node.as_of is None else max(now, node.as_of + 1)


def append(node: Node, version: int, known_at: int, revisions: Revisions) -> None:
    """Append a node's next version, in the caller's transaction. Both numbers must be greater than all before."""
    columns = _columns(revisions)
    write = _write_columns if connection.vendor == "postgresql" else _write_rows
    for begin in range(0, revisions.size, _AT_ONCE):
        write((node.pk, version, known_at), tuple(column[begin : begin + _AT_ONCE] for column in columns))


def settle() -> None:
    """Carry what SQLite has logged over into its file, which a commit does otherwise, for which somebody waits."""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA wal_checkpoint(PASSIVE)")


def _columns(revisions: Revisions) -> Columns:
    """Digest, key, birth, start, end and pieces of each revision."""
    points = points_of(revisions)
    pieces = [Pieces.dumps(points[begin:end]) for begin, end in pairwise(revisions.offsets.tolist())]
    names = revisions.names.tolist()
    numbers = (revisions.birth.tolist(), revisions.start.tolist(), revisions.end.tolist())
    return [NodeKey.digest_of(name) for name in names], names, *numbers, pieces


def _write_columns(batch: tuple[int, int, int], columns: Columns) -> None:
    """As PostgreSQL takes them: all at once."""
    with connection.cursor() as cursor:
        for statement in (_KEY_COLUMNS, _LOG_COLUMNS):
            cursor.execute(statement, (*batch, *columns))


def _write_rows(batch: tuple[int, int, int], columns: Columns) -> None:
    """As SQLite takes them: one after the other, in statements that are as simple as can be."""
    node, version, known_at = map(repeat, batch)
    digests, names, births, starts, ends, pieces = columns
    keys = zip(node, digests, names, births, version, known_at, known_at, strict=False)
    revisions = zip(version, known_at, births, starts, ends, pieces, node, digests, strict=False)
    with connection.cursor() as cursor:
        cursor.executemany(_KEY_ROW, list(keys))
        cursor.executemany(_LOG_ROW, list(revisions))
