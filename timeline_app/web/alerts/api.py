"""Alerts over REST."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from timeline_app.web.alerts.channel_selectors import select_channels
from timeline_app.web.alerts.documents import (
    MAX_ID,
    AlertSerializer,
    ChangedAlertSerializer,
    IncidentSerializer,
    NewAlertSerializer,
)
from timeline_app.web.alerts.selectors import (
    STATES,
    alert_documents,
    alerts_of,
    filter_by_key,
    filter_by_state,
    get_alert,
    incident_documents,
    rank_by_state,
    seen_incidents_of,
)
from timeline_app.web.alerts.services import change_alert, create_alert, delete_alert
from timeline_app.web.core import query_parameters
from timeline_app.web.core.audit_reasons import ReasonSerializer, read_reason
from timeline_app.web.core.etags import answer_with_etag, apply_if_match
from timeline_app.web.core.paging import make_paginator, paginate
from timeline_app.web.core.permissions import select_owned
from timeline_app.web.core.requests import get_user
from timeline_app.web.core.search_api import WORDS, filter_by_search
from timeline_app.web.core.views import ApiView
from timeline_app.web.models.alerts import Alert, Incident
from timeline_app.web.models.channels import AlertRoute
from timeline_app.web.plans.selectors import plan_of

SEVERITIES = tuple(Alert.Severity.values)
INCIDENT_STATES = tuple(Incident.State.values)
STATE = OpenApiParameter("state", str, enum=INCIDENT_STATES, description="only those in this state")
KEY = OpenApiParameter("key", str, description="only those of this key")


def build_answer(number: int, user: User) -> dict[str, Any]:
    return alert_documents([get_alert(number, user)], user)[0]


class AlertsView(ApiView):
    """All alerts."""

    pagination_class = make_paginator("rank", "-updated_at", "-pk")

    @extend_schema(
        parameters=[
            WORDS,
            OpenApiParameter("owner", str, description="of this person or team; `me` is who asks"),
            OpenApiParameter("state", str, enum=STATES, description="only those in this state"),
            OpenApiParameter("severity", str, enum=SEVERITIES, description="only those of this severity"),
            OpenApiParameter("plan", int, description="only those on nodes of the plan of this number"),
            OpenApiParameter("channel", int, description="only those that notify the channel of this number"),
        ],
        responses=AlertSerializer(many=True),
        operation_id="alerts_list",
    )
    def get(self, request: Request) -> Response:
        """List the alerts that you may read: firing, then others, then disabled, the last changed first."""
        user = get_user(request)
        alerts = rank_by_state(filter_by_search(alerts_of(user), request))
        if owner := query_parameters.parse_text(request, "owner"):
            alerts = select_owned(alerts, owner, user)
        if state := query_parameters.parse_choice(request, "state", STATES):
            alerts = filter_by_state(alerts, state)
        if severity := query_parameters.parse_choice(request, "severity", SEVERITIES):
            alerts = alerts.filter(severity=severity)
        if plan := query_parameters.number(request, "plan", default=0, least=1, most=MAX_ID):
            alerts = alerts.filter(plan=plan)
        if channel := query_parameters.number(request, "channel", default=0, least=1, most=MAX_ID):
            shown_channels = select_channels(user).filter(pk=channel)
            alerts = alerts.filter(
                pk__in=AlertRoute.objects.filter(channel__in=shown_channels.values("pk")).values("alert")
            )
        return paginate(self, request, alerts, lambda rows: alert_documents(rows, user))

    @extend_schema(request=NewAlertSerializer, responses={201: AlertSerializer})
    def post(self, request: Request) -> Response:
        """Create an alert on a bool node of a plan. Its incidents are the spans in which the node is true."""
        user = get_user(request)
        with read_reason(request, NewAlertSerializer) as body:
            plan, node = plan_of(body.pop("plan"), user), body.pop("node")
            body.pop("reason", None)
            alert = create_alert(user=user, plan=plan, node=node, settings=body)
        return Response(build_answer(alert.pk, user), status=status.HTTP_201_CREATED)


class AlertView(ApiView):
    """One alert."""

    refusals = ("400", "403", "409")
    tagged = True

    @extend_schema(responses=AlertSerializer)
    def get(self, request: Request, number: int) -> Response:
        """Return an alert and its state."""
        user = get_user(request)
        alert = get_alert(number, user)
        return answer_with_etag(request, alert, alert_documents([alert], user)[0])

    @extend_schema(request=ChangedAlertSerializer, responses=AlertSerializer)
    def patch(self, request: Request, number: int) -> Response:
        """Change some of its settings. What it fires on is changed in the plan."""
        user = get_user(request)
        alert = get_alert(number, user)
        with read_reason(request, ChangedAlertSerializer) as body:
            body.pop("reason", None)
            changed = apply_if_match(
                request, alert, lambda: change_alert(alert=alert, user=user, settings=body)
            )
        return answer_with_etag(request, changed, build_answer(number, user))

    @extend_schema(request=ReasonSerializer, responses={204: None})
    def delete(self, request: Request, number: int) -> Response:
        """Delete it, with its incidents and their history."""
        user = get_user(request)
        alert = get_alert(number, user)
        with read_reason(request):
            apply_if_match(request, alert, lambda: delete_alert(alert=alert, user=user))
        return Response(status=status.HTTP_204_NO_CONTENT)


class AlertIncidentsView(ApiView):
    """The incidents of an alert."""

    pagination_class = make_paginator("state", "-changed_at", "-pk")

    @extend_schema(
        parameters=[STATE, KEY], responses=IncidentSerializer(many=True), operation_id="alert_incidents"
    )
    def get(self, request: Request, number: int) -> Response:
        """List the incidents of an alert: firing, pending, resolved, retracted, the last changed first."""
        user = get_user(request)
        incidents = seen_incidents_of(user).filter(alert=get_alert(number, user))
        if state := query_parameters.parse_choice(request, "state", INCIDENT_STATES):
            incidents = incidents.filter(state=state)
        if (key := query_parameters.parse_text(request, "key")) is not None:
            incidents = filter_by_key(incidents, key)
        return paginate(self, request, incidents, lambda rows: incident_documents(rows, user))
