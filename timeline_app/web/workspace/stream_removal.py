"""Preview of emptying or deleting a stream; nothing is changed."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth.models import User

from timeline_app.landing.log import Landing
from timeline_app.web.core.permissions import (
    Right,
    compute_rights,
    select_readable,
    select_readable_plans,
)
from timeline_app.web.models import Dashboard, Node, Plan, Stream
from timeline_app.web.models.arrivals import RejectedEvent
from timeline_app.web.models.sinks import NodeSink
from timeline_app.web.models.sources import StreamSource
from timeline_app.web.models.terms import DashboardTerm, NodeTerm, Term
from timeline_app.web.nodes.selectors import PRIVATE
from timeline_app.web.streams.selectors import collect_stream_names, select_naming_plans

Document = dict[str, Any]


def describe_removal(stream: Stream, user: User) -> Document:
    """Return what is stored, what reads it, and what must stop first."""
    plans = _reading_plans(stream)
    nodes = _reading_nodes(stream)
    plan_documents = _plan_documents(plans, user)
    stops = [document for document in plan_documents if document["running"]]
    return {
        **measure_landing(stream),
        "rejected": RejectedEvent.objects.filter(stream=stream).count(),
        "plans": plan_documents,
        "nodes": len(nodes),
        "sinks": NodeSink.objects.filter(node__in=nodes).count(),
        "dashboards": _dashboards(plans, user),
        "has_source": StreamSource.objects.filter(stream=stream).exists(),
        "stops": len(stops),
        "may_stop": all(document["may_stop"] for document in stops),
        "kept_seconds": settings.TRASH_RETENTION_MICROS // 1_000_000,
    }


def measure_landing(stream: Stream) -> Document:
    """Return how many events of a stream are stored, and their bytes on disk."""
    landing = Landing(settings.LANDING, stream.folder)
    count = landing.count(landing.first(), landing.end())
    return {"events": count.events, "bytes": count.size}


def _reading_plans(stream: Stream) -> list[Plan]:
    """Return the plans whose draft or running document reads the stream, running ones first."""
    plans = select_naming_plans(stream).select_related("owner", "team").order_by("-running", "pk")
    return [
        plan
        for plan in plans
        if stream.name in collect_stream_names(plan.document) | collect_stream_names(plan.running_document)
    ]


def _reading_nodes(stream: Stream) -> list[int]:
    """Return the nodes in use that are computed from it."""
    terms = NodeTerm.objects.filter(kind=Term.Kind.STREAM, value=stream.name)
    used = Node.objects.filter(pk__in=terms.values("thing"), uses__isnull=False)
    return list(used.order_by("pk").values_list("pk", flat=True).distinct())


def _plan_documents(plans: list[Plan], user: User) -> list[Document]:
    """Return each plan as far as the user may know of it."""
    readable_plans, rights = (
        select_readable_plans([plan.pk for plan in plans], user),
        compute_rights(user, plans),
    )
    return [
        {
            "id": plan.pk if plan.pk in readable_plans else None,
            "name": plan.name if plan.pk in readable_plans else PRIVATE,
            **plan.owner_told(),
            "running": plan.running,
            "may_stop": Right.OPERATE in rights[plan.pk],
        }
        for plan in plans
    ]


def _dashboards(plans: list[Plan], user: User) -> list[Document]:
    """Return the dashboards of these plans that the user may read."""
    numbers = [str(plan.pk) for plan in plans]
    terms = DashboardTerm.objects.filter(kind=Term.Kind.PLAN, value__in=numbers)
    boards = Dashboard.objects.filter(pk__in=terms.values("thing")).order_by("pk")
    return [{"id": board.pk, "name": board.name} for board in select_readable(boards, user)]
