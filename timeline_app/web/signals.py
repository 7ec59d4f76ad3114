"""Everybody who can log in has a role."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.db.models.signals import post_save
from django.dispatch import receiver

from timeline_app.web.people_models import Member, Role


@receiver(post_save, sender=User)
def give_role(sender: type[User], instance: User, created: bool, raw: bool = False, **_rest: Any) -> None:  # noqa: ARG001
    """A new person is an editor; whoever is made for the admin pages is what these let in."""
    if created and not raw:
        role = Role.ADMIN if instance.is_superuser else Role.OPERATOR if instance.is_staff else Role.EDITOR
        Member.objects.get_or_create(user=instance, defaults={"role": role})
