"""The audit on the admin pages: acts and changes, in sentences with links."""

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
    """Return entries as a page shows them."""
    things = load_named_things(entries, user)
    return [
        {"entry": entry, "thing": link_to_thing(entry, things), **describe_entry(entry, things)}
        for entry in entries
    ]


def describe_entry(entry: AuditEntry, things: Things) -> dict[str, Any]:
    """Return what was done, and what changed."""
    return {"words": describe_act(entry), "changes": format_sentences(explain_entry(entry, things))}


def link_to_thing(entry: AuditEntry, things: Things) -> SafeString:
    """Return the name of the resource at that time, linked to its page if it has one."""
    named_thing = things.get((entry.kind, entry.thing))
    return link_part(Part(entry.name, named_thing and named_thing.address))


def link_part(link_part: Part) -> SafeString:
    """Return a part of a sentence, linked to the page of what it names."""
    if link_part.address is None:
        return format_html("{}", link_part.text)
    return format_html('<a href="{}">{}</a>', link_part.address, link_part.text)


def format_sentences(sentences: Sequence[Sentence]) -> SafeString:
    """Return sentences, one per line."""
    lines = [format_html_join("", "{}", ((link_part(item),) for item in sentence)) for sentence in sentences]
    return format_html_join(SafeString("<br>"), "{}", ((line,) for line in lines))
