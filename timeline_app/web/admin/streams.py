"""Streams and the revision log."""

from __future__ import annotations

from django.contrib import admin
from django.utils.safestring import SafeString

from timeline_app.algebra.kinds import BEGINNING, OPEN
from timeline_app.web.admin.base import OWNER_FILTERS, OwnedAdmin, ReadOnly, format_json, format_micros
from timeline_app.web.models import Node, Revision, Stream
from timeline_app.web.streams.source_services import describe_source, find_source


@admin.register(Stream)
class StreamAdmin(OwnedAdmin):
    """Streams: declarations and counters."""

    list_display = ("name", "belongs", "events", "latest", "updated_at")
    list_filter = OWNER_FILTERS
    search_fields = ("name", "owner__username", "team__name")
    list_select_related = ("owner", "team")
    actions = ("transfer",)
    fields = (
        "name", "belongs", "declared", "fed", "events", "latest", "seen_fields", "created_at", "updated_at",
    )  # fmt: skip

    def view_on_site(self, stream: Stream) -> str:
        return f"/streams/{stream.name}/"

    @admin.display(description="last event", ordering="last_event_at")
    def latest(self, stream: Stream) -> str:
        """Return the greatest event time taken."""
        return format_micros(stream.last_event_at)

    @admin.display(description="source")
    def fed(self, stream: Stream) -> SafeString:
        """Return the source without its secrets, and its state."""
        source = find_source(stream)
        return format_json(None if source is None else describe_source(source, whole=False))

    @admin.display(description="declaration")
    def declared(self, stream: Stream) -> SafeString:
        return format_json(stream.document)


@admin.register(Revision)
class RevisionAdmin(ReadOnly):
    """The revision log."""

    list_display = ("node", "key", "version", "known", "begins", "ends")
    list_filter = ("node_key__node__operator",)
    search_fields = ("=node_key__key", "node_key__node__digest")
    list_select_related = ("node_key__node",)
    show_full_result_count = False
    ordering = ("-pk",)
    fields = ("node", "key", "version", "known", "begins", "ends", "pieces")

    @admin.display(ordering="node_key__node")
    def node(self, revision: Revision) -> Node | None:
        return revision.node_key.node

    @admin.display(ordering="node_key__key")
    def key(self, revision: Revision) -> str:
        return revision.node_key.key

    @admin.display(description="known at", ordering="known_at")
    def known(self, revision: Revision) -> str:
        return format_micros(revision.known_at)

    @admin.display(description="from", ordering="start")
    def begins(self, revision: Revision) -> str:
        return "since ever" if revision.start == BEGINNING else format_micros(revision.start)

    @admin.display(description="to", ordering="end")
    def ends(self, revision: Revision) -> str:
        return "open" if revision.end == OPEN else format_micros(revision.end)
