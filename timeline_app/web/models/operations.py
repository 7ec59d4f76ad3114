"""Background processes."""

from __future__ import annotations

from django.db import models

from timeline_app.web.models.fields import JsonText


class Heartbeat(models.Model):
    """When a background process last worked, and what it reported."""

    name = models.CharField(max_length=40, primary_key=True)
    at = models.DateTimeField()
    facts = JsonText(
        default=dict, help_text="of the publisher: seconds behind, feeds that cannot be published"
    )

    def __str__(self) -> str:
        return self.name
