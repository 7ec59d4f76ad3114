"""Public links to dashboards: making, ending, listing and recognising them."""

from __future__ import annotations

import hashlib
import logging
import re
import secrets
from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from timeline_app.web.core import audit_writing, notifications
from timeline_app.web.core.errors import Missing, NotYours, QuotaExceeded
from timeline_app.web.core.permissions import Right, compute_rights_on, require
from timeline_app.web.core.sharing import lock_permitted
from timeline_app.web.core.transactions import retry_on_deadlock
from timeline_app.web.models import Dashboard
from timeline_app.web.models.public_links import PublicLink

log = logging.getLogger(__name__)
Document = dict[str, Any]
MAX_LINKS_PER_DASHBOARD = 20
MAX_LINK_DAYS = 3650
SECRET_BYTES = 32
SECRET_PATTERN = re.compile(r"[0-9A-Za-z_-]{43}")


def compute_link_digest(text: str) -> str:
    """Return what is stored of a link. The secret is random, so that one round of SHA-256 suffices."""
    return hashlib.sha256(text.encode()).hexdigest()


@retry_on_deadlock
def create_link(
    *, dashboard: Dashboard, user: User, name: str, days: int | None = None
) -> tuple[PublicLink, str]:
    """Make a link; return it and its secret, which is never shown again."""
    if not settings.PUBLIC_LINKS:
        raise NotYours(
            "Public links are off in this installation. An administrator can allow them with TIMELINE_PUBLIC_LINKS=1.",
            code="public_links_off",
        )
    text = secrets.token_urlsafe(SECRET_BYTES)
    with transaction.atomic():
        locked = lock_permitted(dashboard, user, Right.OWN)
        if locked.public_links.count() >= MAX_LINKS_PER_DASHBOARD:
            raise QuotaExceeded.for_field(
                "name", f"A dashboard has at most {MAX_LINKS_PER_DASHBOARD} public links.", "End one of them."
            )
        link = PublicLink.objects.create(
            dashboard=locked,
            made_by=user,
            name=name,
            digest=compute_link_digest(text),
            approved=list_sources(locked.document),
            expires_at=None if days is None else timezone.now() + timedelta(days=days),
        )
        after = {"public_link": name} | ({} if days is None else {"days": days})
        audit_writing.note(user=user, act="dashboard.link", thing=locked, after=after)
    return link, text


@retry_on_deadlock
def end_link(*, dashboard: Dashboard, user: User, number: int) -> None:
    """End a link: open pages that use it lose what they show within a moment."""
    with transaction.atomic():
        locked = lock_permitted(dashboard, user, Right.OWN)
        link = locked.public_links.select_for_update().filter(pk=number).first()
        if link is None:
            raise Missing(
                "This dashboard has no public link of this number; it may have been ended.",
                code="unknown_link",
            )
        audit_writing.note(user=user, act="dashboard.unlink", thing=locked, before={"public_link": link.name})
        link.delete()
        notifications.notify_access_change()


def select_links(dashboard: Dashboard, user: User) -> QuerySet[PublicLink]:
    """Select the links of a dashboard, for its owners."""
    require(user, Right.OWN, dashboard)
    return dashboard.public_links.select_related("made_by").order_by("-created_at", "-pk")


def describe_link(link: PublicLink) -> Document:
    """Return a link in its wire type."""
    return {
        "id": link.pk,
        "name": link.name,
        "made_by": link.made_by.get_username(),
        "created_at": link.created_at.isoformat(),
        "expires_at": link.expires_at.isoformat() if link.expires_at else None,
        "last_used_at": link.last_used_at.isoformat() if link.last_used_at else None,
        "expired": link.expired,
    }


def list_sources(document: Document) -> list[list[Any]]:
    """Return the plan and the node of each chart that has one, once each."""
    charts: Iterable[Document] = document["charts"]
    return [
        list(pair) for pair in sorted({(chart["plan"], chart["node"]) for chart in charts if chart["node"]})
    ]


def approve_sources(dashboard: Dashboard, user: User) -> None:
    """Let a person's own links show what that person saves. Call it in a transaction.

    Somebody else who may edit the dashboard cannot add charts to them: they are read by the rights of the person
    who made the link, which may be greater.
    """
    dashboard.public_links.filter(made_by=user).update(approved=list_sources(dashboard.document))


def find_link(text: str) -> PublicLink | None:
    """Return the link of this secret, if it is valid now."""
    if not settings.PUBLIC_LINKS or not SECRET_PATTERN.fullmatch(text):
        return None
    return load_valid_link(digest=compute_link_digest(text))


def load_valid_link(**match: Any) -> PublicLink | None:
    """Return a link if it has not expired, and the person who made it may log in and still owns the dashboard."""
    rows = PublicLink.objects.select_related("dashboard", "made_by__member")
    link = rows.filter(**match).first() if settings.PUBLIC_LINKS else None
    if link is None or link.expired or not link.made_by.is_active:
        return None
    return link if Right.OWN in compute_rights_on(link.made_by, link.dashboard) else None
