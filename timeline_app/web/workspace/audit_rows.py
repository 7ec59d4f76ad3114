"""The audit on the admin pages: acts and what they changed, in sentences with links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib.auth.models import User
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from timeline_app.web.models.people import AuditEntry
from timeline_app.web.workspace.audit import Things, entry_sentences, named_things
from timeline_app.web.workspace.audit_entries import Part, Sentence, describe_act


def entry_rows(entries: Sequence[AuditEntry], user: User) -> list[dict[str, Any]]:
    """Entries as a page shows them."""
    things = named_things(entries, user)
    return [
        {"entry": one, "thing": link_to_thing(one, things), **describe_entry(one, things)} for one in entries
    ]


def describe_entry(entry: AuditEntry, things: Things) -> dict[str, Any]:
    """What was done, and what is otherwise since then."""
    return {"words": describe_act(entry), "changes": format_sentences(entry_sentences(entry, things))}


def link_to_thing(entry: AuditEntry, things: Things) -> SafeString:
    """What it was done to, as it was called then, with its page where there is one to look at."""
    found = things.get((entry.kind, entry.thing))
    return part(Part(entry.name, found and found.address))


def part(one: Part) -> SafeString:
    """Some words, with the page of what they name."""
    if one.address is None:
        return format_html("{}", one.text)
    return format_html('<a href="{}">{}</a>', one.address, one.text)


def format_sentences(told: Sequence[Sentence]) -> SafeString:
    """Sentences, a line each."""
    lines = [format_html_join("", "{}", ((part(one),) for one in sentence)) for sentence in told]
    return format_html_join(SafeString("<br>"), "{}", ((line,) for line in lines))
