"""The broker of the feeds, as services that start leave it to all processes and to the tasks of Spark."""

from __future__ import annotations

from django.conf import settings

from timeline_app.storage import broker


def settle() -> None:
    """Write down how it is reached, where the settings name one. What only looks at the product changes nothing."""
    if settings.FEEDS is not None:
        broker.keep(settings.TIMELINE_DATA, settings.FEEDS)
