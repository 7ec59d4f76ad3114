"""A person chooses how the page looks: light, dark, or as the system is."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("web", "0037_source_mapping"),
    ]

    operations = [
        migrations.AddField(
            model_name="member",
            name="theme",
            field=models.CharField(
                choices=[("system", "as the system is"), ("light", "light"), ("dark", "dark")],
                default="system",
                max_length=6,
            ),
        ),
    ]
