"""Ownership moves from one user to another."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.db.models import QuerySet


def transfer(*, things: QuerySet[Any], to: User) -> int:
    """Give plans, nodes or streams to another owner; how many there were."""
    chosen = list(things.values_list("pk", flat=True))
    moved: int = things.model._default_manager.filter(pk__in=chosen).update(owner=to)
    return moved
