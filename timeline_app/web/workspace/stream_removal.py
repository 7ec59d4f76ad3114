"""What emptying or deleting a stream would cause; nothing is changed by asking."""

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
from timeline_app.web.models.arrivals import Aside
from timeline_app.web.models.sinks import NodeSink
from timeline_app.web.models.sources import StreamSource
from timeline_app.web.models.terms import DashboardTerm, NodeTerm, Term
from timeline_app.web.nodes.selectors import PRIVATE
from timeline_app.web.streams.selectors import collect_stream_names, select_naming_plans

Document = dict[str, Any]


def describe_removal(stream: Stream, user: User) -> Document:
    """What is stored, what reads it, and which of that must stop first."""
    plans = _reading_plans(stream)
    nodes = _reading_nodes(stream)
    told = _plan_documents(plans, user)
    stops = [one for one in told if one["running"]]
    return {
        **measure_landing(stream),
        "aside": Aside.objects.filter(stream=stream).count(),
        "plans": told,
        "nodes": len(nodes),
        "sinks": NodeSink.objects.filter(node__in=nodes).count(),
        "dashboards": _dashboards(plans, user),
        "has_source": StreamSource.objects.filter(stream=stream).exists(),
        "stops": len(stops),
        "may_stop": all(one["may_stop"] for one in stops),
        "kept_seconds": settings.TRASH_FOR // 1_000_000,
    }


def measure_landing(stream: Stream) -> Document:
    """How many events of a stream are stored, and their bytes on disk."""
    landing = Landing(settings.LANDING, stream.folder)
    count = landing.count(landing.first(), landing.end())
    return {"events": count.events, "bytes": count.size}


def _reading_plans(stream: Stream) -> list[Plan]:
    """The plans whose draft, or what runs of it, reads the stream; those that run first."""
    plans = select_naming_plans(stream).select_related("owner", "team").order_by("-running", "pk")
    return [
        plan
        for plan in plans
        if stream.name in collect_stream_names(plan.document) | collect_stream_names(plan.running_document)
    ]


def _reading_nodes(stream: Stream) -> list[int]:
    """The nodes that plans use now and that are computed from it."""
    terms = NodeTerm.objects.filter(kind=Term.Kind.STREAM, value=stream.name)
    used = Node.objects.filter(pk__in=terms.values("thing"), uses__isnull=False)
    return list(used.order_by("pk").values_list("pk", flat=True).distinct())


def _plan_documents(plans: list[Plan], user: User) -> list[Document]:
    """Each plan as somebody may know of it."""
    shown, rights = select_readable_plans([plan.pk for plan in plans], user), compute_rights(user, plans)
    return [
        {
            "id": plan.pk if plan.pk in shown else None,
            "name": plan.name if plan.pk in shown else PRIVATE,
            **plan.owner_told(),
            "running": plan.running,
            "may_stop": Right.OPERATE in rights[plan.pk],
        }
        for plan in plans
    ]


def _dashboards(plans: list[Plan], user: User) -> list[Document]:
    """The dashboards that show these plans, and that somebody may look at."""
    numbers = [str(plan.pk) for plan in plans]
    terms = DashboardTerm.objects.filter(kind=Term.Kind.PLAN, value__in=numbers)
    boards = Dashboard.objects.filter(pk__in=terms.values("thing")).order_by("pk")
    return [{"id": board.pk, "name": board.name} for board in select_readable(boards, user)]
