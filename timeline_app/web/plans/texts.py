"""Plans as text, and texts as plans; large ones are read and written in a child."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import User

from timeline_app.web.core.sandboxed_work import Asker, compute_plan, is_large
from timeline_app.web.jobs.packing import write_declarations
from timeline_app.web.jobs.plans import describe_text, format_plan, parse_plan_text
from timeline_app.web.models import Plan
from timeline_app.web.streams.granted_streams import load_visible_streams


def format_text(document: Mapping[str, Any], asker: Asker) -> str:
    """The document in the text language."""
    if not is_large(document):
        return format_plan(document)
    return str(compute_plan("write_text", {"document": document}, asker))


def parse_text(text: str, asker: Asker) -> dict[str, Any]:
    """What a text means; refused with line and column where it cannot be read."""
    if not is_large(text):
        return parse_plan_text(text)
    return dict(compute_plan("read_text", {"text": text}, asker))


def read_and_checked(text: str, user: User, asker: Asker, plan: Plan | None = None) -> dict[str, Any]:
    """The document of a text, null where it cannot be read, and all problems at their lines and columns.

    Where the text is a plan's, what that one reads is known.
    """
    known = load_visible_streams(plan, user)
    if not is_large(text):
        return describe_text(text, known)
    return dict(compute_plan("check_text", {"text": text, "known": write_declarations(known)}, asker))
