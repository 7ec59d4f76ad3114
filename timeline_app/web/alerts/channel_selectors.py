"""Reading channels and silences."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Count, Min, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from timeline_app.connectors.masked_addresses import mask_addresses
from timeline_app.web.core.connector_forms import list_secret_names
from timeline_app.web.core.errors import Missing
from timeline_app.web.core.permissions import (
    NONE,
    Right,
    Rights,
    compute_rights,
    format_rights,
    select_readable,
    select_readable_plans,
)
from timeline_app.web.core.stale_status import as_seen
from timeline_app.web.models.channels import AlertChannel, AlertNotification, AlertRoute, Silence

Document = dict[str, Any]
SILENCE_STATES = ("now", "coming", "past")


def select_channels(user: User) -> QuerySet[AlertChannel]:
    """Select the channels that somebody may read."""
    rows = AlertChannel.objects.select_related("owner", "team")
    messages = AlertNotification.objects.filter(route__channel=OuterRef("pk"), sent_at=None).order_by()
    of_channel = messages.values("route__channel")
    return select_readable(rows, user).annotate(
        waiting=Coalesce(Subquery(of_channel.annotate(many=Count("pk")).values("many")), 0),
        waiting_since=Subquery(of_channel.annotate(since=Min("made_at")).values("since")),
        alerts=Coalesce(Subquery(_count_alerts()), 0),
    )


def _count_alerts() -> QuerySet[Any]:
    routes = AlertRoute.objects.filter(channel=OuterRef("pk")).order_by().values("channel")
    return routes.annotate(many=Count("pk")).values("many")


def get_channel(number: int, user: User) -> AlertChannel:
    """Return the channel of this number, if this user may read it."""
    channel = select_channels(user).filter(pk=number).first()
    if channel is None:
        raise Missing("There is no channel of this number that you may look at.", code="unknown_channel")
    return channel


def describe_channels(channels: Iterable[AlertChannel], user: User) -> list[Document]:
    """Return channels in their wire type."""
    chosen = list(channels)
    rights = compute_rights(user, chosen)
    return [_describe_channel(channel, rights.get(channel.pk, NONE)) for channel in chosen]


def select_silences(user: User) -> QuerySet[Silence]:
    """Select the silences that somebody may read."""
    return select_readable(Silence.objects.select_related("owner", "team", "alert", "during_plan"), user)


def filter_silences(silences: QuerySet[Silence], state: str) -> QuerySet[Silence]:
    """Filter silences by a state of `SILENCE_STATES`."""
    now = timezone.now()
    conditions = {
        "now": Q(begins_at__lte=now, ends_at__gt=now),
        "coming": Q(begins_at__gt=now),
        "past": Q(ends_at__lte=now),
    }
    return silences.filter(conditions[state])


def get_silence(number: int, user: User) -> Silence:
    """Return the silence of this number, if this user may read it."""
    silence = select_silences(user).filter(pk=number).first()
    if silence is None:
        raise Missing("There is no silence of this number that you may look at.", code="unknown_silence")
    return silence


def describe_silences(silences: Iterable[Silence], user: User) -> list[Document]:
    """Return silences in their wire type."""
    chosen, now = list(silences), timezone.now()
    rights = compute_rights(user, chosen)
    numbers = {silence.during_plan_id for silence in chosen if silence.during_plan_id is not None}
    plans = select_readable_plans(numbers, user)
    names = ("key", "label", "label_value", "reason")
    return [
        {
            "id": silence.pk,
            "alert": silence.alert_id,
            "alert_name": silence.alert and silence.alert.name,
            **{name: getattr(silence, name) for name in names},
            **silence.owner_told(),
            "rights": format_rights(rights.get(silence.pk, NONE)),
            "begins_at": silence.begins_at.isoformat(),
            "ends_at": silence.ends_at.isoformat(),
            "schedule": silence.schedule or None,
            "during": silence.during_plan and _describe_node(silence, plans),
            "open": silence.is_open(now),
            "state": "past" if silence.ends_at <= now else "now" if silence.begins_at <= now else "coming",
        }
        for silence in chosen
    ]


def _describe_node(silence: Silence, readable: set[int]) -> Document:
    """Return the node while which a silence holds; the name of a plan that may not be viewed is left out."""
    plan = silence.during_plan
    name = plan.name if plan is not None and plan.pk in readable else None
    return {"plan": silence.during_plan_id, "plan_name": name, "node": silence.during_node}


def describe_state(channel: AlertChannel) -> tuple[str, str]:
    """Return the state as the sender saw it, and its description, which may name where messages go."""
    goes_on = channel.observed == AlertChannel.Observed.READY
    return as_seen(channel.observed, channel.words, channel.looked_at, goes_on=goes_on, by="the delivery")


def _describe_channel(channel: AlertChannel, rights: Rights) -> Document:
    observed, words = describe_state(channel)
    own = Right.OWN in rights
    return {
        "id": channel.pk,
        "name": channel.name,
        "kind": channel.kind,
        "options": channel.options if own else {},
        "secrets": list_secret_names(channel.secrets) if own else [],
        "paused": channel.paused,
        "version": channel.version,
        **channel.owner_told(),
        "rights": format_rights(rights),
        "observed": observed,
        "words": mask_addresses(words) if own else str(observed),
        "alerts": getattr(channel, "alerts", 0),
        "waiting": getattr(channel, "waiting", 0),
        "waiting_since": _format_time(getattr(channel, "waiting_since", None)),
        "sent": channel.sent,
        "sent_at": _format_time(channel.sent_at),
        "failing_since": _format_time(channel.failing_since),
    }


def _format_time(time: datetime | None) -> str | None:
    return None if time is None else time.isoformat()
