"""The audit as CSV, streamed while it is read, and safe to open in a spreadsheet."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

from asgiref.sync import sync_to_async
from django.db.models import QuerySet

from timeline_app.web.models.people import AuditEntry

ENTRIES_PER_PAGE = 1000
COLUMNS = (
    "id",
    "at",
    "actor",
    "source",
    "act",
    "kind",
    "thing",
    "name",
    "reason",
    "before",
    "after",
    "request",
)
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
"""Spreadsheets compute a cell that begins like this."""


async def iterate_csv(queryset: QuerySet[AuditEntry]) -> AsyncIterator[bytes]:
    """Yield the header, then all entries in pages."""
    yield format_csv([COLUMNS])
    last: int | None = None
    while True:
        page = await sync_to_async(_load_page)(queryset, last)
        if not page:
            return
        yield format_csv([format_entry(item) for item in page])
        last = page[-1].pk


def _load_page(queryset: QuerySet[AuditEntry], before: int | None) -> list[AuditEntry]:
    older = queryset if before is None else queryset.filter(pk__lt=before)
    return list(older.order_by("-id")[:ENTRIES_PER_PAGE])


def format_entry(entry: AuditEntry) -> list[str]:
    document = (
        entry.pk, entry.at.isoformat(), entry.actor_name, entry.source, entry.act, entry.kind, entry.thing,
        entry.name, entry.reason, format_document(entry.before), format_document(entry.after), entry.request,
    )  # fmt: skip
    return [escape_formula("" if item is None else str(item)) for item in document]


def format_document(value: Any) -> str:
    """Return a document as one cell."""
    return "" if value is None else json.dumps(value, ensure_ascii=False, sort_keys=True)


def escape_formula(cell: str) -> str:
    """Return a cell that no spreadsheet computes."""
    return f"'{cell}" if cell.startswith(FORMULA_STARTS) else cell


def format_csv(table: Sequence[Sequence[str]]) -> bytes:
    """Return rows as bytes of CSV."""
    text = io.StringIO()
    csv.writer(text).writerows(table)
    return text.getvalue().encode()
