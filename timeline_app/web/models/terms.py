"""What documents speak of, kept beside them, so that things are found by it without reading every document."""

from __future__ import annotations

from django.db import models

from timeline_app.web.models.document_terms import LONGEST
from timeline_app.web.models.fields import BytewiseChars


class Term(models.Model):
    """An operator, a stream, a plan or a node that a document speaks of."""

    class Kind(models.TextChoices):
        OPERATOR = "op"
        STREAM = "stream"
        PLAN = "plan"
        NODE = "node"

    kind = models.CharField(max_length=10, choices=Kind)
    value = BytewiseChars(max_length=LONGEST, help_text="a name; of a plan, its number")

    class Meta:
        abstract = True
        constraints = [
            models.UniqueConstraint(fields=["thing", "kind", "value"], name="%(class)s_once"),
        ]
        indexes = [models.Index(fields=["kind", "value", "thing"], name="%(class)s_by_value")]

    def __str__(self) -> str:
        return f"{self.kind}:{self.value}"


class PlanTerm(Term):
    """Of a plan: what its draft and what runs of it are made of."""

    thing = models.ForeignKey("web.Plan", on_delete=models.CASCADE, related_name="terms", db_index=False)


class NodeTerm(Term):
    """Of a node: the streams that it reads, itself or below it, and the digests of the nodes below it."""

    thing = models.ForeignKey("web.Node", on_delete=models.CASCADE, related_name="terms", db_index=False)


class DashboardTerm(Term):
    """Of a dashboard: the plans and nodes that its charts show."""

    thing = models.ForeignKey("web.Dashboard", on_delete=models.CASCADE, related_name="terms", db_index=False)
