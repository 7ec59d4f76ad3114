"""Nodes of version 0.2 cannot be gone on with: their plans are stopped, and computed anew when they are run."""

from __future__ import annotations

from typing import Any

from django.db import migrations


def begin_anew(apps: Any, _editor: Any) -> None:
    """Where there are such nodes, forget all nodes; plans, streams and landed events stay."""
    model = {
        name: apps.get_model("web", name)
        for name in ("Plan", "PlanNode", "Node", "Query", "Revision", "NodeKey")
    }
    if not model["Node"].objects.filter(program={}).exists():
        return
    model["Plan"].objects.update(running=False, running_document=None)
    for name in ("PlanNode", "Revision", "NodeKey", "Node", "Query"):
        model[name].objects.all().delete()


class Migration(migrations.Migration):
    dependencies = [("web", "0006_moves")]
    operations = [migrations.RunPython(begin_anew, migrations.RunPython.noop)]
