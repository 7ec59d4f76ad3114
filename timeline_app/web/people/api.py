"""People: everybody may search them by name; administrators create, change and delete them."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import Group, User
from django.contrib.auth.validators import UnicodeUsernameValidator
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from timeline_app.web.core import query_parameters
from timeline_app.web.core.audit_reasons import ReasonSerializer, read_reason
from timeline_app.web.core.errors import Invalid, describe_problem
from timeline_app.web.core.paging import make_paginator, paginate
from timeline_app.web.core.permissions import require_role
from timeline_app.web.core.requests import get_user, validate_body
from timeline_app.web.core.schema import ROLES
from timeline_app.web.core.scopes import LOGIN, require_scopes
from timeline_app.web.core.sharing import delete_person
from timeline_app.web.core.views import ApiView
from timeline_app.web.models.people import Role
from timeline_app.web.models.tokens import Scope
from timeline_app.web.people.passwords import OwnPasswordForm, set_password
from timeline_app.web.people.selectors import describe_people, get_person, select_people
from timeline_app.web.people.services import change_person, create_person, reset_password
from timeline_app.web.people.token_services import count_tokens
from timeline_app.web.workspace.transfer_api import HolderSerializer, get_named_holder

ADMINS = "null: for administrators only"


class CountsSerializer(serializers.Serializer[Any]):
    """How many resources of each kind somebody owns."""

    plan = serializers.IntegerField()
    node = serializers.IntegerField()
    stream = serializers.IntegerField()
    dashboard = serializers.IntegerField()
    sample = serializers.IntegerField()
    sink = serializers.IntegerField(required=False, help_text="left out where there is none")


class PersonSerializer(serializers.Serializer[Any]):
    """A person: the name for everybody, the rest for administrators and the person."""

    name = serializers.CharField()
    role = serializers.ChoiceField(ROLES, allow_null=True, help_text=ADMINS)
    active = serializers.BooleanField(allow_null=True, help_text=f"can log in; {ADMINS}")
    must_change = serializers.BooleanField(
        allow_null=True, help_text=f"has a password for one login only; {ADMINS}"
    )
    teams = serializers.ListField(child=serializers.CharField(), allow_null=True, help_text=ADMINS)
    owns = CountsSerializer(allow_null=True, help_text=ADMINS)
    last_login = serializers.DateTimeField(allow_null=True)
    joined = serializers.DateTimeField(allow_null=True, help_text=ADMINS)


class NewPersonSerializer(serializers.Serializer[Any]):
    """A person to create."""

    name = serializers.CharField(max_length=150, validators=[UnicodeUsernameValidator()])
    role = serializers.ChoiceField(ROLES, default=Role.EDITOR.value)
    teams = serializers.ListField(child=serializers.CharField(max_length=150), max_length=100, required=False)


class MadePersonSerializer(PersonSerializer):
    """A new person."""

    password = serializers.CharField(
        help_text="for the first login, at which another one is chosen; it is shown here and never again"
    )


class PersonChangeSerializer(ReasonSerializer):
    """Changes of a person; fields that are left out stay."""

    role = serializers.ChoiceField(ROLES, required=False)
    active = serializers.BooleanField(required=False, help_text="can log in")
    teams = serializers.ListField(child=serializers.CharField(max_length=150), max_length=100, required=False)


class PersonEndSerializer(ReasonSerializer):
    """The new owner of everything the person owns; required if the person owns anything."""

    to = HolderSerializer(required=False)


class OneTimePasswordSerializer(serializers.Serializer[Any]):
    """A password for one login."""

    password = serializers.CharField(help_text="shown here and never again; it is changed at the next login")
    tokens_ended = serializers.IntegerField(help_text="how many tokens of the person ended with the old one")


class TokensKeptSerializer(serializers.Serializer[Any]):
    """Whether tokens survive the change of the password."""

    keep_tokens = serializers.BooleanField(
        default=False, help_text="without it, they end with the old password"
    )


class ChangedPasswordSerializer(serializers.Serializer[Any]):
    """The tokens after a change of the password."""

    tokens_ended = serializers.IntegerField()
    tokens_kept = serializers.IntegerField()


class PasswordSerializer(TokensKeptSerializer):
    """The old and the new password."""

    old = serializers.CharField(max_length=4096, trim_whitespace=False)
    new = serializers.CharField(max_length=4096, trim_whitespace=False)


def describe_current_person(person: User, user: User) -> dict[str, Any]:
    """Return a person's current state."""
    return describe_people([get_person(person.get_username())], user)[0]


def get_teams(names: list[str]) -> list[Group]:
    """Return the teams of these names; refuse unknown names."""
    groups_by_name = {group.name: group for group in Group.objects.filter(name__in=names)}
    for name in names:
        if name not in groups_by_name:
            raise Invalid.field(
                "teams", f"There is no team {name[:150]!r}.", "Make it first.", code="unknown_team"
            )
    return list(groups_by_name.values())


