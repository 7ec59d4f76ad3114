"""Public links to dashboards: whoever has one sees the dashboard without a login."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone

from timeline_app.web.models.fields import JsonText


class PublicLink(models.Model):
    """A link to a dashboard. It shows what the person who made it may read, and only the hash of it is stored."""

    dashboard = models.ForeignKey("web.Dashboard", on_delete=models.CASCADE, related_name="public_links")
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="public_links"
    )
    name = models.CharField(max_length=100)
    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of its secret, in hexadecimal")
    approved = JsonText(
        default=list, help_text="[plan, node] of the charts that this person had on the dashboard"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True, help_text="to the minute")

    class Meta:
        ordering = ["-created_at", "-pk"]
        verbose_name = "public link"

    def __str__(self) -> str:
        return self.name

    @property
    def expired(self) -> bool:
        """Return whether the link has expired."""
        return self.expires_at is not None and self.expires_at <= timezone.now()
