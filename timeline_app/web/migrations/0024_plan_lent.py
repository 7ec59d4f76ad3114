"""Which streams a plan's draft reads by the right of those who drew it."""

from __future__ import annotations

from typing import Any

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

import timeline_app.web.models.fields
from timeline_app.plan.reads import fields_read


def remember(apps: Apps, _editor: BaseDatabaseSchemaEditor) -> None:
    """Who saved a draft before is not known of each stream: what was run, what is open, what the owner owns as well."""
    streams = {one.name: one for one in apps.get_model("web", "Stream").objects.all()}
    model = apps.get_model("web", "Plan")
    for plan in model.objects.order_by("pk").iterator():
        runs, found = fields_read(plan.running_document), {}
        for name, fields in sorted(fields_read(plan.document).items()):
            stream = streams.get(name)
            if stream is not None and may(plan, stream):
                found[name] = {"stream": stream.pk, "fields": sorted(fields)}
            elif stream is not None and name in runs:
                found[name] = {"stream": stream.pk, "fields": sorted(fields & runs[name])}
        model.objects.filter(pk=plan.pk).update(lent=found)


def may(plan: Any, stream: Any) -> bool:
    """Whether a stream is open, or belongs to whom the plan belongs."""
    mine = stream.owner_id is not None and stream.owner_id == plan.owner_id
    return bool(stream.open_to_all or mine or (stream.team_id is not None and stream.team_id == plan.team_id))


class Migration(migrations.Migration):
    dependencies = [("web", "0023_watermarks")]

    operations = [
        migrations.AddField(
            model_name="plan",
            name="lent",
            field=timeline_app.web.models.fields.JsonText(
                blank=True,
                default=dict,
                help_text="by stream that the draft reads, its number and the fields that one who may look at it chose",
            ),
        ),
        migrations.RunPython(remember, migrations.RunPython.noop),
    ]
