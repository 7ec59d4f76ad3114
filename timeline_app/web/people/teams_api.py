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
from timeline_app.web.core.audit_reasons import ReasonSerializer, with_reason
from timeline_app.web.core.errors import Invalid, Missing
from timeline_app.web.core.paging import by, paginate
from timeline_app.web.core.permissions import require_role
from timeline_app.web.core.requests import user_of, validated_body
from timeline_app.web.core.scopes import require_scopes
from timeline_app.web.core.views import ApiView
from timeline_app.web.models.people import Role
from timeline_app.web.models.tokens import Scope
from timeline_app.web.people.api import CountsSerializer
from timeline_app.web.people.selectors import get_team, team_documents, teams
from timeline_app.web.people.services import change_team, create_team, delete_team

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

    scopes = require_scopes(POST=Scope.ADMIN)
    refusals = ("400", "403", "409")
    pagination_class = by("name", "pk")

    @extend_schema(
        parameters=[OpenApiParameter("search", str, description="only those whose names contain this")],
        responses=TeamSerializer(many=True),
        operation_id="teams_list",
    )
    def get(self, request: Request) -> Response:
        """Every team with its members, by name."""
        found = teams(query_parameters.parse_text(request, "search") or "")
        return paginate(self, request, found, team_documents)

    @extend_schema(request=NewTeamSerializer, responses={201: TeamSerializer})
    def post(self, request: Request) -> Response:
        """Make a team. For administrators."""
        user, body = user_of(request), validated_body(NewTeamSerializer, request)
        require_role(user, Role.ADMIN, "To make a team")
        made = create_team(user=user, name=body["name"], members=members_named(body.get("members", [])))
        return Response(told(made), status=status.HTTP_201_CREATED)


class TeamView(ApiView):
    """One team."""

    scopes = require_scopes(PUT=Scope.ADMIN, DELETE=Scope.ADMIN)
    refusals = ("400", "403", "409")

    @extend_schema(responses=TeamSerializer)
    def get(self, request: Request, name: str) -> Response:  # noqa: ARG002
        """A team and its members."""
        return Response(told(get_team(name)))

    @extend_schema(request=TeamChangeSerializer, responses=TeamSerializer)
    def put(self, request: Request, name: str) -> Response:
        """Call it otherwise, or put others into it. For administrators."""
        user, team = user_of(request), get_team(name)
        require_role(user, Role.ADMIN, "To change a team")
        with with_reason(request, TeamChangeSerializer) as body:
            members = members_named(body["members"]) if "members" in body else None
            changed = change_team(team=team, user=user, name=body.get("name"), members=members)
        return Response(told(changed))

    @extend_schema(request=ReasonSerializer, responses={204: None})
    def delete(self, request: Request, name: str) -> Response:
        """Forget a team that owns nothing. For administrators."""
        with with_reason(request):
            delete_team(team=get_team(name), user=user_of(request))
        return Response(status=status.HTTP_204_NO_CONTENT)
