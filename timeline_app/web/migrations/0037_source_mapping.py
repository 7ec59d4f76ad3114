"""A source keeps how the fields of its events are mapped."""

from django.db import migrations

import timeline_app.web.models.fields


class Migration(migrations.Migration):
    dependencies = [
        ("web", "0036_quarantined_requests"),
    ]

    operations = [
        migrations.AddField(
            model_name="streamsource",
            name="mapping",
            field=timeline_app.web.models.fields.JsonText(
                default=list, help_text="how the fields of its events are renamed, cast and added"
            ),
        ),
    ]
