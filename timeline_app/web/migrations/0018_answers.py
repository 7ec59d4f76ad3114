"""Answers that are given again to a request that is sent again."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import timeline_app.web.models.fields


class Migration(migrations.Migration):
    dependencies = [
        ("web", "0017_must_change"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="KeptAnswer",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.CharField(help_text="a hash of the key", max_length=64)),
                ("request", models.CharField(help_text="a hash of address and body", max_length=64)),
                ("status", models.PositiveSmallIntegerField(null=True)),
                ("body", timeline_app.web.models.fields.JsonText(null=True)),
                ("created_at", models.DateTimeField(auto_now_add=True, db_index=True)),
                (
                    "user",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("user", "key"), name="one_answer_a_key")],
            },
        ),
    ]
