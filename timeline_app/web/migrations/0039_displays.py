"""Colours, labels, thresholds and formats: by field of a stream, by node of a plan."""

from django.db import migrations

import timeline_app.web.models.fields


class Migration(migrations.Migration):
    dependencies = [
        ("web", "0038_theme"),
    ]

    operations = [
        migrations.AddField(
            model_name=name,
            name="display",
            field=timeline_app.web.models.fields.JsonText(default=dict, blank=True, help_text=words),
        )
        for name, words in (
            ("plan", "by node: colours, labels, thresholds and format of its values in this plan"),
            ("stream", "by field: colours, labels, thresholds and format of its values"),
        )
    ]
