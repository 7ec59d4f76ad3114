"""Passwords that somebody else made are changed before anything else is done."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    """One more column."""

    dependencies = (("web", "0016_terms"),)
    operations = (
        migrations.AddField(
            model_name="member",
            name="must_change",
            field=models.BooleanField(
                default=False,
                help_text="the password was made by somebody else: it is changed before anything else",
            ),
        ),
    )
