"""What documents speak of, kept beside them for the search."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import django.db.models.deletion
from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

import timeline_app.web.models.fields
from timeline_app.web.models import document_terms


def fill(apps: Apps, _editor: BaseDatabaseSchemaEditor) -> None:
    """Of everything that there is."""

    def keep(name: str, thing: int, found: Iterable[tuple[str, Any]]) -> None:
        model = apps.get_model("web", name)
        rows = [
            model(thing_id=thing, kind=kind, value=value)
            for kind, value in sorted(document_terms.kept(found))
        ]
        model._default_manager.bulk_create(rows)

    for number, draft, runs in apps.get_model("web", "Plan").objects.values_list(
        "pk", "document", "running_document"
    ):
        keep("PlanTerm", number, (*document_terms.of_plan(draft), *document_terms.of_plan(runs)))
    for number, document in apps.get_model("web", "Dashboard").objects.values_list("pk", "document"):
        keep("DashboardTerm", number, document_terms.of_dashboard(document))
    nodes = apps.get_model("web", "Node").objects.values_list("pk", "digest", "program")
    for number, digest, program in nodes:
        keep("NodeTerm", number, document_terms.of_node(program, digest))


class Migration(migrations.Migration):
    dependencies = [
        ("web", "0015_roles"),
    ]

    operations = [
        migrations.CreateModel(
            name="DashboardTerm",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("op", "Operator"),
                            ("stream", "Stream"),
                            ("plan", "Plan"),
                            ("node", "Node"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "value",
                    timeline_app.web.models.fields.BytewiseChars(
                        help_text="a name; of a plan, its number", max_length=200
                    ),
                ),
                (
                    "thing",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="terms",
                        to="web.dashboard",
                    ),
                ),
            ],
            options={
                "abstract": False,
                "indexes": [models.Index(fields=["kind", "value", "thing"], name="dashboardterm_by_value")],
                "constraints": [
                    models.UniqueConstraint(fields=("thing", "kind", "value"), name="dashboardterm_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="NodeTerm",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("op", "Operator"),
                            ("stream", "Stream"),
                            ("plan", "Plan"),
                            ("node", "Node"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "value",
                    timeline_app.web.models.fields.BytewiseChars(
                        help_text="a name; of a plan, its number", max_length=200
                    ),
                ),
                (
                    "thing",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="terms",
                        to="web.node",
                    ),
                ),
            ],
            options={
                "abstract": False,
                "indexes": [models.Index(fields=["kind", "value", "thing"], name="nodeterm_by_value")],
                "constraints": [
                    models.UniqueConstraint(fields=("thing", "kind", "value"), name="nodeterm_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="PlanTerm",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("op", "Operator"),
                            ("stream", "Stream"),
                            ("plan", "Plan"),
                            ("node", "Node"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "value",
                    timeline_app.web.models.fields.BytewiseChars(
                        help_text="a name; of a plan, its number", max_length=200
                    ),
                ),
                (
                    "thing",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="terms",
                        to="web.plan",
                    ),
                ),
            ],
            options={
                "abstract": False,
                "indexes": [models.Index(fields=["kind", "value", "thing"], name="planterm_by_value")],
                "constraints": [
                    models.UniqueConstraint(fields=("thing", "kind", "value"), name="planterm_once")
                ],
            },
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
