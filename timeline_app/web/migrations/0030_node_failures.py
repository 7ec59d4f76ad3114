"""Nodes that were given up by themselves, batches that are published in slices, losses of the Spark server."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("web", "0029_sink_has_owner"),
    ]

    operations = [
        migrations.AddField(
            model_name="node",
            name="failure",
            field=models.TextField(
                blank=True,
                default="",
                help_text="why it was given up, though its query goes on; empty: it was not",
            ),
        ),
        migrations.AddField(
            model_name="node",
            name="skipped_from",
            field=models.BigIntegerField(
                help_text="first batch of its feed that was not published for it; null: all were", null=True
            ),
        ),
        migrations.AddField(
            model_name="query",
            name="server_losses",
            field=models.PositiveIntegerField(
                default=0,
                help_text="how often the Spark server was lost while it was at work; 0 again when healthy",
            ),
        ),
        migrations.AddField(
            model_name="query",
            name="slice_known_at",
            field=models.BigIntegerField(
                help_text="when that batch becomes known, microseconds; readers see it with its last slice",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="query",
            name="slice_rows",
            field=models.BigIntegerField(
                default=0,
                help_text="rows of the next batch that the revision log holds: a large one is written in slices",
            ),
        ),
    ]
