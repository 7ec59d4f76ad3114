"""Tokens with scopes, of which only the hash is kept. The old ones were kept as they were, and end with this."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

import timeline_app.web.models.fields


def end_old_tokens(_apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
    """Drop their table, and that it was ever made: an older version would make it anew."""
    connection = editor.connection
    if "authtoken_token" in connection.introspection.table_names():
        editor.execute("DROP TABLE authtoken_token")
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app = 'authtoken'")


class Migration(migrations.Migration):
    dependencies = [
        ("web", "0012_heartbeat"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="ApiToken",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("token_key", models.CharField(db_index=True, max_length=25)),
                ("created", models.DateTimeField(auto_now_add=True)),
                ("expiry", models.DateTimeField(blank=True, null=True)),
                ("digest", models.CharField(max_length=128, unique=True)),
                ("name", models.CharField(max_length=100)),
                ("scopes", timeline_app.web.models.fields.JsonText(default=list)),
                ("last_used_at", models.DateTimeField(blank=True, help_text="to the minute", null=True)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="auth_token_set",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={"verbose_name": "token", "ordering": ["-created", "-pk"]},
        ),
        migrations.RunPython(end_old_tokens, migrations.RunPython.noop),
    ]
