"""What ends with a right; samples of before count as recorded from their streams."""

from __future__ import annotations

from django.db import migrations, models

import timeline_app.web.models.fields


class Migration(migrations.Migration):
    dependencies = [("web", "0031_source_staged")]

    operations = [
        migrations.AddField(
            model_name="plan",
            name="opened",
            field=timeline_app.web.models.fields.JsonText(
                blank=True,
                default=dict,
                help_text="by stream that its owner might not look at when run, the number of who ran it",
            ),
        ),
        migrations.AddField(
            model_name="plan",
            name="ended",
            field=models.CharField(
                blank=True,
                default="",
                help_text="why the system stopped it; empty once it runs again",
                max_length=500,
            ),
        ),
        migrations.AddField(
            model_name="samplepart",
            name="recorded",
            field=models.BooleanField(
                default=True,
                help_text="from the stream itself: who may not look at that may not look at these",
            ),
        ),
    ]
