"""Signals: new users get a role, and open pages check their rights when those may have changed."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_out
from django.db.models.signals import m2m_changed, post_delete, post_save
from django.dispatch import receiver

from timeline_app.web.core import notifications
from timeline_app.web.models import Plan
from timeline_app.web.models.people import Member, Role
from timeline_app.web.models.tokens import ApiToken
from timeline_app.web.workspace.ended_rights import end_lost_rights


@receiver(post_save, sender=User)
def give_role(sender: type[User], instance: User, created: bool, raw: bool = False, **_rest: Any) -> None:  # noqa: ARG001
    """Make a new user an editor; derive the role of a user made for the admin pages from its flags."""
    if created and not raw:
        role = Role.ADMIN if instance.is_superuser else Role.OPERATOR if instance.is_staff else Role.EDITOR
        Member.objects.get_or_create(user=instance, defaults={"role": role})


def recheck_pages(sender: Any, **_rest: Any) -> None:  # noqa: ARG001
    """Let every open page check its rights after a logout or a deletion."""
    notifications.notify_access_change()


def end_rights(sender: Any, action: str, **_rest: Any) -> None:  # noqa: ARG001
    """End rights after somebody joined or left a team."""
    if action.startswith("post_"):
        end_lost_rights()


def connect() -> None:
    """Connect the signals, which also fire for changes by admin pages and libraries."""
    user_logged_out.connect(recheck_pages, dispatch_uid="sockets after a logout")
    for model in (User, Plan, ApiToken):
        post_delete.connect(recheck_pages, sender=model, dispatch_uid=f"sockets after {model.__name__}")
    m2m_changed.connect(end_rights, sender=User.groups.through, dispatch_uid="rights after a change of teams")
    m2m_changed.connect(
        recheck_pages, sender=User.groups.through, dispatch_uid="sockets after a change of teams"
    )


connect()
