"""Ownership, permissions, and the audit."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth.models import Group, User
from django.db import models
from guardian.models import GroupObjectPermissionBase, UserObjectPermissionBase

from timeline_app.web.models.fields import JsonText


class Role(models.TextChoices):
    """The upper limit of what a person may do; each role includes those before it."""

    VIEWER = "viewer", "viewer: looks"
    EDITOR = "editor", "editor: makes plans, streams and dashboards, and runs their own"
    OPERATOR = "operator", "operator: looks at everything, and runs, stops and restarts it"
    ADMIN = "admin", "admin: may do everything, and says who may do what"


class Theme(models.TextChoices):
    """The theme of a person's page."""

    SYSTEM = "system", "as the system is"
    LIGHT = "light", "light"
    DARK = "dark", "dark"


class Member(models.Model):
    """The role, theme and time zone of a person.

    Everybody who can log in has one (see `timeline_app.web.people.signals`).
    """

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="member")
    role = models.CharField(max_length=10, choices=Role, default=Role.EDITOR)
    must_change = models.BooleanField(
        default=False, help_text="the password was made by somebody else: it is changed before anything else"
    )
    theme = models.CharField(max_length=6, choices=Theme, default=Theme.SYSTEM)
    zone = models.CharField(
        max_length=64, blank=True, default="", help_text="IANA name of a time zone; empty: the browser's"
    )

    def __str__(self) -> str:
        return f"{self.user_id} is {self.role}"


class Owned(models.Model):
    """A resource that always belongs to a person or a team: owners cannot be deleted."""

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="%(class)ss",
        help_text="the person to whom it belongs",
    )
    team = models.ForeignKey(
        Group,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="%(class)ss",
        help_text="or the team: each of its members may do with it what an owner may",
    )

    class Meta:
        abstract = True
        constraints = [
            models.CheckConstraint(
                condition=models.Q(owner__isnull=False, team__isnull=True)
                | models.Q(owner__isnull=True, team__isnull=False),
                name="%(class)s_has_one_owner",
            )
        ]

    @classmethod
    def kind_name(cls) -> str:
        """Return the name of this kind in URLs, responses and the audit."""
        return str(cls._meta.verbose_name)

    @property
    def owner_name(self) -> str:
        """Return the person's or the team's name."""
        holder = self.owner or self.team
        if isinstance(holder, User):
            return holder.get_username()
        return holder.name if holder else ""

    def owner_told(self) -> dict[str, str]:
        """Return the owner in its wire type."""
        return {"owner": self.owner_name, "owner_kind": "team" if self.owner_id is None else "person"}


class Shared(Owned):
    """A resource that can be opened to all or shared (see `timeline_app.web.core.permissions`)."""

    open_to_all = models.BooleanField(
        default=True, help_text="everybody who can log in may look; else only those with whom it is shared"
    )

    class Meta(Owned.Meta):
        abstract = True


class PlanUserPermission(UserObjectPermissionBase):
    """A plan's share with a person."""

    content_object = models.ForeignKey("web.Plan", on_delete=models.CASCADE, related_name="user_permissions")


class PlanTeamPermission(GroupObjectPermissionBase):
    """A plan's share with a team."""

    content_object = models.ForeignKey("web.Plan", on_delete=models.CASCADE, related_name="team_permissions")


class StreamUserPermission(UserObjectPermissionBase):
    """A stream's share with a person."""

    content_object = models.ForeignKey(
        "web.Stream", on_delete=models.CASCADE, related_name="user_permissions"
    )


class StreamTeamPermission(GroupObjectPermissionBase):
    """A stream's share with a team."""

    content_object = models.ForeignKey(
        "web.Stream", on_delete=models.CASCADE, related_name="team_permissions"
    )


class DashboardUserPermission(UserObjectPermissionBase):
    """A dashboard's share with a person."""

    content_object = models.ForeignKey(
        "web.Dashboard", on_delete=models.CASCADE, related_name="user_permissions"
    )


class DashboardTeamPermission(GroupObjectPermissionBase):
    """A dashboard's share with a team."""

    content_object = models.ForeignKey(
        "web.Dashboard", on_delete=models.CASCADE, related_name="team_permissions"
    )


class AuditEntry(models.Model):
    """An act: actor, object, time and source. Entries are never changed or deleted."""

    class Source(models.TextChoices):
        """Where an act comes from."""

        PAGE = "page"
        REST = "rest"
        ADMIN = "admin"
        SHELL = "shell"
        TASK = "task"

    at = models.DateTimeField(auto_now_add=True, db_index=True)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        related_name="acts",
        help_text="null: the system itself",
    )
    actor_name = models.CharField(max_length=150, help_text="as it was then")
    source = models.CharField(max_length=10, choices=Source)
    request = models.CharField(max_length=64, default="", help_text="the id of the request, as in the logs")
    act = models.CharField(max_length=40, db_index=True, help_text="such as plan.run")
    kind = models.CharField(max_length=20, help_text="of the thing: plan, node, stream, …")
    thing = models.BigIntegerField(null=True, help_text="its number")
    name = models.CharField(max_length=200, help_text="its name, as it was then")
    before = JsonText(null=True)
    after = JsonText(null=True)
    reason = models.CharField(max_length=500, default="")

    class Meta:
        ordering = ["-id"]
        verbose_name_plural = "audit entries"
        indexes = [
            models.Index(fields=["kind", "thing", "-id"], name="audit_by_thing"),
            models.Index(fields=["actor", "-id"], name="audit_by_actor"),
            models.Index(fields=["actor_name", "-id"], name="audit_by_actor_name"),
        ]

    def __str__(self) -> str:
        return f"{self.actor_name}: {self.act} {self.name}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Insert the entry; refuse to change it."""
        if not self._state.adding:
            raise TypeError("An audit entry never changes.")
        super().save(*args, **kwargs)

    def delete(self, *_args: Any, **_kwargs: Any) -> tuple[int, dict[str, int]]:
        """Refuse to delete the entry."""
        raise TypeError("An audit entry stays.")
