"""The history of plans and dashboards: replaced drafts, and versions."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from timeline_app.web.models.fields import JsonText, make_size_field


class PlanDraft(models.Model):
    """A replaced draft, to which changes based on it are compared. Only the newest are kept."""

    plan = models.ForeignKey("web.Plan", on_delete=models.CASCADE, related_name="drafts", db_index=False)
    version = models.PositiveIntegerField()
    document = JsonText()
    edit = models.CharField(
        max_length=40, default="", help_text="the page's own name of the save that made it"
    )
    size = make_size_field("document")

    class Meta:
        indexes = [models.Index(fields=["plan", "size"], name="plan_draft_size")]
        constraints = [models.UniqueConstraint(fields=["plan", "version"], name="plan_draft_once")]

    def __str__(self) -> str:
        return f"draft {self.version} of plan {self.plan_id}"


class PlanVersion(models.Model):
    """A plan as it was run, or as somebody kept it; only its name ever changes."""

    class Reason(models.TextChoices):
        RUN = "run"
        HAND = "hand"
        RESTORE = "restore"

    plan = models.ForeignKey("web.Plan", on_delete=models.CASCADE, related_name="versions", db_index=False)
    number = models.PositiveIntegerField(help_text="of the plan: 1, 2, 3 …")
    name = models.CharField(max_length=200, default="", blank=True)
    reason = models.CharField(max_length=10, choices=Reason)
    words = models.TextField(help_text="what changed since the version before, in a sentence")
    document = JsonText()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)
    size = make_size_field("document")

    class Meta:
        indexes = [models.Index(fields=["plan", "size"], name="plan_version_size")]
        ordering = ["-number"]
        constraints = [models.UniqueConstraint(fields=["plan", "number"], name="plan_version_once")]

    def __str__(self) -> str:
        return self.name or f"Version {self.number}"


class DashboardVersion(models.Model):
    """A saved state of a dashboard, so that links to it show the same for ever."""

    dashboard = models.ForeignKey("web.Dashboard", on_delete=models.CASCADE, related_name="versions")
    version = models.PositiveIntegerField()
    name = models.CharField(max_length=200)
    document = JsonText()
    saved_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    saved_at = models.DateTimeField(auto_now_add=True)
    size = make_size_field("document")

    class Meta:
        indexes = [models.Index(fields=["dashboard", "size"], name="dashboard_version_size")]
        ordering = ["-version"]
        constraints = [
            models.UniqueConstraint(fields=["dashboard", "version"], name="dashboard_version_once")
        ]

    def __str__(self) -> str:
        return f"{self.name} version {self.version}"
