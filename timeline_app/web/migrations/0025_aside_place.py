"""Where in its source a line lay that is kept aside, and whether it was left out alone."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("web", "0024_plan_lent")]

    operations = [
        migrations.AddField(
            model_name="aside",
            name="place",
            field=models.CharField(
                default="", help_text="where it lay in the stream's source", max_length=500
            ),
        ),
        migrations.AddField(
            model_name="aside",
            name="alone",
            field=models.BooleanField(
                default=False, help_text="whether the rest of what came with it was taken"
            ),
        ),
    ]
