"""The log by the number of its key, in an order that tells what was known when; JSON as text."""

import django.db.models.deletion
from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

import timeline_app.web.models.fields
from timeline_app.web.models import BEGINNING, OPEN, NodeKey


def number_keys(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    """Digest every key, lead every revision to its key, and write null as the least and greatest number."""
    keys = apps.get_model("web", "NodeKey")
    for key in keys.objects.iterator():
        key.digest = NodeKey.digest_of(key.key)
        key.save(update_fields=["digest"])
    with editor.connection.cursor() as cursor:
        cursor.execute(
            'UPDATE web_revision SET start = COALESCE(start, %s), "end" = COALESCE("end", %s), node_key_id ='
            " (SELECT k.id FROM web_nodekey k WHERE k.node_id = web_revision.node_id AND k.key = web_revision.key)",
            [BEGINNING, OPEN],
        )
        cursor.execute(
            "UPDATE web_nodekey SET unfolded = (SELECT count(*) FROM web_revision WHERE node_key_id = web_nodekey.id),"
            " unfolded_since = (SELECT min(known_at) FROM web_revision WHERE node_key_id = web_nodekey.id)"
        )
        if editor.connection.vendor == "postgresql":  # a table that waits to be checked cannot be changed
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def part_instants(apps: Apps, _editor: BaseDatabaseSchemaEditor) -> None:
    """Give each version of a node an instant of its own; a clock that went back had left some with the same."""
    log = apps.get_model("web", "Revision")
    for node in apps.get_model("web", "Node").objects.all():
        last = -1
        versions = log.objects.filter(node=node).values_list("version", "known_at").distinct()
        for version, known_at in versions.order_by("version"):
            if known_at <= last:
                log.objects.filter(node=node, version=version).update(known_at=last + 1)
            last = max(last + 1, known_at)
        node.as_of = None if node.as_of is None else max(node.as_of, last)
        node.save(update_fields=["as_of"])


def json_text(model: str, name: str, **options: object) -> migrations.AlterField:
    """A JSON column that becomes text."""
    return migrations.AlterField(model, name, timeline_app.web.models.fields.JsonText(**options))


class Migration(migrations.Migration):
    dependencies = [("web", "0004_supervision")]

    operations = [
        json_text("node", "horizons", default=dict, help_text="how far each source has come, microseconds"),
        json_text(
            "node",
            "program",
            default=dict,
            help_text="what it takes to compute this node alone, as a document",
        ),
        json_text("plan", "document"),
        json_text(
            "query", "offsets", default=dict, help_text="by batch, how far its last ones read: next numbers"
        ),
        json_text("plan", "running_document", null=True, blank=True, help_text="the document as it was run"),
        json_text(
            "query", "program", help_text="what it computes: timeline_app.compiler.Program as a document"
        ),
        json_text(
            "query",
            "taken_over",
            default=dict,
            help_text="by digest of a node that came from another query, how far that one read: number by source",
        ),
        json_text("stream", "document", help_text="key, time, unit, id, fields, allowed_lateness, retention"),
        json_text("stream", "seen_fields", default=list, help_text="field names seen, declared or not"),
        migrations.AlterField(
            "stream", "name", timeline_app.web.models.fields.BytewiseChars(max_length=100, unique=True)
        ),
        migrations.AlterField(
            "plannode", "name", timeline_app.web.models.fields.BytewiseChars(blank=True, max_length=200)
        ),
        migrations.AddField(
            "node",
            "known_from",
            models.BigIntegerField(
                null=True,
                help_text="the log tells what was known at any instant since then; null: since ever",
            ),
        ),
        migrations.AddField("nodekey", "digest", models.BinaryField(max_length=16, null=True)),
        migrations.AddField(
            "nodekey",
            "unfolded",
            models.IntegerField(default=0, help_text="how many of its revisions were never compacted"),
        ),
        migrations.AddField(
            "nodekey",
            "unfolded_since",
            models.BigIntegerField(null=True, help_text="when the oldest of them became known"),
        ),
        migrations.AddField(
            "revision",
            "node_key",
            models.ForeignKey("web.NodeKey", models.CASCADE, related_name="log", db_index=False, null=True),
        ),
        migrations.RunPython(number_keys, migrations.RunPython.noop, elidable=True),
        migrations.RunPython(part_instants, migrations.RunPython.noop, elidable=True),
        migrations.RemoveConstraint("revision", "one_revision_a_version"),
        migrations.RemoveIndex("revision", "revision_by_known_at"),
        migrations.RemoveField("revision", "node"),
        migrations.RemoveField("revision", "key"),
        migrations.RemoveConstraint("nodekey", "one_row_a_key"),
        migrations.AlterField("nodekey", "key", timeline_app.web.models.fields.BytewiseText()),
        migrations.AlterField(
            "nodekey",
            "digest",
            models.BinaryField(max_length=16, help_text="of the key, which may be too long for an index"),
        ),
        migrations.AlterField(
            "nodekey",
            "node",
            models.ForeignKey(
                "web.Node", django.db.models.deletion.CASCADE, related_name="keys", db_index=False
            ),
        ),
        migrations.AlterField(
            "revision",
            "node_key",
            models.ForeignKey("web.NodeKey", models.CASCADE, related_name="log", db_index=False),
        ),
        migrations.AlterField("revision", "version", models.BigIntegerField(help_text="of the node; grows")),
        migrations.AlterField(
            "revision",
            "start",
            models.BigIntegerField(default=BEGINNING, help_text="the least number: since ever"),
        ),
        migrations.AlterField(
            "revision",
            "end",
            models.BigIntegerField(default=OPEN, help_text="the greatest number: open"),
        ),
        migrations.AlterField(
            "revision",
            "pieces",
            timeline_app.web.models.fields.Pieces(
                help_text="[[t, value] …] or, for numbers, [[t, value, slope] …]"
            ),
        ),
        migrations.AddField("revision", "folded", models.BooleanField(default=False)),
        migrations.AddConstraint(
            "nodekey", models.UniqueConstraint(fields=["node", "digest"], name="one_row_a_key")
        ),
        migrations.AddConstraint(
            "revision",
            models.UniqueConstraint(
                fields=["node_key", "known_at", "start", "end"], name="one_revision_a_stretch"
            ),
        ),
    ]
