"""Samples keep how their events were read."""

from django.db import migrations

import timeline_app.web.models.fields


class Migration(migrations.Migration):
    dependencies = [
        ("web", "0034_hide_source_addresses"),
    ]

    operations = [
        migrations.AddField(
            model_name="samplepart",
            name="notes",
            field=timeline_app.web.models.fields.JsonText(default=list, help_text="how the file was decoded"),
        ),
        migrations.AddField(
            model_name="samplepart",
            name="warnings",
            field=timeline_app.web.models.fields.JsonText(
                default=list, help_text="what was strange in the events as they were read"
            ),
        ),
        migrations.AlterField(
            model_name="stream",
            name="document",
            field=timeline_app.web.models.fields.JsonText(
                help_text="key, time, until, unit, zone, id, fields, "
                "allowed_lateness, allowed_ahead, retention, idle_after"
            ),
        ),
    ]
