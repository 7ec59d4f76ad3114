"""The first administrator and forgotten passwords: from the shell, by the operator of the server."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction

from timeline_app.web.core import audit_writing, notifications
from timeline_app.web.nodes.services import decide_alone
from timeline_app.web.people.services import end_or_keep_tokens, generate_one_time_password, make_one_time

ADMINISTRATOR_NAME = "admin"


def create_first_administrator() -> tuple[str, str] | None:
    """Create an administrator if there is none; return the name and a one-time password."""
    with transaction.atomic():
        decide_alone()  # two concurrent starts create one
        if User.objects.filter(is_superuser=True, is_active=True).exists():
            return None
        name = find_unused_name()
        person, password = User.objects.create_superuser(name), generate_one_time_password()
        make_one_time(person, password)
        audit_writing.note(user=None, act="person.create", thing=person, after={"role": "admin"})
    return name, password


def find_unused_name() -> str:
    """Return a name that nobody has, not even a deactivated person."""
    names_used = {name.lower() for name in User.objects.values_list("username", flat=True)}
    return next(
        name
        for number in range(len(names_used) + 1)
        if (name := f"{ADMINISTRATOR_NAME}{number or ''}") not in names_used
    )


def reset_password_from_shell(*, person: User, keep_tokens: bool = False) -> str:
    """Return a one-time password; log the person out and end the person's tokens."""
    password = generate_one_time_password()
    with transaction.atomic():
        make_one_time(User.objects.select_for_update().get(pk=person.pk), password)
        after, _ = end_or_keep_tokens(person, keep_tokens=keep_tokens)
        audit_writing.note(user=None, act="person.password", thing=person, after={"one_time": True} | after)
        notifications.notify_access_change()
    return password
