"""Creating, saving and deleting dashboards, and pinning charts."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from timeline_app.web.core import audit_writing
from timeline_app.web.core.errors import Conflict, Invalid
from timeline_app.web.core.permissions import Right, require_role
from timeline_app.web.core.quotas import enforce_quotas, get_holder
from timeline_app.web.core.sharing import lock_permitted
from timeline_app.web.core.term_writing import write_dashboard_terms
from timeline_app.web.core.transactions import retry_on_deadlock
from timeline_app.web.dashboards.public_links import approve_sources
from timeline_app.web.models import Dashboard
from timeline_app.web.models.people import Role
from timeline_app.web.models.versions import DashboardVersion

Document = dict[str, Any]
UNTITLED = "Untitled dashboard"
EMPTY: Document = {"charts": [], "range": "5m", "key": "", "group": ""}
MAX_CHARTS_PER_DASHBOARD = 60
MAX_SELECTED_KEYS = 24
GRID_COLUMNS = 12


@retry_on_deadlock
def create_dashboard(*, user: User, name: str | None, document: Document | None = None) -> Dashboard:
    """Create a dashboard, by default an empty one."""
    require_role(user, Role.EDITOR, "To make a dashboard")
    with transaction.atomic(), enforce_quotas(user, "dashboards", "document_bytes"):
        made = Dashboard.objects.create(owner=user, name=require_name(name), document=document or EMPTY)
        record_version(made, user)
        audit_writing.note(user=user, act="dashboard.create", thing=made)
    return made


@retry_on_deadlock
def save_dashboard(
    *, dashboard: Dashboard, user: User, version: int, name: str | None, document: Document
) -> Dashboard:
    """Save a new version, if it is based on the newest one."""
    with transaction.atomic():
        locked = lock_permitted(dashboard, user, Right.EDIT)
        if version != locked.version:
            raise Conflict(
                f"Somebody saved this dashboard in the meantime: it is at version {locked.version}, "
                f"yours is based on {version}."
            )
        save_version(locked, user, require_name(name or locked.name), document)
    return locked


@retry_on_deadlock
def pin_chart(*, dashboard: Dashboard, user: User, chart: Document) -> Dashboard:
    """Add a chart below all others; pages that edit the dashboard learn of the new version."""
    with transaction.atomic():
        locked = lock_permitted(dashboard, user, Right.EDIT)
        charts = locked.document["charts"]
        if len(charts) >= MAX_CHARTS_PER_DASHBOARD:
            message = f"A dashboard has at most {MAX_CHARTS_PER_DASHBOARD} charts."
            raise Invalid(f"{message} Remove one, or take another dashboard.", code="too_many")
        placed = chart | {"id": generate_free_id(charts), "place": find_free_place(charts, chart["place"])}
        save_version(locked, user, locked.name, locked.document | {"charts": [*charts, placed]})
    return locked


@retry_on_deadlock
def delete_dashboard(*, dashboard: Dashboard, user: User) -> None:
    """Delete a dashboard with all its versions."""
    with transaction.atomic():
        locked = lock_permitted(dashboard, user, Right.OWN)
        audit_writing.note(user=user, act="dashboard.delete", thing=locked, before=locked.document)
        locked.delete()


def save_version(dashboard: Dashboard, user: User, name: str, document: Document) -> None:
    """Save this as the newest version."""
    dashboard.name, dashboard.document = name, document
    dashboard.version += 1
    with enforce_quotas(get_holder(dashboard), "document_bytes"):
        dashboard.save()
        record_version(dashboard, user)
    approve_sources(dashboard, user)
    audit_writing.note_sitting(
        user=user, act="dashboard.edit", thing=dashboard, after={"version": dashboard.version}
    )


def record_version(dashboard: Dashboard, user: User) -> None:
    """Store this version, for links to it, and its search terms."""
    write_dashboard_terms(dashboard)
    DashboardVersion.objects.create(
        dashboard=dashboard,
        version=dashboard.version,
        name=dashboard.name,
        document=dashboard.document,
        saved_by=user,
    )


def require_name(name: str | None) -> str:
    """Return the name, or a default for an empty one."""
    return (name or "").strip()[:200] or UNTITLED


def generate_free_id(charts: list[Document]) -> str:
    """Return an unused id for a chart."""
    taken = {chart["id"] for chart in charts}
    return next(
        candidate for candidate in (f"c{n}" for n in range(1, len(charts) + 2)) if candidate not in taken
    )


def find_free_place(charts: list[Document], place: list[int]) -> list[int]:
    """Return a place of this size beside the last chart if there is room, else below all charts."""
    _, _, wide, high = place
    bottom = max((y + h for _, y, _, h in (chart["place"] for chart in charts)), default=0)
    lowest = [chart["place"] for chart in charts if chart["place"][1] + chart["place"][3] == bottom]
    right = max((x + w for x, _, w, _ in lowest), default=GRID_COLUMNS)
    beside = [right, lowest[0][1], wide, high] if lowest and right + wide <= GRID_COLUMNS else None
    if beside and not any(do_places_overlap(beside, chart["place"]) for chart in charts):
        return beside
    return [0, bottom, wide, high]


def do_places_overlap(place: list[int], other: list[int]) -> bool:
    """Return whether two places have a cell in common."""
    return all(place[i] < other[i] + other[i + 2] and other[i] < place[i] + place[i + 2] for i in (0, 1))
