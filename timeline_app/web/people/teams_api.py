"""Teams: everybody may search them by name; administrators create, change and delete them."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import Group, User
from django.core.validators import RegexValidator
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from timeline_app.web.core import query_parameters
from timeline_app.web.core.audit_reasons import ReasonSerializer, read_reason
from timeline_app.web.core.errors import Invalid, Missing
from timeline_app.web.core.paging import make_paginator, paginate
from timeline_app.web.core.permissions import require_role
from timeline_app.web.core.requests import get_user, validate_body
from timeline_app.web.core.scopes import require_scopes
from timeline_app.web.core.views import ApiView
from timeline_app.web.models.people import Role
from timeline_app.web.models.tokens import Scope
from timeline_app.web.people.api import CountsSerializer
from timeline_app.web.people.selectors import describe_teams, get_team, select_teams
from timeline_app.web.people.services import change_team, create_team, delete_team

TEAM_NAME = RegexValidator(
    r"^[\w.@+-]+( [\w.@+-]+)*\Z", "A team's name has letters, digits, single spaces and @ . + - _ only."
)


class NewTeamSerializer(serializers.Serializer[Any]):
    """A team to create."""

    name = serializers.CharField(max_length=150, validators=[TEAM_NAME])
    members = serializers.ListField(
        child=serializers.CharField(max_length=150), max_length=1000, required=False
    )


class TeamChangeSerializer(ReasonSerializer):
    """Changes of a team; fields that are left out stay."""

    name = serializers.CharField(max_length=150, required=False, validators=[TEAM_NAME])
    members = serializers.ListField(
        child=serializers.CharField(max_length=150), max_length=1000, required=False
    )


class TeamSerializer(serializers.Serializer[Any]):
    """A team; each member owns what the team owns."""

    name = serializers.CharField()
    members = serializers.ListField(child=serializers.CharField())
    owns = CountsSerializer()


def get_members(names: list[str]) -> list[User]:
    """Return the people of these names; refuse unknown names."""
    users_by_username = {user.get_username(): user for user in User.objects.filter(username__in=names)}
    for name in names:
        if name not in users_by_username:
            message = f"Nobody here is called {name[:150]!r}."
            raise Invalid.field("members", message, "Make the person first.", code="unknown_person")
    return list(users_by_username.values())


def describe_current_team(team: Group) -> dict[str, Any]:
    """Return a team's current state; raise `Missing`."""
    teams = describe_teams(select_teams().filter(pk=team.pk))
    if not teams:
        raise Missing.team(team.name)
    return teams[0]


class TeamsView(ApiView):
    """All teams."""

    scopes = require_scopes(POST=Scope.ADMIN)
    refusals = ("400", "403", "409")
    pagination_class = make_paginator("name", "pk")

    @extend_schema(
        parameters=[OpenApiParameter("search", str, description="only those whose names contain this")],
        responses=TeamSerializer(many=True),
        operation_id="teams_list",
    )
    def get(self, request: Request) -> Response:
        """List teams by name, with their members."""
        teams = select_teams(query_parameters.parse_text(request, "search") or "")
        return paginate(self, request, teams, describe_teams)

    @extend_schema(request=NewTeamSerializer, responses={201: TeamSerializer})
    def post(self, request: Request) -> Response:
        """Create a team. For administrators."""
        user, body = get_user(request), validate_body(NewTeamSerializer, request)
        require_role(user, Role.ADMIN, "To make a team")
        team = create_team(user=user, name=body["name"], members=get_members(body.get("members", [])))
        return Response(describe_current_team(team), status=status.HTTP_201_CREATED)


class TeamView(ApiView):
    """One team."""

    scopes = require_scopes(PUT=Scope.ADMIN, DELETE=Scope.ADMIN)
    refusals = ("400", "403", "409")

    @extend_schema(responses=TeamSerializer)
    def get(self, request: Request, name: str) -> Response:  # noqa: ARG002
        """Return a team and its members."""
        return Response(describe_current_team(get_team(name)))

    @extend_schema(request=TeamChangeSerializer, responses=TeamSerializer)
    def put(self, request: Request, name: str) -> Response:
        """Rename a team, or replace its members. For administrators."""
        user, team = get_user(request), get_team(name)
        require_role(user, Role.ADMIN, "To change a team")
        with read_reason(request, TeamChangeSerializer) as body:
            members = get_members(body["members"]) if "members" in body else None
            changed = change_team(team=team, user=user, name=body.get("name"), members=members)
        return Response(describe_current_team(changed))

    @extend_schema(request=ReasonSerializer, responses={204: None})
    def delete(self, request: Request, name: str) -> Response:
        """Delete a team that owns nothing. For administrators."""
        with read_reason(request):
            delete_team(team=get_team(name), user=get_user(request))
        return Response(status=status.HTTP_204_NO_CONTENT)
