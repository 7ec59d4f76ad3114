"""Recording which streams a plan reads by the rights of its authors; call this before the document is written."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User

from timeline_app.plan.reads import collect_read_fields
from timeline_app.web.models import Plan
from timeline_app.web.streams.selectors import select_streams


def grant_streams(plan: Plan, user: User, before: object = None) -> None:
    """Grant what the draft newly reads of the user's streams, and keep earlier grants that are still read.

    Authors grant only what they added. What others added is opened by whoever runs the plan.
    """
    reads, drawn = collect_read_fields(plan.document), collect_read_fields(plan.document, before)
    own_streams = dict(select_streams(user).filter(name__in=drawn).values_list("name", "pk"))
    plan.lent = {
        name: grant
        for name, fields in sorted(reads.items())
        if (grant := _build_grant(own_streams.get(name), fields, drawn.get(name), plan.lent.get(name)))
        is not None
    }


def _build_grant(
    number: int | None, fields: frozenset[str], drawn: frozenset[str] | None, before: dict[str, Any] | None
) -> dict[str, Any] | None:
    kept_fields = fields & set(before["fields"]) if before else frozenset[str]()
    if number is not None and drawn is not None:
        is_same_stream = before is not None and before["stream"] == number
        return {"stream": number, "fields": sorted(drawn | kept_fields if is_same_stream else drawn)}
    return before and before | {"fields": sorted(kept_fields)}
