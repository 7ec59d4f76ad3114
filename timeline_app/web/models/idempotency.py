"""Stored responses to requests with an idempotency key."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from timeline_app.web.models.fields import JsonText


class KeptAnswer(models.Model):
    """The first response to a user's key; written in the transaction of the request."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    key = models.CharField(max_length=64, help_text="a hash of the key")
    request = models.CharField(max_length=64, help_text="a hash of address and body")
    status = models.PositiveSmallIntegerField(null=True)
    body = JsonText(null=True)
    created_at = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "key"], name="one_answer_a_key")]

    def __str__(self) -> str:
        return f"{self.status} to {self.key[:12]}"
