"""Every sink has one owner. A migration of its own: PostgreSQL alters no table whose rows were just written."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("web", "0028_sink_owner")]

    operations = [
        migrations.RemoveField(model_name="nodesink", name="added_by"),
        migrations.AddConstraint(
            model_name="nodesink",
            constraint=models.CheckConstraint(
                condition=models.Q(("owner__isnull", False), ("team__isnull", True))
                | models.Q(("owner__isnull", True), ("team__isnull", False)),
                name="nodesink_has_one_owner",
            ),
        ),
    ]
