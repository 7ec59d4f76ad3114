"""The audit on the admin pages: acts and what they changed, in sentences with links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib.auth.models import User
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from timeline_app.web.models.people import AuditEntry
from timeline_app.web.workspace.audit import Things, explain_entry, load_named_things
from timeline_app.web.workspace.audit_entries import Part, Sentence, describe_act


def build_entry_rows(entries: Sequence[AuditEntry], user: User) -> list[dict[str, Any]]:
    """Entries as a page shows them."""
    things = load_named_things(entries, user)
    return [
        {"entry": entry, "thing": link_to_thing(entry, things), **describe_entry(entry, things)}
        for entry in entries
    ]


def describe_entry(entry: AuditEntry, things: Things) -> dict[str, Any]:
    """What was done, and what is otherwise since then."""
    return {"words": describe_act(entry), "changes": format_sentences(explain_entry(entry, things))}


def link_to_thing(entry: AuditEntry, things: Things) -> SafeString:
    """What it was done to, as it was called then, with its page where there is one to look at."""
    result = things.get((entry.kind, entry.thing))
    return part(Part(entry.name, result and result.address))


def part(part: Part) -> SafeString:
    """Some words, with the page of what they name."""
    if part.address is None:
        return format_html("{}", part.text)
    return format_html('<a href="{}">{}</a>', part.address, part.text)


def format_sentences(sentences: Sequence[Sentence]) -> SafeString:
    """Sentences, a line each."""
    lines = [format_html_join("", "{}", ((part(item),) for item in sentence)) for sentence in sentences]
    return format_html_join(SafeString("<br>"), "{}", ((line,) for line in lines))
