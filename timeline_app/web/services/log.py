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
_BATCH = (
    "(SELECT CAST(%s AS bigint) AS node, CAST(%s AS bigint) AS version, CAST(%s AS bigint) AS known_at) AS b"
)
_ROWS = {
    "sqlite": '(SELECT %s AS digest, %s AS key, %s AS birth, %s AS start, %s AS "end", %s AS pieces) AS r',
    "postgresql": "unnest(%s::bytea[], %s::text[], %s::bigint[], %s::bigint[], %s::bigint[], %s::text[])"
    ' AS r(digest, key, birth, start, "end", pieces)',
}
_KEYS = """
INSERT INTO web_nodekey (node_id, digest, key, birth, version, known_at, unfolded, unfolded_since)
SELECT b.node, r.digest, r.key, r.birth, b.version, b.known_at, 1, b.known_at FROM {batch}, {rows} WHERE true
ON CONFLICT (node_id, digest) DO UPDATE SET
    birth = excluded.birth, version = excluded.version, known_at = excluded.known_at,
    unfolded = web_nodekey.unfolded + 1,
    unfolded_since = COALESCE(web_nodekey.unfolded_since, excluded.unfolded_since)"""
_LOG = """
INSERT INTO web_revision (node_key_id, version, known_at, birth, start, "end", pieces, folded)
SELECT k.id, b.version, b.known_at, r.birth, r.start, r."end", r.pieces, false
FROM {batch}, {rows}, web_nodekey k WHERE k.node_id = b.node AND k.digest = r.digest"""

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
    for begin in range(0, revisions.size, _AT_ONCE):
        some = tuple(column[begin : begin + _AT_ONCE] for column in columns)
        for statement in (_KEYS, _LOG):
            _execute(statement, (node.pk, version, known_at), some)


def _columns(revisions: Revisions) -> Columns:
    """Digest, key, birth, start, end and pieces of each revision."""
    points = points_of(revisions)
    pieces = [Pieces.dumps(points[begin:end]) for begin, end in pairwise(revisions.offsets.tolist())]
    names = revisions.names.tolist()
    numbers = (revisions.birth.tolist(), revisions.start.tolist(), revisions.end.tolist())
    return [NodeKey.digest_of(name) for name in names], names, *numbers, pieces


def _execute(statement: str, batch: tuple[int, ...], columns: Columns) -> None:
    """Write all rows: PostgreSQL takes columns, SQLite one row after the other."""
    text = statement.format(batch=_BATCH, rows=_ROWS[connection.vendor])
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(text, (*batch, *columns))
        else:
            cursor.executemany(text, list(zip(*map(repeat, batch), *columns, strict=False)))
