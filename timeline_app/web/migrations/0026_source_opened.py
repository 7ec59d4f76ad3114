"""Whether a source was ever read, so that what the one before it held back is let go where it cannot be."""

from __future__ import annotations

from django.db import migrations, models

OPENED = "it was read from where it reads now; until then the one before may hold back"


class Migration(migrations.Migration):
    dependencies = [("web", "0025_aside_place")]

    operations = [
        migrations.AddField(
            model_name="streamsource",
            name="opened",
            field=models.BooleanField(default=True, help_text=OPENED),  # of those that are there already
        ),
        migrations.AlterField(
            model_name="streamsource",
            name="opened",
            field=models.BooleanField(default=False, help_text=OPENED),
        ),
    ]
