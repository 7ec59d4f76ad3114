"""Incidents over REST."""

from __future__ import annotations

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from timeline_app.web.alerts.api import INCIDENT_STATES, KEY, SEVERITIES, STATE
from timeline_app.web.alerts.documents import (
    MAX_ID,
    AcknowledgeSerializer,
    AssignSerializer,
    CommentSerializer,
    IncidentSerializer,
    IncidentsSummarySerializer,
    IncidentWithHistorySerializer,
)
from timeline_app.web.alerts.incident_services import acknowledge_incident, assign_incident, comment_incident
from timeline_app.web.alerts.selectors import (
    filter_by_key,
    get_alert,
    get_incident,
    incident_documents,
    incident_with_history,
    seen_incidents_of,
)
from timeline_app.web.alerts.summaries import summarise_incidents
from timeline_app.web.core import query_parameters
from timeline_app.web.core.errors import Invalid
from timeline_app.web.core.paging import make_paginator, paginate
from timeline_app.web.core.permissions import match_owner
from timeline_app.web.core.requests import get_user, validate_body
from timeline_app.web.core.scopes import require_scopes
from timeline_app.web.core.search_api import WORDS, filter_by_search
from timeline_app.web.core.views import ApiView
from timeline_app.web.models.alerts import Alert, Incident
from timeline_app.web.models.tokens import Scope

WHOSE = ("me",)
MAX_NODES = 100
NODES = OpenApiParameter(
    "nodes",
    str,
    description=f"only spans of the nodes with these digests, with commas between, at most {MAX_NODES}",
)


SEVERITY = OpenApiParameter("severity", str, enum=SEVERITIES, description="only those of this severity")


def filter_by_severity(incidents: QuerySet[Incident], request: Request) -> QuerySet[Incident]:
    """Filter by the severity of the alert."""
    severity = query_parameters.parse_choice(request, "severity", SEVERITIES)
    return incidents.filter(alert__severity=severity) if severity else incidents


def parse_nodes(request: Request) -> list[str] | None:
    """Return the digests of `nodes`."""
    text = query_parameters.parse_text(request, "nodes", longest=MAX_NODES * 65)
    digests = None if text is None else [text_of_node for text_of_node in text.split(",") if text_of_node]
    if digests is not None and len(digests) > MAX_NODES:
        raise Invalid.field("nodes", f"{len(digests)} nodes.", f"At most {MAX_NODES} are possible.")
    return digests


class IncidentsView(ApiView):
    """Incidents of all alerts."""

    pagination_class = make_paginator("state", "-changed_at", "-pk")

    @extend_schema(
        parameters=[
            WORDS,
            STATE,
            KEY,
            NODES,
            SEVERITY,
            OpenApiParameter(
                "owner", str, enum=WHOSE, description="only those of your alerts and your teams'"
            ),
            OpenApiParameter("assignee", str, enum=WHOSE, description="only those that are assigned to you"),
        ],
        responses=IncidentSerializer(many=True),
        operation_id="incidents_list",
    )
    def get(self, request: Request) -> Response:
        """List the incidents that you may read: firing, pending, resolved, retracted, the last changed first."""
        user = get_user(request)
        incidents = filter_by_search(seen_incidents_of(user), request)
        if state := query_parameters.parse_choice(request, "state", INCIDENT_STATES):
            incidents = incidents.filter(state=state)
        if (key := query_parameters.parse_text(request, "key")) is not None:
            incidents = filter_by_key(incidents, key)
        if (digests := parse_nodes(request)) is not None:
            incidents = incidents.filter(digest__in=digests)
        incidents = filter_by_severity(incidents, request)
        if query_parameters.parse_choice(request, "owner", WHOSE):
            own = Alert.objects.filter(match_owner(user)).order_by()
            incidents = incidents.filter(alert__in=own.values("pk"))
        if query_parameters.parse_choice(request, "assignee", WHOSE):
            incidents = incidents.filter(assignee=user)
        return paginate(self, request, incidents, lambda rows: incident_documents(rows, user))


class IncidentsSummaryView(ApiView):
    """Durations of incidents."""

    @extend_schema(
        parameters=[
            OpenApiParameter("alert", int, description="only those of the alert of this number"),
            SEVERITY,
            OpenApiParameter("since", str, required=True, description="event time from which they count"),
            OpenApiParameter("until", str, required=True, description="event time until which they count"),
        ],
        responses=IncidentsSummarySerializer,
    )
    def get(self, request: Request) -> Response:
        """Return how many incidents began and ended in a stretch of event time, and their mean durations."""
        user = get_user(request)
        since, until = (query_parameters.parse_moment(request, name) for name in ("since", "until"))
        if since is None or until is None:
            raise Invalid.field(
                "since" if since is None else "until", "This parameter is missing.", "Give a time."
            )
        incidents = filter_by_severity(seen_incidents_of(user).select_related(None), request)
        if alert := query_parameters.number(request, "alert", default=0, least=1, most=MAX_ID):
            incidents = incidents.filter(alert=get_alert(alert, user))
        return Response(summarise_incidents(incidents, since, until))


class IncidentView(ApiView):
    """One incident."""

    @extend_schema(responses=IncidentWithHistorySerializer)
    def get(self, request: Request, number: int) -> Response:
        """Return an incident with its changes and comments."""
        user = get_user(request)
        return Response(incident_with_history(get_incident(number, user), user))


class IncidentActView(ApiView):
    """An action on an incident."""

    scopes = require_scopes(POST=Scope.OPERATE)
    refusals = ("400", "403", "409")

    def answer(self, incident: Incident, request: Request) -> Response:
        """Return the incident after the action."""
        user = get_user(request)
        return Response(incident_with_history(get_incident(incident.pk, user), user))


class IncidentAcknowledgeView(IncidentActView):
    """Acknowledging an incident."""

    @extend_schema(request=AcknowledgeSerializer, responses=IncidentWithHistorySerializer)
    def post(self, request: Request, number: int) -> Response:
        """Acknowledge the incident, or take that back."""
        user, body = get_user(request), validate_body(AcknowledgeSerializer, request)
        incident = get_incident(number, user)
        acknowledge_incident(incident=incident, user=user, acknowledged=body["acknowledged"])
        return self.answer(incident, request)


class IncidentAssignView(IncidentActView):
    """Assigning an incident."""

    @extend_schema(request=AssignSerializer, responses=IncidentWithHistorySerializer)
    def post(self, request: Request, number: int) -> Response:
        """Assign the incident to somebody who may read the plan."""
        user, body = get_user(request), validate_body(AssignSerializer, request)
        incident = get_incident(number, user)
        assign_incident(incident=incident, user=user, to=body["to"])
        return self.answer(incident, request)


class IncidentCommentView(IncidentActView):
    """Commenting on an incident."""

    @extend_schema(request=CommentSerializer, responses=IncidentWithHistorySerializer)
    def post(self, request: Request, number: int) -> Response:
        """Add a comment."""
        user, body = get_user(request), validate_body(CommentSerializer, request)
        incident = get_incident(number, user)
        comment_incident(incident=incident, user=user, text=body["text"])
        return self.answer(incident, request)
