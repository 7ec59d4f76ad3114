"""Creating and changing people and teams."""

from __future__ import annotations

import secrets
from collections.abc import Iterable

from django.contrib.auth.models import Group, User
from django.db import transaction

from timeline_app.web.core import audit_writing, notifications
from timeline_app.web.core.errors import Conflict, Invalid, Missing
from timeline_app.web.core.permissions import require_role
from timeline_app.web.core.sharing import lock_person, refuse_last_admin, refuse_owner, set_role
from timeline_app.web.core.transactions import refuse_taken_name, retry_on_deadlock
from timeline_app.web.models.people import Member, Role
from timeline_app.web.people.token_services import count_tokens, end_public_links_of, end_tokens_of
from timeline_app.web.workspace.ended_rights import end_lost_rights

RESERVED_NAMES = ("me",)
"""Names with a special meaning in searches and URLs."""


def create_person(*, user: User, name: str, role: Role, teams: Iterable[Group] = ()) -> tuple[User, str]:
    """Create a person; return the person and a password for the first login, which is never shown again."""
    require_role(user, Role.ADMIN, "To make a person")
    name = User.normalize_username(name)
    refuse_name(name)
    password = generate_one_time_password()
    with transaction.atomic():
        message = f"There is a person called {name} already. Choose another name."
        if User.objects.filter(username__iexact=name).exists():
            raise Conflict(message, code="taken")
        high = role in (Role.OPERATOR, Role.ADMIN)
        with refuse_taken_name(message):
            person = User.objects.create_user(name, is_staff=high, is_superuser=role == Role.ADMIN)
        Member.objects.update_or_create(user=person, defaults={"role": role})
        make_one_time(person, password)
        person.groups.set(teams)
        after = {"role": role.value, "teams": sorted(group.name for group in person.groups.all())}
        audit_writing.note(user=user, act="person.create", thing=person, after=after)
    return User.objects.get(pk=person.pk), password


def reset_password(*, person: User, user: User, keep_tokens: bool = False) -> tuple[str, int]:
    """Set a one-time password for somebody who forgot theirs; return it and how many tokens ended.

    The person's sessions end. The tokens end as well, unless the administrator keeps them.
    """
    require_role(user, Role.ADMIN, "To make a new password for somebody")
    if person.pk == user.pk:
        raise Conflict("Change your own password on its page.", code="yourself")
    password = generate_one_time_password()
    with transaction.atomic():
        make_one_time(lock_person(person), password)
        after, ended = end_or_keep_tokens(person, keep_tokens=keep_tokens)
        audit_writing.note(user=user, act="person.password", thing=person, after={"one_time": True} | after)
        notifications.notify_access_change()
    return password, ended


def change_password(*, user: User, password: str, keep_tokens: bool = False) -> int:
    """Set the own, validated password; return how many tokens ended."""
    with transaction.atomic():
        lock_person(user)
        user.set_password(password)
        user.save(update_fields=["password"])
        Member.objects.filter(user=user).update(must_change=False)
        after, ended = end_or_keep_tokens(user, keep_tokens=keep_tokens)
        audit_writing.note(user=user, act="person.password", thing=user, after=after or None)
    return ended


def end_or_keep_tokens(person: User, *, keep_tokens: bool) -> tuple[dict[str, object], int]:
    """End or keep a person's tokens in a transaction; return details for the audit and how many ended."""
    if keep_tokens:
        tokens_kept = count_tokens(person)
        return ({"tokens_kept": tokens_kept} if tokens_kept else {}), 0
    ended = end_tokens_of(person)
    return ({"tokens_ended": ended} if ended else {}), len(ended)


@retry_on_deadlock
def set_active(*, person: User, user: User, active: bool) -> None:
    """Activate or deactivate a person. A deactivated person keeps all resources, but no token and no public link."""
    require_role(user, Role.ADMIN, "To say who can log in")
    if person.pk == user.pk and not active:
        raise Conflict("Nobody can shut themselves out. Ask another administrator.", code="yourself")
    with transaction.atomic():
        if not active:
            refuse_last_admin(person, user)
        locked = lock_person(person)
        if locked.is_active == active:
            return
        before = {"active": locked.is_active}
        locked.is_active = active
        locked.save(update_fields=["is_active"])
        ended = [] if active else end_tokens_of(locked)
        links = 0 if active else end_public_links_of(locked)
        after: dict[str, object] = {"active": active} | ({"tokens_ended": ended} if ended else {})
        after |= {"public_links_ended": links} if links else {}
        audit_writing.note(user=user, act="person.active", thing=locked, before=before, after=after)
        end_lost_rights()
        notifications.notify_access_change()


