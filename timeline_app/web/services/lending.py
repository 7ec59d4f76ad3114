"""Remembering which streams a plan reads by the right of those who drew it; call it before the document is written."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User

from timeline_app.plan.reads import fields_read
from timeline_app.web.models import Plan
from timeline_app.web.selectors.streams import streams


def lend(plan: Plan, user: User) -> None:
    """Of a stream that the user may look at, all fields that the draft reads; of another, those it read before."""
    reads = fields_read(plan.document)
    mine = dict(streams(user).filter(name__in=reads).values_list("name", "pk"))
    plan.lent = {
        name: found
        for name, fields in sorted(reads.items())
        if (found := _of(mine.get(name), fields, plan.lent.get(name))) is not None
    }


def _of(number: int | None, fields: frozenset[str], before: dict[str, Any] | None) -> dict[str, Any] | None:
    if number is not None:
        return {"stream": number, "fields": sorted(fields)}
    return before and before | {"fields": sorted(fields & set(before["fields"]))}
