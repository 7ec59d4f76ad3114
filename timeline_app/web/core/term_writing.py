"""Search terms of documents; call these in the transaction that writes the document."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from timeline_app.web.models import Dashboard, Node, Plan, document_terms
from timeline_app.web.models.terms import DashboardTerm, NodeTerm, PlanTerm


def write_plan_terms(plan: Plan) -> None:
    """Write the terms of the draft and of the running document."""
    terms = [
        *document_terms.collect_plan_terms(plan.document),
        *document_terms.collect_plan_terms(plan.running_document),
    ]
    _keep(PlanTerm, plan.pk, plan.terms.values_list("kind", "value"), terms)


def write_dashboard_terms(dashboard: Dashboard) -> None:
    """Write the terms of all charts."""
    terms = document_terms.collect_dashboard_terms(dashboard.document)
    _keep(DashboardTerm, dashboard.pk, dashboard.terms.values_list("kind", "value"), terms)


def write_node_terms(node: Node) -> None:
    """Write the terms of a node's program."""
    terms = document_terms.collect_node_terms(node.program, node.digest)
    _keep(NodeTerm, node.pk, node.terms.values_list("kind", "value"), terms)


def _keep(
    model: type[Any],
    thing: int,
    before: Iterable[tuple[str, str]],
    terms: Iterable[tuple[str, Any]],
) -> None:
    """Store exactly these terms, without rewriting rows that exist."""
    searchable = document_terms.select_searchable(terms)
    terms_before = set(before)
    for kind in {kind for kind, _ in terms_before - searchable}:
        removed = [value for item, value in terms_before - searchable if item == kind]
        model._default_manager.filter(thing=thing, kind=kind, value__in=removed).delete()
    model._default_manager.bulk_create(
        model(thing_id=thing, kind=kind, value=value) for kind, value in sorted(searchable - terms_before)
    )
