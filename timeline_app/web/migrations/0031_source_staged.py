"""Refused messages of a source that wait for the events of their portion."""

from __future__ import annotations

from django.db import migrations

import timeline_app.web.models.fields


class Migration(migrations.Migration):
    dependencies = [("web", "0030_node_failures")]

    operations = [
        migrations.AddField(
            model_name="streamsource",
            name="staged",
            field=timeline_app.web.models.fields.JsonText(
                default=dict, help_text="refused messages that count once the events beside them have landed"
            ),
        ),
    ]
