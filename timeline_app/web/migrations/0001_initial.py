"""All tables."""

import django.db.models.deletion
import django.db.models.expressions
import django.db.models.functions.comparison
import django.db.models.functions.text
from django.conf import settings
from django.db import migrations, models

import timeline_app.web.models.channels
import timeline_app.web.models.fields
import timeline_app.web.models.sinks
from timeline_app.web.core import audit_guard


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Heartbeat",
            fields=[
                ("name", models.CharField(max_length=40, primary_key=True, serialize=False)),
                ("at", models.DateTimeField()),
                (
                    "facts",
                    timeline_app.web.models.fields.JsonText(
                        default=dict,
                        help_text="of the publisher: seconds behind, feeds that cannot be published",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Lease",
            fields=[
                ("name", models.CharField(max_length=40, primary_key=True, serialize=False)),
                ("holder", models.CharField(default="", max_length=100)),
                ("expires_at", models.DateTimeField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name="Query",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "name",
                    models.CharField(
                        help_text="also the name of the Spark query", max_length=80, unique=True
                    ),
                ),
                (
                    "program",
                    timeline_app.web.models.fields.JsonText(
                        help_text="what it computes: timeline_app.compiler.Program as a document"
                    ),
                ),
                (
                    "taken_over",
                    timeline_app.web.models.fields.JsonText(
                        default=dict,
                        help_text="by digest of a node that came from another query, how far that one read: number by source",
                    ),
                ),
                (
                    "stale",
                    models.BooleanField(
                        default=False,
                        help_text="it runs an older program than this; it is to be started again",
                    ),
                ),
                (
                    "desired",
                    models.CharField(
                        choices=[("running", "Running"), ("stopped", "Stopped")],
                        db_index=True,
                        default="stopped",
                        max_length=10,
                    ),
                ),
                (
                    "observed",
                    models.CharField(
                        choices=[
                            ("stopped", "Stopped"),
                            ("starting", "Starting"),
                            ("running", "Running"),
                            ("retrying", "Retrying"),
                            ("stopping", "Stopping"),
                            ("failed", "Failed"),
                        ],
                        db_index=True,
                        default="stopped",
                        max_length=10,
                    ),
                ),
                ("observed_since", models.DateTimeField(null=True)),
                (
                    "words",
                    models.CharField(
                        default="stopped", help_text="what is going on, for people", max_length=300
                    ),
                ),
                ("error", models.TextField(blank=True, default="")),
                ("spark_query_id", models.CharField(blank=True, default="", max_length=64)),
                ("spark_run_id", models.CharField(blank=True, default="", max_length=64)),
                (
                    "restarts",
                    models.PositiveIntegerField(
                        default=0, help_text="used of the restart budget; given back when healthy"
                    ),
                ),
                ("retry_at", models.DateTimeField(blank=True, null=True)),
                ("healthy_since", models.DateTimeField(blank=True, null=True)),
                ("last_progress_at", models.DateTimeField(blank=True, null=True)),
                (
                    "claimed_until",
                    models.DateTimeField(
                        blank=True,
                        help_text="somebody is starting it; nobody else does before that",
                        null=True,
                    ),
                ),
                (
                    "looked_at",
                    models.DateTimeField(blank=True, help_text="when the supervisor last saw it", null=True),
                ),
                ("events_per_second", models.FloatField(default=0.0, help_text="rows read a second")),
                (
                    "processed_per_second",
                    models.FloatField(default=0.0, help_text="rows a second of the time at work"),
                ),
                ("batch_ms", models.IntegerField(default=0)),
                (
                    "lag",
                    models.BigIntegerField(
                        default=0,
                        help_text="events that wait to be read; of a query that reads nodes, batches of theirs",
                    ),
                ),
                (
                    "backlog",
                    models.BigIntegerField(
                        default=0, help_text="the greatest lag of the catch-up that is going on"
                    ),
                ),
                ("backlog_since", models.DateTimeField(blank=True, null=True)),
                (
                    "buckets",
                    models.PositiveSmallIntegerField(
                        default=0,
                        help_text="into how many parts its state is divided; 0 before its first start",
                    ),
                ),
                (
                    "state_rows",
                    models.BigIntegerField(default=0, help_text="entries (pages) in the state store"),
                ),
                (
                    "state_bytes",
                    models.BigIntegerField(default=0, help_text="the state store, in memory and on disk"),
                ),
                (
                    "offsets",
                    timeline_app.web.models.fields.JsonText(
                        default=dict, help_text="by batch, how far its last ones read: next numbers"
                    ),
                ),
                (
                    "mended",
                    models.TextField(
                        blank=True, default="", help_text="what of its checkpoint was mended, and when"
                    ),
                ),
                (
                    "position",
                    models.BigIntegerField(
                        default=-1, help_text="last batch of the feed that the revision log holds"
                    ),
                ),
                (
                    "slice_rows",
                    models.BigIntegerField(
                        default=0,
                        help_text="rows of the next batch that the revision log holds: a large one is written in slices",
                    ),
                ),
                (
                    "slice_known_at",
                    models.BigIntegerField(
                        help_text="when that batch becomes known, microseconds; readers see it with its last slice",
                        null=True,
                    ),
                ),
                (
                    "server_losses",
                    models.PositiveIntegerField(
                        default=0,
                        help_text="how often the Spark server was lost while it was at work; 0 again when healthy",
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "verbose_name_plural": "queries",
                "ordering": ["name"],
            },
        ),
        migrations.CreateModel(
            name="Stream",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "open_to_all",
                    models.BooleanField(
                        default=True,
                        help_text="everybody who can log in may look; else only those with whom it is shared",
                    ),
                ),
                ("name", timeline_app.web.models.fields.BytewiseChars(max_length=100)),
                (
                    "generation",
                    models.PositiveIntegerField(
                        default=0,
                        help_text="which landing of the name is its own; grows when it is emptied or declared again",
                    ),
                ),
                (
                    "trashed_at",
                    models.DateTimeField(
                        help_text="since when it is in the trash; null: it is not", null=True
                    ),
                ),
                (
                    "trashed_until",
                    models.DateTimeField(help_text="from when on it may be removed for good", null=True),
                ),
                (
                    "purging",
                    models.BooleanField(default=False, help_text="its events are being removed for good"),
                ),
                (
                    "document",
                    timeline_app.web.models.fields.JsonText(
                        help_text="key, time, until, unit, zone, id, fields, encoding, allowed_lateness, allowed_ahead, retention, idle_after"
                    ),
                ),
                ("events", models.BigIntegerField(default=0, help_text="events taken at the door so far")),
                (
                    "last_event_at",
                    models.BigIntegerField(help_text="greatest event time taken, microseconds", null=True),
                ),
                (
                    "seen_fields",
                    timeline_app.web.models.fields.JsonText(
                        default=list, help_text="field names seen, declared or not"
                    ),
                ),
                (
                    "late",
                    models.BigIntegerField(
                        default=0, help_text="events that came behind the allowed lateness"
                    ),
                ),
                (
                    "too_late",
                    models.BigIntegerField(default=0, help_text="events that came older than the retention"),
                ),
                ("refused", models.BigIntegerField(default=0, help_text="lines refused at the door")),
                (
                    "held",
                    models.BooleanField(
                        default=False,
                        help_text="its source says how far it has come, and holds back what is final",
                    ),
                ),
                (
                    "display",
                    timeline_app.web.models.fields.JsonText(
                        blank=True,
                        default=dict,
                        help_text="by field: colours, labels, thresholds and format of its values",
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("updated_at", models.DateTimeField(auto_now=True)),
                (
                    "emptied_from",
                    models.ForeignKey(
                        help_text="the stream that held these events; null: the stream itself was deleted",
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="emptied",
                        to="web.stream",
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        blank=True,
                        help_text="the person to whom it belongs",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="%(class)ss",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        blank=True,
                        help_text="or the team: each of its members may do with it what an owner may",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="%(class)ss",
                        to="auth.group",
                    ),
                ),
                (
                    "trashed_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["name"],
                "permissions": [("operate_stream", "May push events to a stream")],
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="StreamName",
            fields=[
                (
                    "name",
                    timeline_app.web.models.fields.BytewiseChars(
                        max_length=100, primary_key=True, serialize=False
                    ),
                ),
                ("next_generation", models.PositiveIntegerField(default=1)),
            ],
        ),
        migrations.CreateModel(
            name="Alert",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=200)),
                ("node_name", models.CharField(help_text="of a bool node of the plan", max_length=200)),
                (
                    "severity",
                    models.CharField(
                        choices=[("info", "Info"), ("warning", "Warning"), ("critical", "Critical")],
                        default="warning",
                        max_length=10,
                    ),
                ),
                (
                    "labels",
                    timeline_app.web.models.fields.JsonText(
                        blank=True, default=dict, help_text="texts by name"
                    ),
                ),
                (
                    "runbook",
                    models.CharField(
                        blank=True, default="", help_text="where it says what to do", max_length=500
                    ),
                ),
                (
                    "template",
                    models.CharField(blank=True, default="", help_text="of the message", max_length=2000),
                ),
                (
                    "policy",
                    models.CharField(
                        choices=[
                            ("early", "as soon as it is known; corrections follow"),
                            ("final", "once no late event can change it"),
                        ],
                        default="early",
                        max_length=10,
                    ),
                ),
                (
                    "flapping_starts",
                    models.PositiveIntegerField(
                        default=4, help_text="a key with more starts within the window flaps; 0: none does"
                    ),
                ),
                (
                    "flapping_window_s",
                    models.PositiveIntegerField(
                        default=1800, help_text="seconds of event time in which starts are counted"
                    ),
                ),
                ("enabled", models.BooleanField(default=True)),
                ("version", models.PositiveIntegerField(default=1, help_text="grows with every change")),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("updated_at", models.DateTimeField(auto_now=True)),
                (
                    "taken_until",
                    models.CharField(
                        blank=True,
                        default="",
                        help_text="the incidents of keys up to this digest, in hexadecimal, are those of the node",
                        max_length=32,
                    ),
                ),
                ("transitions", models.BigIntegerField(default=0, help_text="number of its last transition")),
                (
                    "next_boundary",
                    models.BigIntegerField(
                        default=timeline_app.algebra.kinds.BEGINNING,
                        help_text="no incident or flapping key changes by the passing of event time alone before this",
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        blank=True,
                        help_text="the person to whom it belongs",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="%(class)ss",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        blank=True,
                        help_text="or the team: each of its members may do with it what an owner may",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="%(class)ss",
                        to="auth.group",
                    ),
                ),
            ],
            options={
                "ordering": ["-updated_at", "-pk"],
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="AlertChannel",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=200)),
                ("kind", models.CharField(max_length=60)),
                (
                    "options",
                    timeline_app.web.models.fields.JsonText(
                        default=dict, help_text="what may be shown of its options"
                    ),
                ),
                ("secrets", models.TextField(blank=True, default="", help_text="the others, encrypted")),
                ("paused", models.BooleanField(default=False)),
                ("version", models.PositiveIntegerField(default=1, help_text="grows with every change")),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("updated_at", models.DateTimeField(auto_now=True)),
                (
                    "observed",
                    models.CharField(
                        choices=[
                            ("paused", "Paused"),
                            ("starting", "Starting"),
                            ("ready", "Ready"),
                            ("retrying", "Retrying"),
                        ],
                        default="starting",
                        max_length=10,
                    ),
                ),
                (
                    "words",
                    models.CharField(
                        default="starting", help_text="what is going on, for people", max_length=500
                    ),
                ),
                ("sent", models.BigIntegerField(default=0, help_text="messages that the receiver has")),
                ("sent_at", models.DateTimeField(help_text="when it got the last one", null=True)),
                (
                    "failing_since",
                    models.DateTimeField(help_text="no message has arrived since; null: they do", null=True),
                ),
                ("looked_at", models.DateTimeField(help_text="when the sender said so", null=True)),
                (
                    "owner",
                    models.ForeignKey(
                        blank=True,
                        help_text="the person to whom it belongs",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="%(class)ss",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "set_by",
                    models.ForeignKey(
                        help_text="who set its options last: by that person's role it may reach private networks",
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        blank=True,
                        help_text="or the team: each of its members may do with it what an owner may",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="%(class)ss",
                        to="auth.group",
                    ),
                ),
            ],
            options={
                "verbose_name": "channel",
                "ordering": ["name", "pk"],
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="AlertRoute",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "read_until",
                    models.BigIntegerField(
                        default=0, help_text="the number of the last transition that it has read"
                    ),
                ),
                (
                    "identity",
                    models.CharField(
                        default=timeline_app.web.models.channels.new_identity,
                        help_text="part of the id of each message",
                        max_length=32,
                    ),
                ),
                ("messages", models.BigIntegerField(default=0, help_text="so many were made")),
                ("made_at", models.DateTimeField(help_text="when the last one was made", null=True)),
                (
                    "alert",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="routes", to="web.alert"
                    ),
                ),
                (
                    "channel",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="routes",
                        to="web.alertchannel",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="AlertNotification",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.BigIntegerField(help_text="of the messages of its route, without gaps")),
                ("body", timeline_app.web.models.fields.JsonText(help_text="as it is sent, each time alike")),
                ("attempts", models.IntegerField(default=0)),
                (
                    "answer",
                    models.CharField(
                        blank=True, default="", help_text="why it was not taken last", max_length=500
                    ),
                ),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                ("sent_at", models.DateTimeField(help_text="null: it waits", null=True)),
                (
                    "given_up",
                    models.BooleanField(default=False, help_text="it was tried for a day, and then dropped"),
                ),
                (
                    "route",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="notifications",
                        to="web.alertroute",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
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
            options={
                "verbose_name": "token",
                "ordering": ["-created", "-pk"],
            },
        ),
        migrations.CreateModel(
            name="AuditEntry",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField(auto_now_add=True, db_index=True)),
                ("actor_name", models.CharField(help_text="as it was then", max_length=150)),
                (
                    "source",
                    models.CharField(
                        choices=[
                            ("page", "Page"),
                            ("rest", "Rest"),
                            ("admin", "Admin"),
                            ("shell", "Shell"),
                            ("task", "Task"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "request",
                    models.CharField(
                        default="", help_text="the id of the request, as in the logs", max_length=64
                    ),
                ),
                ("act", models.CharField(db_index=True, help_text="such as plan.run", max_length=40)),
                ("kind", models.CharField(help_text="of the thing: plan, node, stream, …", max_length=20)),
                ("thing", models.BigIntegerField(help_text="its number", null=True)),
                ("name", models.CharField(help_text="its name, as it was then", max_length=200)),
                ("before", timeline_app.web.models.fields.JsonText(null=True)),
                ("after", timeline_app.web.models.fields.JsonText(null=True)),
                ("reason", models.CharField(default="", max_length=500)),
                (
                    "actor",
                    models.ForeignKey(
                        db_constraint=False,
                        help_text="null: the system itself",
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="acts",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "audit entries",
                "ordering": ["-id"],
            },
        ),
        migrations.CreateModel(
            name="Dashboard",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "open_to_all",
                    models.BooleanField(
                        default=True,
                        help_text="everybody who can log in may look; else only those with whom it is shared",
                    ),
                ),
                ("name", models.CharField(max_length=200)),
                (
                    "document",
                    timeline_app.web.models.fields.JsonText(
                        help_text="charts, range and key: see timeline_app.web.dashboards.api"
                    ),
                ),
                ("version", models.PositiveIntegerField(default=1, help_text="grows with every save")),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("updated_at", models.DateTimeField(auto_now=True)),
                (
                    "size",
                    models.GeneratedField(
                        db_persist=True,
                        expression=django.db.models.functions.comparison.Coalesce(
                            django.db.models.functions.text.Length("document"), 0
                        ),
                        output_field=models.BigIntegerField(),
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        blank=True,
                        help_text="the person to whom it belongs",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="%(class)ss",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        blank=True,
                        help_text="or the team: each of its members may do with it what an owner may",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="%(class)ss",
                        to="auth.group",
                    ),
                ),
            ],
            options={
                "ordering": ["-updated_at", "-pk"],
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="DashboardTeamPermission",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "content_object",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="team_permissions",
                        to="web.dashboard",
                    ),
                ),
                ("group", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to="auth.group")),
                (
                    "permission",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to="auth.permission"),
                ),
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="DashboardTerm",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("op", "Operator"),
                            ("stream", "Stream"),
                            ("plan", "Plan"),
                            ("node", "Node"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "value",
                    timeline_app.web.models.fields.BytewiseChars(
                        help_text="a name; of a plan, its number", max_length=200
                    ),
                ),
                (
                    "thing",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="terms",
                        to="web.dashboard",
                    ),
                ),
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="DashboardUserPermission",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "content_object",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="user_permissions",
                        to="web.dashboard",
                    ),
                ),
                (
                    "permission",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to="auth.permission"),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="DashboardVersion",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("version", models.PositiveIntegerField()),
                ("name", models.CharField(max_length=200)),
                ("document", timeline_app.web.models.fields.JsonText()),
                ("saved_at", models.DateTimeField(auto_now_add=True)),
                (
                    "size",
                    models.GeneratedField(
                        db_persist=True,
                        expression=django.db.models.functions.comparison.Coalesce(
                            django.db.models.functions.text.Length("document"), 0
                        ),
                        output_field=models.BigIntegerField(),
                    ),
                ),
                (
                    "dashboard",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="versions",
                        to="web.dashboard",
                    ),
                ),
                (
                    "saved_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-version"],
            },
        ),
        migrations.CreateModel(
            name="PublicLink",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=100)),
                (
                    "digest",
                    models.CharField(
                        help_text="SHA-256 of its secret, in hexadecimal", max_length=64, unique=True
                    ),
                ),
                (
                    "approved",
                    timeline_app.web.models.fields.JsonText(
                        default=list,
                        help_text="[plan, node] of the charts that this person had on the dashboard",
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("expires_at", models.DateTimeField(blank=True, null=True)),
                ("last_used_at", models.DateTimeField(blank=True, help_text="to the minute", null=True)),
                (
                    "dashboard",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="public_links",
                        to="web.dashboard",
                    ),
                ),
                (
                    "made_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="public_links",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "public link",
                "ordering": ["-created_at", "-pk"],
            },
        ),
        migrations.CreateModel(
            name="Incident",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("digest", models.CharField(help_text="of the node whose span it is", max_length=64)),
                ("key", timeline_app.web.models.fields.BytewiseText()),
                (
                    "key_digest",
                    models.BinaryField(
                        help_text="of the key, which may be too long for an index", max_length=16
                    ),
                ),
                (
                    "start",
                    models.BigIntegerField(
                        default=-9223372036854775808, help_text="event time; the least number: since ever"
                    ),
                ),
                (
                    "end",
                    models.BigIntegerField(
                        default=9223372036854775807, help_text="event time; the greatest number: open"
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("firing", "it began, and has not ended"),
                            ("pending", "it begins later than the node has seen events"),
                            ("resolved", "it has ended"),
                            ("retracted", "a late event or another rule took it away"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "fired",
                    models.BooleanField(default=False, help_text="whether it was ever more than pending"),
                ),
                ("known_at", models.BigIntegerField(help_text="when it became known, microseconds")),
                (
                    "changed_at",
                    models.BigIntegerField(help_text="when its last change became known, microseconds"),
                ),
                ("acknowledged_at", models.DateTimeField(null=True)),
                (
                    "acknowledged_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "alert",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="incidents",
                        to="web.alert",
                    ),
                ),
                (
                    "assignee",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["state", "-changed_at", "-pk"],
            },
        ),
        migrations.CreateModel(
            name="FlappingKey",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key_digest", models.BinaryField(max_length=16)),
                ("starts", models.PositiveIntegerField(help_text="within the window")),
                (
                    "settles_at",
                    models.BigIntegerField(help_text="event time at which it settles if nothing changes"),
                ),
                ("known_at", models.BigIntegerField(help_text="when it became known, microseconds")),
                (
                    "alert",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="flapping",
                        to="web.alert",
                    ),
                ),
                (
                    "carrier",
                    models.ForeignKey(
                        help_text="the incident whose message says it",
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="web.incident",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["alert", "settles_at"], name="flapping_settles")],
                "constraints": [
                    models.UniqueConstraint(fields=("alert", "key_digest"), name="flapping_once_a_key")
                ],
            },
        ),
        migrations.CreateModel(
            name="IncidentNote",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("comment", "Comment"),
                            ("acknowledged", "Acknowledged"),
                            ("unacknowledged", "Reopened"),
                            ("assigned", "Assigned"),
                        ],
                        max_length=20,
                    ),
                ),
                ("author_name", models.CharField(max_length=150)),
                ("text", models.TextField(blank=True, default="")),
                ("at", models.DateTimeField(auto_now_add=True)),
                (
                    "author",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "incident",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="notes", to="web.incident"
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.CreateModel(
            name="IncidentTransition",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.BigIntegerField(help_text="in the log of the alert, without gaps")),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("begun", "Begun"),
                            ("firing", "Firing"),
                            ("resolved", "Resolved"),
                            ("amended", "Amended"),
                            ("retracted", "Retracted"),
                            ("reopened", "Reopened"),
                            ("flapping", "its key began to flap: incidents start too often"),
                            ("settled", "its key flaps no more"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("firing", "it began, and has not ended"),
                            ("pending", "it begins later than the node has seen events"),
                            ("resolved", "it has ended"),
                            ("retracted", "a late event or another rule took it away"),
                        ],
                        help_text="from then on",
                        max_length=10,
                    ),
                ),
                ("start", models.BigIntegerField()),
                ("end", models.BigIntegerField()),
                ("event_time", models.BigIntegerField(help_text="up to which the node had seen events")),
                ("known_at", models.BigIntegerField(help_text="when it became known, microseconds")),
                (
                    "taken",
                    models.BooleanField(
                        default=False,
                        help_text="whether the alert began then with what was known before: no news",
                    ),
                ),
                (
                    "alert",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="log",
                        to="web.alert",
                    ),
                ),
                (
                    "incident",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="history", to="web.incident"
                    ),
                ),
                (
                    "joined",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        help_text="the incident that has taken over its span",
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="web.incident",
                    ),
                ),
            ],
            options={
                "ordering": ["number"],
            },
        ),
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
        ),
        migrations.CreateModel(
            name="Member",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "role",
                    models.CharField(
                        choices=[
                            ("viewer", "viewer: looks"),
                            ("editor", "editor: makes plans, streams and dashboards, and runs their own"),
                            ("operator", "operator: looks at everything, and runs, stops and restarts it"),
                            ("admin", "admin: may do everything, and says who may do what"),
                        ],
                        default="editor",
                        max_length=10,
                    ),
                ),
                (
                    "must_change",
                    models.BooleanField(
                        default=False,
                        help_text="the password was made by somebody else: it is changed before anything else",
                    ),
                ),
                (
                    "theme",
                    models.CharField(
                        choices=[("system", "as the system is"), ("light", "light"), ("dark", "dark")],
                        default="system",
                        max_length=6,
                    ),
                ),
                (
                    "zone",
                    models.CharField(
                        blank=True,
                        default="",
                        help_text="IANA name of a time zone; empty: the browser's",
                        max_length=64,
                    ),
                ),
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="member",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Node",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("digest", models.CharField(max_length=64, unique=True)),
                ("operator", models.CharField(max_length=60)),
                ("kind", models.CharField(max_length=10)),
                (
                    "program",
                    timeline_app.web.models.fields.JsonText(
                        default=dict, help_text="what it takes to compute this node alone, as a document"
                    ),
                ),
                (
                    "left",
                    models.JSONField(
                        blank=True,
                        help_text="where its query stopped computing it: number by source, batches; null: it did not",
                        null=True,
                    ),
                ),
                (
                    "horizons",
                    timeline_app.web.models.fields.JsonText(
                        default=dict, help_text="how far each source has come, microseconds"
                    ),
                ),
                (
                    "final_until",
                    models.BigIntegerField(help_text="what lies before is final, microseconds", null=True),
                ),
                (
                    "newest",
                    models.BigIntegerField(
                        help_text="greatest time of an event or heartbeat that it has seen, microseconds",
                        null=True,
                    ),
                ),
                (
                    "as_of",
                    models.BigIntegerField(
                        help_text="when its newest feed batch was published, microseconds", null=True
                    ),
                ),
                (
                    "known_from",
                    models.BigIntegerField(
                        help_text="the log tells what was known at any instant since then; null: since ever",
                        null=True,
                    ),
                ),
                (
                    "version",
                    models.BigIntegerField(default=-1, help_text="newest version in the revision log"),
                ),
                ("events", models.BigIntegerField(default=0)),
                (
                    "late",
                    models.BigIntegerField(default=0, help_text="events that arrived behind final_until"),
                ),
                (
                    "too_late",
                    models.BigIntegerField(
                        default=0,
                        help_text="those of them that were older than the retention, and not applied",
                    ),
                ),
                ("duplicates", models.BigIntegerField(default=0)),
                (
                    "conflicts",
                    models.BigIntegerField(default=0, help_text="copies with one id that differed"),
                ),
                ("revisions", models.BigIntegerField(default=0)),
                (
                    "failure",
                    models.TextField(
                        blank=True,
                        default="",
                        help_text="why it was given up, though its query goes on; empty: it was not",
                    ),
                ),
                (
                    "skipped_from",
                    models.BigIntegerField(
                        help_text="first batch of its feed that was not published for it; null: all were",
                        null=True,
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "kept_from",
                    models.BigIntegerField(
                        help_text="event time before which its query knows no values of its inputs: older results stay as they are",
                        null=True,
                    ),
                ),
                (
                    "results_from",
                    models.BigIntegerField(
                        help_text="event time before which results were removed, microseconds; null: none were",
                        null=True,
                    ),
                ),
                (
                    "unused_since",
                    models.DateTimeField(
                        help_text="since when no plan uses it, as it was last looked at; null: one does",
                        null=True,
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        blank=True,
                        help_text="the person to whom it belongs",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="%(class)ss",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        blank=True,
                        help_text="or the team: each of its members may do with it what an owner may",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="%(class)ss",
                        to="auth.group",
                    ),
                ),
            ],
            options={
                "ordering": ["digest"],
                "abstract": False,
            },
        ),
        migrations.AddField(
            model_name="alert",
            name="node",
            field=models.ForeignKey(
                help_text="whose true spans are its incidents now",
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="alerts",
                to="web.node",
            ),
        ),
        migrations.CreateModel(
            name="NodeKey",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", timeline_app.web.models.fields.BytewiseText()),
                (
                    "digest",
                    models.BinaryField(
                        help_text="of the key, which may be too long for an index", max_length=16
                    ),
                ),
                ("birth", models.BigIntegerField(help_text="event time at which the key was born")),
                ("version", models.BigIntegerField()),
                ("known_at", models.BigIntegerField()),
                (
                    "unfolded",
                    models.IntegerField(
                        default=0, help_text="how many of its revisions were never compacted"
                    ),
                ),
                (
                    "unfolded_since",
                    models.BigIntegerField(help_text="when the oldest of them became known", null=True),
                ),
                (
                    "node",
                    models.ForeignKey(
                        db_index=False,
                        help_text="null: its node was removed, and its revisions are being removed",
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="keys",
                        to="web.node",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="NodeSink",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("kind", models.CharField(max_length=60)),
                (
                    "delivers",
                    models.CharField(
                        choices=[("revisions", "every revision"), ("final", "only what is final")],
                        max_length=10,
                    ),
                ),
                (
                    "options",
                    timeline_app.web.models.fields.JsonText(
                        default=dict, help_text="what may be shown of its options"
                    ),
                ),
                ("secrets", models.TextField(blank=True, default="", help_text="the others, encrypted")),
                ("paused", models.BooleanField(default=False)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "changed_at",
                    models.DateTimeField(
                        help_text="when somebody set it last; whoever delivers opens it anew"
                    ),
                ),
                (
                    "identity",
                    models.CharField(
                        default=timeline_app.web.models.sinks.generate_identity, max_length=32, unique=True
                    ),
                ),
                (
                    "step",
                    models.BigIntegerField(default=0, help_text="grows with whatever is written down below"),
                ),
                ("batch", models.BigIntegerField(default=-1, help_text="the last batch that was published")),
                (
                    "place",
                    timeline_app.web.models.fields.JsonText(
                        default=dict,
                        help_text="how far the log was read: see timeline_app.web.sinks.deliveries",
                    ),
                ),
                ("rows", models.BigIntegerField(default=0, help_text="rows delivered so far")),
                (
                    "corrected",
                    models.BigIntegerField(
                        default=0,
                        help_text="revisions of what had been delivered as final, and was not delivered again",
                    ),
                ),
                (
                    "known_at",
                    models.BigIntegerField(
                        help_text="what the node knew by then was delivered, microseconds", null=True
                    ),
                ),
                (
                    "final_until",
                    models.BigIntegerField(help_text="what was final by then was delivered", null=True),
                ),
                ("lag", models.BigIntegerField(default=0, help_text="versions of the node that wait")),
                (
                    "observed",
                    models.CharField(
                        choices=[
                            ("paused", "Paused"),
                            ("starting", "Starting"),
                            ("delivering", "Delivering"),
                            ("retrying", "Retrying"),
                        ],
                        default="starting",
                        max_length=10,
                    ),
                ),
                (
                    "words",
                    models.CharField(
                        default="starting", help_text="what is going on, for people", max_length=500
                    ),
                ),
                (
                    "delivered_at",
                    models.DateTimeField(help_text="when its last batch was published", null=True),
                ),
                ("looked_at", models.DateTimeField(help_text="when the delivery said so", null=True)),
                (
                    "node",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="sinks", to="web.node"
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        blank=True,
                        help_text="the person to whom it belongs",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="%(class)ss",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "set_by",
                    models.ForeignKey(
                        help_text="who set its options last: by that person's role it may reach private networks",
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        blank=True,
                        help_text="or the team: each of its members may do with it what an owner may",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="%(class)ss",
                        to="auth.group",
                    ),
                ),
            ],
            options={
                "verbose_name": "sink",
                "ordering": ["pk"],
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="NodeTerm",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("op", "Operator"),
                            ("stream", "Stream"),
                            ("plan", "Plan"),
                            ("node", "Node"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "value",
                    timeline_app.web.models.fields.BytewiseChars(
                        help_text="a name; of a plan, its number", max_length=200
                    ),
                ),
                (
                    "thing",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="terms",
                        to="web.node",
                    ),
                ),
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="Plan",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "open_to_all",
                    models.BooleanField(
                        default=True,
                        help_text="everybody who can log in may look; else only those with whom it is shared",
                    ),
                ),
                ("name", models.CharField(max_length=200)),
                ("document", timeline_app.web.models.fields.JsonText()),
                (
                    "version",
                    models.PositiveIntegerField(default=1, help_text="of the draft: grows with every save"),
                ),
                ("saved_at", models.DateTimeField(null=True)),
                (
                    "edit",
                    models.CharField(
                        blank=True,
                        default="",
                        help_text="the page's own name of the save that made the draft",
                        max_length=40,
                    ),
                ),
                ("running", models.BooleanField(default=False)),
                (
                    "running_document",
                    timeline_app.web.models.fields.JsonText(
                        blank=True, help_text="the document as it was run", null=True
                    ),
                ),
                (
                    "running_version",
                    models.PositiveIntegerField(help_text="the number of the version that runs", null=True),
                ),
                ("placement", models.CharField(default="isolated", max_length=10)),
                (
                    "display",
                    timeline_app.web.models.fields.JsonText(
                        blank=True,
                        default=dict,
                        help_text="by node: colours, labels, thresholds and format of its values in this plan",
                    ),
                ),
                (
                    "lent",
                    timeline_app.web.models.fields.JsonText(
                        blank=True,
                        default=dict,
                        help_text="by stream that the draft reads, its number and the fields that one who may look at it chose",
                    ),
                ),
                (
                    "opened",
                    timeline_app.web.models.fields.JsonText(
                        blank=True,
                        default=dict,
                        help_text="by stream that its owner might not look at when run, the number of who ran it",
                    ),
                ),
                (
                    "ended",
                    models.CharField(
                        blank=True,
                        default="",
                        help_text="why the system stopped it; empty once it runs again",
                        max_length=500,
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("updated_at", models.DateTimeField(auto_now=True)),
                (
                    "size",
                    models.GeneratedField(
                        db_persist=True,
                        expression=django.db.models.expressions.CombinedExpression(
                            django.db.models.functions.comparison.Coalesce(
                                django.db.models.functions.text.Length("document"), 0
                            ),
                            "+",
                            django.db.models.functions.comparison.Coalesce(
                                django.db.models.functions.text.Length("running_document"), 0
                            ),
                        ),
                        output_field=models.BigIntegerField(),
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        blank=True,
                        help_text="the person to whom it belongs",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="%(class)ss",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "saved_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        blank=True,
                        help_text="or the team: each of its members may do with it what an owner may",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="%(class)ss",
                        to="auth.group",
                    ),
                ),
            ],
            options={
                "ordering": ["-updated_at"],
                "permissions": [("operate_plan", "May run and stop a plan")],
                "abstract": False,
            },
        ),
        migrations.AddField(
            model_name="node",
            name="readers",
            field=models.ManyToManyField(
                help_text="the plans that use it or did: who may look at one, may look at it",
                related_name="ever_used",
                to="web.plan",
            ),
        ),
        migrations.AddField(
            model_name="alert",
            name="plan",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="alerts", to="web.plan"
            ),
        ),
        migrations.CreateModel(
            name="PlanDraft",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("version", models.PositiveIntegerField()),
                ("document", timeline_app.web.models.fields.JsonText()),
                (
                    "edit",
                    models.CharField(
                        default="", help_text="the page's own name of the save that made it", max_length=40
                    ),
                ),
                (
                    "size",
                    models.GeneratedField(
                        db_persist=True,
                        expression=django.db.models.functions.comparison.Coalesce(
                            django.db.models.functions.text.Length("document"), 0
                        ),
                        output_field=models.BigIntegerField(),
                    ),
                ),
                (
                    "plan",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="drafts",
                        to="web.plan",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="PlanNode",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", timeline_app.web.models.fields.BytewiseChars(blank=True, max_length=200)),
                (
                    "node",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="uses", to="web.node"
                    ),
                ),
                (
                    "plan",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="uses", to="web.plan"
                    ),
                ),
            ],
        ),
        migrations.AddField(
            model_name="plan",
            name="nodes",
            field=models.ManyToManyField(related_name="plans", through="web.PlanNode", to="web.node"),
        ),
        migrations.CreateModel(
            name="PlanTeamPermission",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "content_object",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="team_permissions",
                        to="web.plan",
                    ),
                ),
                ("group", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to="auth.group")),
                (
                    "permission",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to="auth.permission"),
                ),
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="PlanTerm",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("op", "Operator"),
                            ("stream", "Stream"),
                            ("plan", "Plan"),
                            ("node", "Node"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "value",
                    timeline_app.web.models.fields.BytewiseChars(
                        help_text="a name; of a plan, its number", max_length=200
                    ),
                ),
                (
                    "thing",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="terms",
                        to="web.plan",
                    ),
                ),
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="PlanUserPermission",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "content_object",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="user_permissions",
                        to="web.plan",
                    ),
                ),
                (
                    "permission",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to="auth.permission"),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="PlanVersion",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField(help_text="of the plan: 1, 2, 3 …")),
                ("name", models.CharField(blank=True, default="", max_length=200)),
                (
                    "reason",
                    models.CharField(
                        choices=[("run", "Run"), ("hand", "Hand"), ("restore", "Restore")], max_length=10
                    ),
                ),
                ("words", models.TextField(help_text="what changed since the version before, in a sentence")),
                ("document", timeline_app.web.models.fields.JsonText()),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                (
                    "size",
                    models.GeneratedField(
                        db_persist=True,
                        expression=django.db.models.functions.comparison.Coalesce(
                            django.db.models.functions.text.Length("document"), 0
                        ),
                        output_field=models.BigIntegerField(),
                    ),
                ),
                (
                    "by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "plan",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="versions",
                        to="web.plan",
                    ),
                ),
            ],
            options={
                "ordering": ["-number"],
            },
        ),
        migrations.AddField(
            model_name="node",
            name="next_query",
            field=models.ForeignKey(
                blank=True,
                help_text="where it moves, as soon as the present query has stopped and all it said is in the log",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="coming",
                to="web.query",
            ),
        ),
        migrations.AddField(
            model_name="node",
            name="query",
            field=models.ForeignKey(
                help_text="who computes it now",
                on_delete=django.db.models.deletion.PROTECT,
                related_name="nodes",
                to="web.query",
            ),
        ),
        migrations.CreateModel(
            name="Revision",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("version", models.BigIntegerField(help_text="of the node; grows")),
                (
                    "known_at",
                    models.BigIntegerField(help_text="wall-clock microseconds at which it became known"),
                ),
                ("birth", models.BigIntegerField(help_text="event time at which the key was born")),
                (
                    "start",
                    models.BigIntegerField(
                        default=-9223372036854775808, help_text="the least number: since ever"
                    ),
                ),
                (
                    "end",
                    models.BigIntegerField(
                        default=9223372036854775807, help_text="the greatest number: open"
                    ),
                ),
                (
                    "pieces",
                    timeline_app.web.models.fields.Pieces(
                        help_text="[[t, value] …] or, for numbers, [[t, value, slope] …]"
                    ),
                ),
                ("folded", models.BooleanField(default=False)),
                (
                    "node_key",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="log",
                        to="web.nodekey",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="RoutedIncident",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        blank=True, default="", help_text="as it was told; empty: it was not", max_length=10
                    ),
                ),
                ("start", models.BigIntegerField(default=0, help_text="as it was told")),
                ("end", models.BigIntegerField(default=0, help_text="as it was told")),
                ("due", models.BooleanField(default=True, help_text="whether it is to be looked at")),
                (
                    "damped",
                    models.BooleanField(
                        default=False, help_text="whether its news wait until its key has settled"
                    ),
                ),
                (
                    "incident",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="web.incident"
                    ),
                ),
                (
                    "route",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="incidents",
                        to="web.alertroute",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Sample",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "open_to_all",
                    models.BooleanField(
                        default=True,
                        help_text="everybody who can log in may look; else only those with whom it is shared",
                    ),
                ),
                ("name", models.CharField(max_length=200)),
                (
                    "recording",
                    timeline_app.web.models.fields.JsonText(
                        blank=True,
                        help_text="while events are still to come: how many of which keys, since which batch",
                        null=True,
                    ),
                ),
                (
                    "recording_until",
                    models.DateTimeField(blank=True, help_text="no longer than that", null=True),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("updated_at", models.DateTimeField(auto_now=True)),
                (
                    "owner",
                    models.ForeignKey(
                        blank=True,
                        help_text="the person to whom it belongs",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="%(class)ss",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        blank=True,
                        help_text="or the team: each of its members may do with it what an owner may",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="%(class)ss",
                        to="auth.group",
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at", "-pk"],
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="PlanTest",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=200)),
                (
                    "expected",
                    timeline_app.web.models.fields.JsonText(
                        default=list, help_text="by node and key: spans, tolerance of numbers, slack of edges"
                    ),
                ),
                ("version", models.PositiveIntegerField(default=1, help_text="grows with every save")),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("updated_at", models.DateTimeField(auto_now=True)),
                (
                    "plan",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="tests", to="web.plan"
                    ),
                ),
                (
                    "sample",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="tests", to="web.sample"
                    ),
                ),
            ],
            options={
                "ordering": ["created_at", "pk"],
            },
        ),
        migrations.CreateModel(
            name="SamplePart",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("stream", timeline_app.web.models.fields.BytewiseChars(max_length=100)),
                (
                    "recorded",
                    models.BooleanField(
                        default=True,
                        help_text="from the stream itself: who may not look at that may not look at these",
                    ),
                ),
                ("events", models.IntegerField(default=0)),
                (
                    "mistyped",
                    models.IntegerField(
                        default=0, help_text="values that did not fit their types and count as missing"
                    ),
                ),
                (
                    "warnings",
                    timeline_app.web.models.fields.JsonText(
                        default=list, help_text="what was strange in the events as they were read"
                    ),
                ),
                (
                    "notes",
                    timeline_app.web.models.fields.JsonText(
                        default=list, help_text="how the file was decoded"
                    ),
                ),
                ("size", models.IntegerField(default=0, help_text="bytes as they are kept")),
                ("first", models.BigIntegerField(help_text="least event time, microseconds", null=True)),
                ("last", models.BigIntegerField(help_text="greatest event time, microseconds", null=True)),
                ("body", models.BinaryField(help_text="Parquet, in the columns of a landing")),
                (
                    "sample",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="parts", to="web.sample"
                    ),
                ),
            ],
            options={
                "ordering": ["stream"],
            },
        ),
        migrations.CreateModel(
            name="Silence",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "key",
                    models.CharField(
                        blank=True, default="", help_text="with * for any text; empty: all", max_length=1024
                    ),
                ),
                (
                    "label",
                    models.CharField(
                        blank=True, default="", help_text="only alerts with this label", max_length=50
                    ),
                ),
                (
                    "label_value",
                    models.CharField(
                        blank=True, default="", help_text="and this value of it", max_length=200
                    ),
                ),
                ("reason", models.CharField(max_length=500)),
                ("begins_at", models.DateTimeField()),
                ("ends_at", models.DateTimeField()),
                (
                    "schedule",
                    timeline_app.web.models.fields.JsonText(
                        blank=True, default=dict, help_text="only within these hours; empty: always"
                    ),
                ),
                (
                    "during_plan",
                    models.ForeignKey(
                        blank=True,
                        help_text="only for keys of which a node of this plan is true now; null: for all",
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="web.plan",
                    ),
                ),
                (
                    "during_node",
                    timeline_app.web.models.fields.BytewiseChars(
                        blank=True, default="", help_text="the name of that node", max_length=200
                    ),
                ),
                ("version", models.PositiveIntegerField(default=1, help_text="grows with every change")),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "alert",
                    models.ForeignKey(
                        blank=True,
                        help_text="null: all",
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="silences",
                        to="web.alert",
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        blank=True,
                        help_text="the person to whom it belongs",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="%(class)ss",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        blank=True,
                        help_text="or the team: each of its members may do with it what an owner may",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="%(class)ss",
                        to="auth.group",
                    ),
                ),
            ],
            options={
                "ordering": ["-ends_at", "-pk"],
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="SinkKey",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("until", models.BigIntegerField(help_text="what lies before was delivered")),
                (
                    "ends",
                    models.BigIntegerField(
                        default=9223372036854775807, help_text="where the first span ends that was not"
                    ),
                ),
                ("pieces", timeline_app.web.models.fields.Pieces(help_text="the points from `until` on")),
                (
                    "node_key",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="web.nodekey"
                    ),
                ),
                (
                    "sink",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="keys",
                        to="web.nodesink",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="StreamSource",
            fields=[
                (
                    "stream",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="source",
                        serialize=False,
                        to="web.stream",
                    ),
                ),
                ("kind", models.CharField(max_length=40)),
                (
                    "options",
                    timeline_app.web.models.fields.JsonText(
                        default=dict, help_text="what may be shown of its options"
                    ),
                ),
                ("secrets", models.TextField(blank=True, default="", help_text="the others, encrypted")),
                (
                    "mapping",
                    timeline_app.web.models.fields.JsonText(
                        default=list, help_text="how the fields of its events are renamed, cast and added"
                    ),
                ),
                ("paused", models.BooleanField(default=False)),
                (
                    "changed_at",
                    models.DateTimeField(
                        help_text="when somebody set it last; whoever reads it opens it anew"
                    ),
                ),
                (
                    "observed",
                    models.CharField(
                        choices=[
                            ("paused", "Paused"),
                            ("starting", "Starting"),
                            ("reading", "Reading"),
                            ("waiting", "Waiting"),
                            ("retrying", "Retrying"),
                        ],
                        default="starting",
                        max_length=10,
                    ),
                ),
                (
                    "words",
                    models.CharField(
                        default="starting", help_text="what is going on, for people", max_length=500
                    ),
                ),
                (
                    "lag",
                    models.BigIntegerField(default=0, help_text="messages that wait at the source, about"),
                ),
                (
                    "missed",
                    models.BigIntegerField(
                        default=0, help_text="messages gone from the source before they were read"
                    ),
                ),
                ("last_message_at", models.DateTimeField(null=True)),
                ("looked_at", models.DateTimeField(help_text="when the intake said so", null=True)),
                (
                    "opened",
                    models.BooleanField(
                        default=False,
                        help_text="it was read from where it reads now; until then the one before may hold back",
                    ),
                ),
                (
                    "passed",
                    timeline_app.web.models.fields.JsonText(
                        default=dict,
                        help_text="parts read on with nothing to land: position, and the number of the next batch",
                    ),
                ),
                (
                    "staged",
                    timeline_app.web.models.fields.JsonText(
                        default=dict,
                        help_text="refused messages that count once the events beside them have landed",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="RejectedEvent",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[("refused", "Refused"), ("too_late", "Too Late")], max_length=10
                    ),
                ),
                ("at", models.BigIntegerField(help_text="when it came, microseconds")),
                ("line", models.BigIntegerField(help_text="which line of its request", null=True)),
                (
                    "place",
                    models.CharField(
                        default="", help_text="where it lay in the stream's source", max_length=500
                    ),
                ),
                (
                    "request",
                    models.CharField(
                        default="",
                        help_text="the id of its request, where the client gave a key or a number",
                        max_length=32,
                    ),
                ),
                (
                    "alone",
                    models.BooleanField(
                        default=False, help_text="whether the rest of what came with it was taken"
                    ),
                ),
                ("field", models.CharField(default="", max_length=200)),
                ("code", models.CharField(max_length=40)),
                ("message", models.CharField(max_length=500)),
                (
                    "text",
                    timeline_app.web.models.fields.BytewiseText(
                        help_text="the line; of a long one the beginning"
                    ),
                ),
                ("whole", models.BooleanField(default=True, help_text="whether that is all of it")),
                (
                    "sender",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "stream",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="rejected_events",
                        to="web.stream",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="StreamMeasure",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.BigIntegerField(help_text="when they begin, seconds since the epoch")),
                ("events", models.BigIntegerField(default=0, help_text="taken")),
                (
                    "late",
                    models.BigIntegerField(default=0, help_text="of those, behind the allowed lateness"),
                ),
                (
                    "too_late",
                    models.BigIntegerField(default=0, help_text="of those, older than the retention"),
                ),
                ("refused", models.BigIntegerField(default=0, help_text="lines refused")),
                (
                    "lateness",
                    timeline_app.web.models.fields.JsonText(
                        default=dict, help_text="how many events by step of lateness"
                    ),
                ),
                (
                    "stream",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="measures",
                        to="web.stream",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="StreamTeamPermission",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "content_object",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="team_permissions",
                        to="web.stream",
                    ),
                ),
                ("group", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to="auth.group")),
                (
                    "permission",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to="auth.permission"),
                ),
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="StreamUserPermission",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "content_object",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="user_permissions",
                        to="web.stream",
                    ),
                ),
                (
                    "permission",
                    models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to="auth.permission"),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.AddConstraint(
            model_name="alertchannel",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("owner__isnull", False), ("team__isnull", True)),
                    models.Q(("owner__isnull", True), ("team__isnull", False)),
                    _connector="OR",
                ),
                name="alertchannel_has_one_owner",
            ),
        ),
        migrations.AddConstraint(
            model_name="alertroute",
            constraint=models.UniqueConstraint(fields=("alert", "channel"), name="one_route_a_channel"),
        ),
        migrations.AddIndex(
            model_name="alertnotification",
            index=models.Index(
                condition=models.Q(("sent_at", None)), fields=["route", "number"], name="notification_waits"
            ),
        ),
        migrations.AddConstraint(
            model_name="alertnotification",
            constraint=models.UniqueConstraint(fields=("route", "number"), name="notification_once"),
        ),
        migrations.AddIndex(
            model_name="auditentry",
            index=models.Index(fields=["kind", "thing", "-id"], name="audit_by_thing"),
        ),
        migrations.AddIndex(
            model_name="auditentry",
            index=models.Index(fields=["actor", "-id"], name="audit_by_actor"),
        ),
        migrations.AddIndex(
            model_name="auditentry",
            index=models.Index(fields=["actor_name", "-id"], name="audit_by_actor_name"),
        ),
        migrations.AddIndex(
            model_name="dashboard",
            index=models.Index(fields=["owner", "size"], name="dashboard_size_owner"),
        ),
        migrations.AddIndex(
            model_name="dashboard",
            index=models.Index(fields=["team", "size"], name="dashboard_size_team"),
        ),
        migrations.AddConstraint(
            model_name="dashboard",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("owner__isnull", False), ("team__isnull", True)),
                    models.Q(("owner__isnull", True), ("team__isnull", False)),
                    _connector="OR",
                ),
                name="dashboard_has_one_owner",
            ),
        ),
        migrations.AlterUniqueTogether(
            name="dashboardteampermission",
            unique_together={("group", "permission", "content_object")},
        ),
        migrations.AddIndex(
            model_name="dashboardterm",
            index=models.Index(fields=["kind", "value", "thing"], name="dashboardterm_by_value"),
        ),
        migrations.AddConstraint(
            model_name="dashboardterm",
            constraint=models.UniqueConstraint(fields=("thing", "kind", "value"), name="dashboardterm_once"),
        ),
        migrations.AlterUniqueTogether(
            name="dashboarduserpermission",
            unique_together={("user", "permission", "content_object")},
        ),
        migrations.AddIndex(
            model_name="dashboardversion",
            index=models.Index(fields=["dashboard", "size"], name="dashboard_version_size"),
        ),
        migrations.AddConstraint(
            model_name="dashboardversion",
            constraint=models.UniqueConstraint(
                fields=("dashboard", "version"), name="dashboard_version_once"
            ),
        ),
        migrations.AddIndex(
            model_name="incident",
            index=models.Index(fields=["alert", "key_digest", "end"], name="incident_by_key"),
        ),
        migrations.AddIndex(
            model_name="incident",
            index=models.Index(fields=["alert", "end"], name="incident_by_end"),
        ),
        migrations.AddIndex(
            model_name="incident",
            index=models.Index(fields=["state", "-changed_at", "-id"], name="incident_by_state"),
        ),
        migrations.AddIndex(
            model_name="incident",
            index=models.Index(fields=["alert", "state", "-changed_at", "-id"], name="incident_of_alert"),
        ),
        migrations.AddIndex(
            model_name="incident",
            index=models.Index(
                condition=models.Q(("state", "pending")), fields=["alert", "start"], name="incident_begins"
            ),
        ),
        migrations.AddIndex(
            model_name="incident",
            index=models.Index(
                condition=models.Q(("state", "firing")), fields=["alert", "end"], name="incident_ends"
            ),
        ),
        migrations.AddConstraint(
            model_name="incidenttransition",
            constraint=models.UniqueConstraint(fields=("alert", "number"), name="transition_once"),
        ),
        migrations.AddConstraint(
            model_name="keptanswer",
            constraint=models.UniqueConstraint(fields=("user", "key"), name="one_answer_a_key"),
        ),
        migrations.AddIndex(
            model_name="nodekey",
            index=models.Index(fields=["node", "-version"], name="key_by_version"),
        ),
        migrations.AddConstraint(
            model_name="nodekey",
            constraint=models.UniqueConstraint(fields=("node", "digest"), name="one_row_a_key"),
        ),
        migrations.AddConstraint(
            model_name="nodesink",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("owner__isnull", False), ("team__isnull", True)),
                    models.Q(("owner__isnull", True), ("team__isnull", False)),
                    _connector="OR",
                ),
                name="nodesink_has_one_owner",
            ),
        ),
        migrations.AddIndex(
            model_name="nodeterm",
            index=models.Index(fields=["kind", "value", "thing"], name="nodeterm_by_value"),
        ),
        migrations.AddConstraint(
            model_name="nodeterm",
            constraint=models.UniqueConstraint(fields=("thing", "kind", "value"), name="nodeterm_once"),
        ),
        migrations.AddIndex(
            model_name="alert",
            index=models.Index(fields=["-updated_at", "-id"], name="alert_by_change"),
        ),
        migrations.AddConstraint(
            model_name="alert",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("owner__isnull", False), ("team__isnull", True)),
                    models.Q(("owner__isnull", True), ("team__isnull", False)),
                    _connector="OR",
                ),
                name="alert_has_one_owner",
            ),
        ),
        migrations.AddIndex(
            model_name="plandraft",
            index=models.Index(fields=["plan", "size"], name="plan_draft_size"),
        ),
        migrations.AddConstraint(
            model_name="plandraft",
            constraint=models.UniqueConstraint(fields=("plan", "version"), name="plan_draft_once"),
        ),
        migrations.AddConstraint(
            model_name="plannode",
            constraint=models.UniqueConstraint(
                fields=("plan", "node", "name"), name="plan_uses_node_once_a_name"
            ),
        ),
        migrations.AddIndex(
            model_name="plan",
            index=models.Index(fields=["-updated_at", "-id"], name="plan_by_change"),
        ),
        migrations.AddIndex(
            model_name="plan",
            index=models.Index(fields=["owner", "size"], name="plan_size_owner"),
        ),
        migrations.AddIndex(
            model_name="plan",
            index=models.Index(fields=["team", "size"], name="plan_size_team"),
        ),
        migrations.AddConstraint(
            model_name="plan",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("owner__isnull", False), ("team__isnull", True)),
                    models.Q(("owner__isnull", True), ("team__isnull", False)),
                    _connector="OR",
                ),
                name="plan_has_one_owner",
            ),
        ),
        migrations.AlterUniqueTogether(
            name="planteampermission",
            unique_together={("group", "permission", "content_object")},
        ),
        migrations.AddIndex(
            model_name="planterm",
            index=models.Index(fields=["kind", "value", "thing"], name="planterm_by_value"),
        ),
        migrations.AddConstraint(
            model_name="planterm",
            constraint=models.UniqueConstraint(fields=("thing", "kind", "value"), name="planterm_once"),
        ),
        migrations.AlterUniqueTogether(
            name="planuserpermission",
            unique_together={("user", "permission", "content_object")},
        ),
        migrations.AddIndex(
            model_name="planversion",
            index=models.Index(fields=["plan", "size"], name="plan_version_size"),
        ),
        migrations.AddConstraint(
            model_name="planversion",
            constraint=models.UniqueConstraint(fields=("plan", "number"), name="plan_version_once"),
        ),
        migrations.AddIndex(
            model_name="node",
            index=models.Index(fields=["-created_at", "-id"], name="node_by_age"),
        ),
        migrations.AddConstraint(
            model_name="node",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("owner__isnull", False), ("team__isnull", True)),
                    models.Q(("owner__isnull", True), ("team__isnull", False)),
                    _connector="OR",
                ),
                name="node_has_one_owner",
            ),
        ),
        migrations.AddConstraint(
            model_name="revision",
            constraint=models.UniqueConstraint(
                fields=("node_key", "known_at", "start", "end"), name="one_revision_a_stretch"
            ),
        ),
        migrations.AddIndex(
            model_name="routedincident",
            index=models.Index(
                condition=models.Q(("due", True)), fields=["route", "incident"], name="routed_incident_due"
            ),
        ),
        migrations.AddConstraint(
            model_name="routedincident",
            constraint=models.UniqueConstraint(fields=("route", "incident"), name="incident_once_a_route"),
        ),
        migrations.AddConstraint(
            model_name="sample",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("owner__isnull", False), ("team__isnull", True)),
                    models.Q(("owner__isnull", True), ("team__isnull", False)),
                    _connector="OR",
                ),
                name="sample_has_one_owner",
            ),
        ),
        migrations.AddConstraint(
            model_name="plantest",
            constraint=models.UniqueConstraint(fields=("plan", "name"), name="one_test_a_name"),
        ),
        migrations.AddConstraint(
            model_name="samplepart",
            constraint=models.UniqueConstraint(fields=("sample", "stream"), name="one_part_a_stream"),
        ),
        migrations.AddIndex(
            model_name="silence",
            index=models.Index(fields=["ends_at"], name="silence_by_end"),
        ),
        migrations.AddConstraint(
            model_name="silence",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("owner__isnull", False), ("team__isnull", True)),
                    models.Q(("owner__isnull", True), ("team__isnull", False)),
                    _connector="OR",
                ),
                name="silence_has_one_owner",
            ),
        ),
        migrations.AddIndex(
            model_name="sinkkey",
            index=models.Index(fields=["sink", "ends"], name="sink_key_by_end"),
        ),
        migrations.AddConstraint(
            model_name="sinkkey",
            constraint=models.UniqueConstraint(fields=("sink", "node_key"), name="one_row_a_sink_and_key"),
        ),
        migrations.AddField(
            model_name="streamsource",
            name="set_by",
            field=models.ForeignKey(
                help_text="who set its options last: by that person's role it may reach private networks",
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddConstraint(
            model_name="stream",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("owner__isnull", False), ("team__isnull", True)),
                    models.Q(("owner__isnull", True), ("team__isnull", False)),
                    _connector="OR",
                ),
                name="stream_has_one_owner",
            ),
        ),
        migrations.AddConstraint(
            model_name="stream",
            constraint=models.UniqueConstraint(
                condition=models.Q(("trashed_at", None)), fields=("name",), name="one_stream_a_name"
            ),
        ),
        migrations.AddConstraint(
            model_name="stream",
            constraint=models.UniqueConstraint(fields=("name", "generation"), name="one_landing_a_stream"),
        ),
        migrations.AddIndex(
            model_name="rejectedevent",
            index=models.Index(fields=["stream", "kind", "-id"], name="rejected_by_stream"),
        ),
        migrations.AddConstraint(
            model_name="streammeasure",
            constraint=models.UniqueConstraint(fields=("stream", "at"), name="one_measure_a_time"),
        ),
        migrations.AlterUniqueTogether(
            name="streamteampermission",
            unique_together={("group", "permission", "content_object")},
        ),
        migrations.AlterUniqueTogether(
            name="streamuserpermission",
            unique_together={("user", "permission", "content_object")},
        ),
        *audit_guard.OPERATIONS,
    ]
