"""Plans as text, and texts as plans; large ones are converted in a child."""

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
    """Return the document in the text language."""
    if not is_large(document):
        return format_plan(document)
    return str(compute_plan("write_text", {"document": document}, asker))


def parse_text(text: str, asker: Asker) -> dict[str, Any]:
    """Return the document of a text; refuse errors with line and column."""
    if not is_large(text):
        return parse_plan_text(text)
    return dict(compute_plan("read_text", {"text": text}, asker))


def parse_and_check(text: str, user: User, asker: Asker, plan: Plan | None = None) -> dict[str, Any]:
    """Return the document of a text (null if it cannot be parsed), and problems with line and column.

    If the text belongs to a plan, it may read what that plan reads.
    """
    declarations = load_visible_streams(plan, user)
    if not is_large(text):
        return describe_text(text, declarations)
    return dict(compute_plan("check_text", {"text": text, "known": write_declarations(declarations)}, asker))
