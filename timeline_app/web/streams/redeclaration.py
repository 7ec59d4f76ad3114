"""Preview of the consequences of a changed declaration."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User

from timeline_app.events.declaration import NEVER
from timeline_app.plan import StreamDeclaration
from timeline_app.web.core.permissions import select_readable_plans
from timeline_app.web.models import Stream
from timeline_app.web.streams.selectors import format_plan_names, list_running_plans, load_declaration

Document = dict[str, Any]
FIXED = ("key", "time", "until", "unit", "zone", "id")
"""Parts that cannot change while plans run, or once there are events."""


def describe_redeclaration(stream: Stream, declared: StreamDeclaration, events: int, user: User) -> Document:
    """Return what would change, the effect on what runs, and what is impossible."""
    before, after = load_declaration(stream).to_document(), declared.to_document()
    plans = list_running_plans(stream)
    readable_plans = select_readable_plans([plan.pk for plan in plans], user)
    names = format_plan_names(plans, user)
    changes = [
        *_list_role_changes(before, after, events, names),
        *_list_field_changes(before, after, events, names),
    ]
    changes += _list_duration_changes(before, after, names)
    return {
        "changes": changes,
        "possible": all(change["possible"] for change in changes),
        "plans": [
            {"id": plan.pk, "name": plan.name} | plan.owner_told()
            for plan in plans
            if plan.pk in readable_plans
        ],
    }


def _describe_change(subject: str, before: Any, after: Any, words: str, *, possible: bool = True) -> Document:
    return {"what": subject, "before": before, "after": after, "words": words, "possible": possible}


def _list_role_changes(before: Document, after: Document, events: int, names: list[str]) -> list[Document]:
    moved = [name for name in FIXED if before.get(name) != after.get(name)]
    if names:
        message = f"It stays as long as {_format_names(names)} runs: stop it first."
    elif events:
        message = (
            f"It stays: {events:,} events have been taken by it. Declare a new stream under another name."
        )
    else:
        message = "Nothing was taken yet, and nothing runs: it is simply so from now on."
    return [
        _describe_change(name, before[name], after[name], message, possible=not (names or events))
        for name in moved
    ]


def _list_field_changes(before: Document, after: Document, events: int, names: list[str]) -> list[Document]:
    old, new = before["fields"], after["fields"]
    field_changes = []
    for name in sorted({*old, *new}):
        was, will = old.get(name, "text"), new.get(name, "text")
        if was == will:
            if (name in old) != (name in new):
                message = "Only declared, or not: what is not declared is text. No answer changes."
                field_changes.append(
                    _describe_change(f"fields.{name}", old.get(name), new.get(name), message)
                )
            continue
        message = "New events must fit it, or are refused."
        if events:
            message += (
                f" Of the {events:,} that were taken, a value that does not fit {will} counts as missing."
            )
        if names:
            message += f" Nodes that run keep {was}; plans that read it compute anew when they are run again."
        field_changes.append(_describe_change(f"fields.{name}", was, will, message))
    return field_changes


def _list_duration_changes(before: Document, after: Document, names: list[str]) -> list[Document]:
    def goes_on(was: Any) -> str:
        return f" {_format_names(names)} keeps {was} until stopped and run again." if names else ""

    meaning = {
        "allowed_lateness": "What is older than {will} behind the newest event is final. No answer changes, "
        "only when it is said to be final.",
        "retention": "Events up to {will} behind the newest count. A shorter one lets old events go for good; a longer "
        "one brings back none that are gone.",
    }  # fmt: skip
    changes = [
        _describe_change(
            name, before[name], after[name], words.format(will=after[name]) + goes_on(before[name])
        )
        for name, words in meaning.items()
        if before[name] != after[name]
    ]
    explainers = {
        "idle_after": _explain_idle_after,
        "allowed_ahead": _explain_allowed_ahead,
        "encoding": _explain_encoding,
    }
    moved = [(name, before[name], after[name]) for name in explainers if before[name] != after[name]]
    return changes + [_describe_change(name, was, will, explainers[name](will)) for name, was, will in moved]


def _explain_allowed_ahead(will: str) -> str:
    if will == NEVER:
        return (
            "An event of any future time counts from now on, and moves the watermark once its time has come."
        )
    return f"From now on, an event whose time lies more than {will} after its arrival is rejected. No answer changes."


def _explain_encoding(will: str | None) -> str:
    read = "is detected: what cannot be told for sure is refused" if will is None else f"is read as {will}"
    return f"From now on, text that is not UTF-8 {read}. What was taken stays as it was read."


def _explain_idle_after(will: str | None) -> str:
    if will is None:
        return (
            "Without events nothing becomes final any more, from now on. What was said to be final stays so."
        )
    return (
        f"Once nothing has come for {will}, what nodes say up to the allowed lateness before that moment is final, for "
        "nodes that run as well. No answer changes; an event that comes later counts, and is counted as late."
    )


def _format_names(names: list[str]) -> str:
    first_names = ", ".join(names[:3])
    return f"{first_names} and {len(names) - 3} more" if len(names) > 3 else first_names
