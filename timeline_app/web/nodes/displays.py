"""Display options of nodes: those of their plan, else those of the stream's field that they show."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from timeline_app.plan.fields import find_fields
from timeline_app.web.models import Plan, Stream

Display = dict[str, Any]
DisplayKey = tuple[int, str]


def select_displays(pairs: Iterable[tuple[Plan, str]]) -> dict[DisplayKey, Display]:
    """Return display options by plan and node name; {} where nobody has chosen any."""
    pairs_list = list(pairs)
    fields = {plan.pk: find_fields(plan.running_document or plan.document) for plan, _ in pairs_list}
    names = {stream for result in fields.values() for stream, _ in result.values()}
    streams = dict(Stream.objects.filter(name__in=names).values_list("name", "display"))
    result: dict[DisplayKey, Display] = {}
    for plan, node in pairs_list:
        stream, field = fields[plan.pk].get(node, ("", ""))
        result[plan.pk, node] = plan.display.get(node) or streams.get(stream, {}).get(field) or {}
    return result


def select_node_display(users: Iterable[Display]) -> Display:
    """Return the display options of a node, from the first visible plan that uses it."""
    first = next(((user["plan"], user["name"]) for user in users if user["plan"] and user["name"]), None)
    if first is None:
        return {}
    plan = Plan.objects.get(pk=first[0])
    return select_displays([(plan, first[1])])[first]