@retry_on_deadlock
def set_teams(*, person: User, user: User, teams: Iterable[Group]) -> None:
    """Put a person into exactly these teams."""
    require_role(user, Role.ADMIN, "To say who is in a team")
    with transaction.atomic():
        person = lock_person(person)
        before = sorted(person.groups.values_list("name", flat=True))
        person.groups.set(teams)
        after = sorted(person.groups.values_list("name", flat=True))
        if before != after:
            was, now = {"teams": before}, {"teams": after}
            audit_writing.note(user=user, act="person.teams", thing=person, before=was, after=now)
            end_lost_rights()
            notifications.notify_access_change()


@retry_on_deadlock
def change_person(
    *,
    person: User,
    user: User,
    role: Role | None = None,
    active: bool | None = None,
    teams: Iterable[Group] | None = None,
) -> None:
    """Change role, activity and teams; all of the given values or none."""
    with transaction.atomic():
        if role is not None:
            set_role(person=person, user=user, role=role)
        if active is not None:
            set_active(person=person, user=user, active=active)
        if teams is not None:
            set_teams(person=person, user=user, teams=teams)


def create_team(*, user: User, name: str, members: Iterable[User] = ()) -> Group:
    require_role(user, Role.ADMIN, "To make a team")
    with transaction.atomic():
        refuse_team_name(name)
        with refuse_taken_name(describe_taken_name(name)):
            team = Group.objects.create(name=name)
        team.user_set.set(members)
        audit_writing.note(user=user, act="team.create", thing=team, after=_describe_team(team))
    return team


@retry_on_deadlock
def change_team(*, team: Group, user: User, name: str | None, members: Iterable[User] | None) -> Group:
    """Rename a team, or replace its members."""
    require_role(user, Role.ADMIN, "To change a team")
    with transaction.atomic():
        team = lock_team(team)
        before = _describe_team(team)
        if name is not None and name != team.name:
            refuse_team_name(name, team)
            team.name = name
            with refuse_taken_name(describe_taken_name(name)):
                team.save(update_fields=["name"])
        if members is not None:
            team.user_set.set(members)
        if (after := _describe_team(team)) != before:
            audit_writing.note(user=user, act="team.change", thing=team, before=before, after=after)
            end_lost_rights()
            notifications.notify_access_change()
    return team


@retry_on_deadlock
def delete_team(*, team: Group, user: User) -> None:
    """Delete a team that owns nothing; shares with it end."""
    require_role(user, Role.ADMIN, "To delete a team")
    with transaction.atomic():
        team = lock_team(team)
        refuse_owner(team, f"The team {team.name}")
        audit_writing.note(user=user, act="team.delete", thing=team, before=_describe_team(team))
        team.delete()
        end_lost_rights()
        notifications.notify_access_change()


def generate_one_time_password() -> str:
    """Return an unguessable password that can be read out on the telephone."""
    letters = "abcdefghjkmnpqrstuvwxyz23456789"
    return "-".join("".join(secrets.choice(letters) for _ in range(5)) for _ in range(4))


def refuse_name(name: str) -> None:
    """Refuse a name with another meaning in a URL or a search."""
    if name.lower() in RESERVED_NAMES or not name.strip("."):
        raise Invalid.field("name", f"Nobody can be called {name!r}.", "Choose another name.")


def refuse_team_name(name: str, besides: Group | None = None) -> None:
    """Refuse the name of another team, or one that does not fit into a URL."""
    refuse_name(name)
    namesakes = Group.objects.filter(name__iexact=name)
    if (namesakes if besides is None else namesakes.exclude(pk=besides.pk)).exists():
        raise Conflict(describe_taken_name(name), code="taken")


def describe_taken_name(name: str) -> str:
    return f"There is a team called {name} already. Choose another name."


def lock_team(team: Group) -> Group:
    """Return a team, locked until the end of the transaction; raise `Missing`."""
    group = Group.objects.select_for_update().filter(pk=team.pk).first()
    if group is None:
        raise Missing.team(team.name)
    return group


def make_one_time(person: User, password: str) -> None:
    """Set a password that must be changed after the login. Call it in a transaction."""
    person.set_password(password)
    person.save(update_fields=["password"])
    Member.objects.filter(user=person).update(must_change=True)


def _describe_team(team: Group) -> dict[str, object]:
    members = team.user_set.order_by("username").values_list("username", flat=True)
    return {"name": team.name, "members": list(members)}
