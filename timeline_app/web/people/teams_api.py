"""Teams: found by name by everybody; made, called otherwise, put together and deleted by administrators."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import Group, User
from django.core.validators import RegexValidator
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from timeline_app.web.core import query_parameters
from timeline_app.web.core.audit_reasons import ReasonSerializer, because
from timeline_app.web.core.errors import Invalid, Missing
from timeline_app.web.core.paging import by, paged
from timeline_app.web.core.permissions import require_role
from timeline_app.web.core.requests import sent, user_of
from timeline_app.web.core.scopes import needs
from timeline_app.web.core.views import ApiView
from timeline_app.web.models.people import Role
from timeline_app.web.models.tokens import Scope
from timeline_app.web.people.api import CountsSerializer
from timeline_app.web.people.selectors import team_documents, team_named, teams
from timeline_app.web.people.services import team_change, team_create, team_delete

NAME = RegexValidator(
    r"^[\w.@+-]+( [\w.@+-]+)*\Z", "A team's name has letters, digits, single spaces and @ . + - _ only."
)


class NewTeamSerializer(serializers.Serializer[Any]):
    """A team to make."""

    name = serializers.CharField(max_length=150, validators=[NAME])
    members = serializers.ListField(
        child=serializers.CharField(max_length=150), max_length=1000, required=False
    )


class TeamChangeSerializer(ReasonSerializer):
    """What of a team is to be otherwise; what is left out stays."""

    name = serializers.CharField(max_length=150, required=False, validators=[NAME])
    members = serializers.ListField(
        child=serializers.CharField(max_length=150), max_length=1000, required=False
    )


class TeamSerializer(serializers.Serializer[Any]):
    """A team: what belongs to it belongs to each of its members."""

    name = serializers.CharField()
    members = serializers.ListField(child=serializers.CharField())
    owns = CountsSerializer()


def members_named(names: list[str]) -> list[User]:
    """The persons of these names, or a refusal that says who is not there."""
    found = {one.get_username(): one for one in User.objects.filter(username__in=names)}
    for name in names:
        if name not in found:
            words = f"Nobody here is called {name[:150]!r}."
            raise Invalid.field("members", words, "Make the person first.", code="unknown_person")
    return list(found.values())


def told(team: Group) -> dict[str, Any]:
    """A team as it is now; raises `Missing`."""
    found = team_documents(teams().filter(pk=team.pk))
    if not found:
        raise Missing.team(team.name)
    return found[0]


class TeamsView(ApiView):
    """All teams."""

    scopes = needs(POST=Scope.ADMIN)
    refusals = ("400", "403", "409")
    pagination_class = by("name", "pk")

    @extend_schema(
        parameters=[OpenApiParameter("search", str, description="only those whose names contain this")],
        responses=TeamSerializer(many=True),
        operation_id="teams_list",
    )
    def get(self, request: Request) -> Response:
        """Every team with its members, by name."""
        found = teams(query_parameters.text(request, "search") or "")
        return paged(self, request, found, team_documents)

    @extend_schema(request=NewTeamSerializer, responses={201: TeamSerializer})
    def post(self, request: Request) -> Response:
        """Make a team. For administrators."""
        user, body = user_of(request), sent(NewTeamSerializer, request)
        require_role(user, Role.ADMIN, "To make a team")
        made = team_create(user=user, name=body["name"], members=members_named(body.get("members", [])))
        return Response(told(made), status=status.HTTP_201_CREATED)


class TeamView(ApiView):
    """One team."""

    scopes = needs(PUT=Scope.ADMIN, DELETE=Scope.ADMIN)
    refusals = ("400", "403", "409")

    @extend_schema(responses=TeamSerializer)
    def get(self, request: Request, name: str) -> Response:  # noqa: ARG002
        """A team and its members."""
        return Response(told(team_named(name)))

    @extend_schema(request=TeamChangeSerializer, responses=TeamSerializer)
    def put(self, request: Request, name: str) -> Response:
        """Call it otherwise, or put others into it. For administrators."""
        user, team = user_of(request), team_named(name)
        require_role(user, Role.ADMIN, "To change a team")
        with because(request, TeamChangeSerializer) as body:
            members = members_named(body["members"]) if "members" in body else None
            changed = team_change(team=team, user=user, name=body.get("name"), members=members)
        return Response(told(changed))

    @extend_schema(request=ReasonSerializer, responses={204: None})
    def delete(self, request: Request, name: str) -> Response:
        """Forget a team that owns nothing. For administrators."""
        with because(request):
            team_delete(team=team_named(name), user=user_of(request))
        return Response(status=status.HTTP_204_NO_CONTENT)
