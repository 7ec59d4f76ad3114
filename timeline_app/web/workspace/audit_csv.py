"""The audit as CSV, sent while it is read, and harmless where it is opened as a spreadsheet."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

from asgiref.sync import sync_to_async
from django.db.models import QuerySet

from timeline_app.web.models.people import AuditEntry

AT_ONCE = 1000
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
FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""Spreadsheets take a cell that begins so for something to be computed."""


async def iterate_csv(queryset: QuerySet[AuditEntry]) -> AsyncIterator[bytes]:
    """The head, then all entries, a thousand at a time."""
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
    return list(older.order_by("-id")[:AT_ONCE])


def format_entry(entry: AuditEntry) -> list[str]:
    """One entry."""
    document = (
        entry.pk, entry.at.isoformat(), entry.actor_name, entry.source, entry.act, entry.kind, entry.thing,
        entry.name, entry.reason, format_document(entry.before), format_document(entry.after), entry.request,
    )  # fmt: skip
    return [escape_formula("" if item is None else str(item)) for item in document]


def format_document(value: Any) -> str:
    """How something was, in one cell."""
    return "" if value is None else json.dumps(value, ensure_ascii=False, sort_keys=True)


def escape_formula(cell: str) -> str:
    """A cell that no spreadsheet computes."""
    return f"'{cell}" if cell.startswith(FORMULA) else cell


def format_csv(table: Sequence[Sequence[str]]) -> bytes:
    """Some rows as they are sent."""
    text = io.StringIO()
    csv.writer(text).writerows(table)
    return text.getvalue().encode()