class PeopleView(ApiView):
    """All people."""

    scopes = require_scopes(POST=Scope.ADMIN)
    refusals = ("400", "403", "409")
    keyed = False  # a stored response would store the password
    pagination_class = make_paginator("username", "pk")

    @extend_schema(
        parameters=[OpenApiParameter("search", str, description="only those whose names contain this")],
        responses=PersonSerializer(many=True),
        operation_id="people_list",
    )
    def get(self, request: Request) -> Response:
        """List people by name, to share with or transfer to. Administrators see deactivated people and more details."""
        user = get_user(request)
        people = select_people(user, query_parameters.parse_text(request, "search") or "")
        return paginate(self, request, people, lambda rows: describe_people(rows, user))

    @extend_schema(request=NewPersonSerializer, responses={201: MadePersonSerializer})
    def post(self, request: Request) -> Response:
        """Create a person, with a password for the first login. For administrators."""
        user, body = get_user(request), validate_body(NewPersonSerializer, request)
        person, password = create_person(
            user=user, name=body["name"], role=Role(body["role"]), teams=get_teams(body.get("teams", []))
        )
        return Response(
            describe_current_person(person, user) | {"password": password}, status=status.HTTP_201_CREATED
        )


class PersonView(ApiView):
    """One person."""

    scopes = require_scopes(PUT=Scope.ADMIN, DELETE=Scope.ADMIN)
    refusals = ("400", "403", "409")

    @extend_schema(responses=PersonSerializer)
    def get(self, request: Request, name: str) -> Response:
        """Return a person. Only administrators and the person see more than the name."""
        return Response(describe_current_person(get_person(name), get_user(request)))

    @extend_schema(request=PersonChangeSerializer, responses=PersonSerializer)
    def put(self, request: Request, name: str) -> Response:
        """Change the role, the teams, or whether the person can log in. For administrators."""
        user, person = get_user(request), get_person(name)
        require_role(user, Role.ADMIN, "To change a person")
        with read_reason(request, PersonChangeSerializer) as body:
            chosen = get_teams(body["teams"]) if "teams" in body else None
            role = Role(body["role"]) if "role" in body else None
            change_person(person=person, user=user, role=role, active=body.get("active"), teams=chosen)
        return Response(describe_current_person(person, user))

    @extend_schema(request=PersonEndSerializer, responses={204: None})
    def delete(self, request: Request, name: str) -> Response:
        """Delete a person who owns nothing, or whose resources are transferred at once. For administrators."""
        user, person = get_user(request), get_person(name)
        require_role(user, Role.ADMIN, "To delete a person")
        with read_reason(request, PersonEndSerializer) as body:
            to = get_named_holder(body["to"], "to") if "to" in body else None
            delete_person(person=person, user=user, to=to)
        return Response(status=status.HTTP_204_NO_CONTENT)


class PersonPasswordView(ApiView):
    """A forgotten password."""

    scopes = require_scopes(POST=Scope.ADMIN)
    refusals = ("403", "409")
    keyed = False  # a stored response would store the password

    @extend_schema(request=TokensKeptSerializer, responses=OneTimePasswordSerializer)
    def post(self, request: Request, name: str) -> Response:
        """Create a one-time password for somebody else, who is logged out everywhere. For administrators.

        The person's tokens end, unless `keep_tokens` is true.
        """
        user, person = get_user(request), get_person(name)
        require_role(user, Role.ADMIN, "To make a new password for somebody")
        keep = validate_body(TokensKeptSerializer, request)["keep_tokens"]
        password, ended = reset_password(person=person, user=user, keep_tokens=keep)
        return Response({"password": password, "tokens_ended": ended})


class MyPasswordView(ApiView):
    """The password of the caller."""

    scopes = require_scopes(POST=LOGIN)
    refusals = ("403",)
    keyed = False  # a stored hash of the body would allow a dictionary attack

    @extend_schema(request=PasswordSerializer, responses={200: ChangedPasswordSerializer, 204: None})
    def post(self, request: Request) -> Response:
        """Change your password. You stay logged in here, and are logged out everywhere else.

        Your tokens end, unless `keep_tokens` is true. Without tokens the answer is 204.
        """
        user, body = get_user(request), validate_body(PasswordSerializer, request)
        new = body["new"]
        form_data = {"old_password": body["old"], "new_password1": new, "new_password2": new}
        form = OwnPasswordForm(user, form_data, request=request._request)
        if not form.is_valid():
            raise refuse_password_form(form)
        ended = set_password(request._request, user, new, keep_tokens=body["keep_tokens"])
        if tokens_kept := count_tokens(user) or ended:
            return Response({"tokens_ended": ended, "tokens_kept": 0 if ended else tokens_kept})
        return Response(status=status.HTTP_204_NO_CONTENT)


def refuse_password_form(form: OwnPasswordForm) -> Invalid:
    """Return the refusal of a password change, with all its problems."""
    fields = {"old_password": "old", "new_password1": "new", "new_password2": "new"}  # nosec B105
    problems = [
        describe_problem(str(message), code="invalid", field=fields.get(name, "new"))
        for name, error in form.errors.items()
        for message in error
    ]
    return Invalid(" ".join(problem["message"] for problem in problems), problems=problems)
