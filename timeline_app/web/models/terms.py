"""Search terms of documents, so that a search need not read every document."""

from __future__ import annotations

from django.db import models

from timeline_app.web.models.document_terms import MAX_TERM_CHARS
from timeline_app.web.models.fields import BytewiseChars


class Term(models.Model):
    """An operator, a stream, a plan or a node that a document mentions."""

    class Kind(models.TextChoices):
        OPERATOR = "op"
        STREAM = "stream"
        PLAN = "plan"
        NODE = "node"

    kind = models.CharField(max_length=10, choices=Kind)
    value = BytewiseChars(max_length=MAX_TERM_CHARS, help_text="a name; of a plan, its number")

    class Meta:
        abstract = True
        constraints = [
            models.UniqueConstraint(fields=["thing", "kind", "value"], name="%(class)s_once"),
        ]
        indexes = [models.Index(fields=["kind", "value", "thing"], name="%(class)s_by_value")]

    def __str__(self) -> str:
        return f"{self.kind}:{self.value}"


class PlanTerm(Term):
    """A term of a plan's draft or running document."""

    thing = models.ForeignKey("web.Plan", on_delete=models.CASCADE, related_name="terms", db_index=False)


class NodeTerm(Term):
    """A stream that a node reads directly or indirectly, or the digest of a node below it."""

    thing = models.ForeignKey("web.Node", on_delete=models.CASCADE, related_name="terms", db_index=False)


class DashboardTerm(Term):
    """A plan or node that a dashboard's charts show."""

    thing = models.ForeignKey("web.Dashboard", on_delete=models.CASCADE, related_name="terms", db_index=False)
