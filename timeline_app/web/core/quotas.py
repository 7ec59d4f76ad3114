"""Quotas: no person and no team takes more than its part of shared resources.

A service creates a resource within `enforce_quotas`, in its transaction, which locks the owner. Of two
requests for the last free place, the second waits and is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.contrib.auth.models import Group, User
from django.db.models import Count, QuerySet, Sum
from django.db.models.functions import Coalesce, Greatest, Length
from django.utils import timezone

from timeline_app.web.core import open_sockets
from timeline_app.web.core.errors import Missing, QuotaExceeded
from timeline_app.web.models import Dashboard, Plan, PlanNode, Query, Stream
from timeline_app.web.models.alerts import Alert
from timeline_app.web.models.channels import AlertChannel, Silence
from timeline_app.web.models.idempotency import KeptAnswer
from timeline_app.web.models.people import Owned
from timeline_app.web.models.samples import Sample
from timeline_app.web.models.sinks import NodeSink
from timeline_app.web.models.sources import StreamSource
from timeline_app.web.models.tokens import ApiToken
from timeline_app.web.models.versions import DashboardVersion, PlanDraft, PlanVersion
from timeline_app.web.people.selectors import Holder

MIB = 2**20
MIN_ANSWER_BYTES = 4 * 2**10
"""A stored answer counts at least this much: each new key scans all of them."""


@dataclass(frozen=True, slots=True)
class Quota:
    """A counted resource: its name in settings, its noun in messages, its count by owner, and how to reduce
    it.
    """

    name: str
    noun: str
    count: Callable[[Holder], int]
    hint: str

    @property
    def limit(self) -> int:
        return int(settings.QUOTAS[self.name])

    def to_json(self, holder: Holder) -> dict[str, Any]:
        """Return how much of it an owner has and may have."""
        return {"name": self.name, "noun": self.noun, "used": self.count(holder), "limit": self.limit}

    def refuse(self, holder: Holder, used: int) -> QuotaExceeded:
        unit, unit_text, of_text = (MIB, " MiB", " of") if self.name.endswith("_bytes") else (1, "", "")
        subject = f"The team {holder}" if isinstance(holder, Group) else str(holder)
        subject = "This installation" if self.name == "all_queries" else subject
        return QuotaExceeded.for_field(
            self.name,
            f"{subject} would have {-(-used // unit):,}{unit_text}{of_text} {self.noun}; "
            f"at most {self.limit // unit:,}{unit_text} are possible.",
            f"{self.hint} Whoever runs the server raises the limit with TIMELINE_QUOTAS={self.name}=….",
        )

    def refuse_full(self, holder: Holder) -> None:
        """Refuse when the limit is reached; for what grows only after it was requested."""
        if (used := self.count(holder)) >= self.limit:
            raise self.refuse(holder, used + 1)

    def is_full(self, holder: Holder) -> bool:
        return self.count(holder) >= self.limit


def _own(model: type[Owned]) -> Callable[[Holder], int]:
    return lambda holder: model._default_manager.filter(**_build_owner_filter(holder)).count()


def _build_owner_filter(holder: Holder, path: str = "") -> dict[str, Any]:
    return {f"{path}owner" if isinstance(holder, User) else f"{path}team": holder}


def _sum_sizes(rows: QuerySet[Any]) -> int:
    return int(rows.order_by().aggregate(size=Sum("size"))["size"] or 0)


def _count_document_bytes(holder: Holder) -> int:
    return sum(
        map(
            _sum_sizes,
            (
                Plan.objects.filter(**_build_owner_filter(holder)),
                PlanDraft.objects.filter(**_build_owner_filter(holder, "plan__")),
                PlanVersion.objects.filter(**_build_owner_filter(holder, "plan__")),
                Dashboard.objects.filter(**_build_owner_filter(holder)),
                DashboardVersion.objects.filter(**_build_owner_filter(holder, "dashboard__")),
            ),
        )
    )


def _select_running_nodes(holder: Holder) -> QuerySet[PlanNode]:
    return PlanNode.objects.filter(**_build_owner_filter(holder, "plan__")).order_by()


def _count_running_queries(holder: Holder) -> int:
    """Count the queries that will compute the nodes: after a handover, the next query."""
    query = Coalesce("node__next_query", "node__query")
    return int(_select_running_nodes(holder).aggregate(number=Count(query, distinct=True))["number"])


def _answer_bytes(holder: Holder) -> int:
    if not isinstance(holder, User):
        return 0
    size = Greatest(Coalesce(Length("body"), 0), MIN_ANSWER_BYTES)
    return int(KeptAnswer.objects.filter(user=holder).aggregate(size=Sum(size))["size"] or 0)


def _count_active_silences(holder: Holder) -> int:
    return Silence.objects.filter(**_build_owner_filter(holder), ends_at__gt=timezone.now()).count()


def _count_tokens(holder: Holder) -> int:
    if not isinstance(holder, User):
        return 0
    return int(ApiToken.objects.filter(user=holder, expiry__gt=timezone.now()).count())


def _count_sample_bytes(holder: Holder) -> int:
    totals = (
        Sample.objects.filter(**_build_owner_filter(holder)).order_by().aggregate(size=Sum("parts__size"))
    )
    return int(totals["size"] or 0)


QUOTAS = {
    quota.name: quota
    for quota in (
        Quota("plans", "plans", _own(Plan), "Delete plans that nobody needs."),
        Quota(
            "document_bytes",
            "plans and dashboards with their versions",
            _count_document_bytes,
            "Delete plans and dashboards that nobody needs, or make this one smaller.",
        ),
        Quota("streams", "streams", _own(Stream), "Delete streams that nobody needs."),
        Quota(
            "sources",
            "sources of streams",
            lambda holder: StreamSource.objects.filter(**_build_owner_filter(holder, "stream__")).count(),
            "Remove sources that nobody needs.",
        ),
        Quota("sinks", "sinks", _own(NodeSink), "Remove sinks that nobody needs."),
        Quota("dashboards", "dashboards", _own(Dashboard), "Delete dashboards that nobody needs."),
        Quota("alerts", "alerts", _own(Alert), "Delete alerts that nobody needs."),
        Quota("channels", "channels", _own(AlertChannel), "Delete channels that nobody needs."),
        Quota("silences", "silences", _count_active_silences, "End silences that nobody needs."),
        Quota("samples", "samples", _own(Sample), "Delete samples that nobody needs."),
        Quota("sample_bytes", "samples", _count_sample_bytes, "Delete samples that nobody needs."),
        Quota("tokens", "tokens", _count_tokens, "End tokens that nobody uses."),
        Quota(
            "running_nodes",
            "running nodes",
            lambda holder: _select_running_nodes(holder).values("node").distinct().count(),
            "Stop plans that nobody needs, or run fewer nodes.",
        ),
        Quota(
            "running_queries",
            "running Spark queries",
            _count_running_queries,
            "Run the plan with the placement `together`, in which many nodes share one query, or stop other plans.",
        ),
        Quota(
            "all_queries",
            "running Spark queries",
            lambda _: Query.objects.filter(desired=Query.Desired.RUNNING).count(),
            "Run the plan with the placement `together`, in which many nodes share one query, or stop other plans.",
        ),
        Quota(
            "sockets",
            "open pages",
            lambda holder: open_sockets.count_of(holder.pk) if isinstance(holder, User) else 0,
            "Close some of them.",
        ),
        Quota("answer_bytes", "answers to idempotency keys of a day", _answer_bytes, "Send fewer keys."),
    )
}

QUOTAS_OF: dict[type[Owned], tuple[str, ...]] = {
    Plan: ("plans", "document_bytes", "running_nodes", "running_queries"),
    Stream: ("streams", "sources"),
    Dashboard: ("dashboards", "document_bytes"),
    Sample: ("samples", "sample_bytes"),
    NodeSink: ("sinks",),
    Alert: ("alerts",),
    AlertChannel: ("channels",),
    Silence: ("silences",),
}
"""The quotas that count for the new owner of a resource."""


@contextmanager
def enforce_quotas(holder: Holder, *names: str) -> Iterator[None]:
    """Count what the block creates; raise `QuotaExceeded` if a count is over its limit and has grown.

    Call it in a transaction, which the refusal rolls back. Owners who were over a limit before keep
    everything.
    """
    lock_holder(holder)
    before = {name: QUOTAS[name].count(holder) for name in names}
    yield
    for name, used_before in before.items():
        quota = QUOTAS[name]
        used = quota.count(holder)
        if used > quota.limit and used > used_before:
            raise quota.refuse(holder, used)


def lock_holder(holder: Holder) -> None:
    """Lock the resources of a person or team until the transaction ends; raise `Missing`."""
    # A request's user is a lazy object of another type.
    owners = holder._meta.model._default_manager
    if not owners.select_for_update().filter(pk=holder.pk).exists():
        raise (
            Missing.team(holder.name) if isinstance(holder, Group) else Missing.person(holder.get_username())
        )


def get_holder(thing: Owned) -> Holder:
    """Return the owning person or team."""
    holder = thing.owner or thing.team
    assert holder is not None  # a check constraint guarantees it
    return holder
