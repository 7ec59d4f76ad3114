"""A sink belongs to who added it, else to the owner of its node; addresses of webhooks are kept with the secrets."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from timeline_app.connectors.masked_addresses import options_masked
from timeline_app.web.core.secrets import Unreadable, decrypt, encrypt


def give_to_who_added_it(apps: Any, _editor: Any) -> None:
    """Nobody is left without an owner."""
    for sink in apps.get_model("web", "NodeSink").objects.select_related("node").iterator():
        if sink.added_by_id is not None:
            sink.owner_id = sink.added_by_id
        else:
            sink.owner_id, sink.team_id = sink.node.owner_id, sink.node.team_id
        sink.save(update_fields=["owner", "team"])


def hide_addresses(apps: Any, _editor: Any) -> None:
    """What cannot be read under this key is hidden all the same: such a sink stands still until it is set anew."""
    for sink in apps.get_model("web", "NodeSink").objects.filter(kind="webhook").iterator():
        whole, short = sink.options, options_masked(sink.options)
        if whole.get("url") == short.get("url"):
            continue
        sink.options = whole | {"url": short["url"]}
        with suppress(Unreadable):
            sink.secrets = encrypt(decrypt(sink.secrets) | {"url": whole["url"]})
        sink.save(update_fields=["options", "secrets"])


class Migration(migrations.Migration):
    dependencies = [
        ("web", "0027_who_set_sources_and_sinks"),
        ("auth", "0012_alter_user_first_name_max_length"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterModelOptions(name="nodesink", options={"ordering": ["pk"], "verbose_name": "sink"}),
        migrations.AddField(
            model_name="nodesink",
            name="owner",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="%(class)ss",
                to=settings.AUTH_USER_MODEL,
                help_text="the person to whom it belongs",
            ),
        ),
        migrations.AddField(
            model_name="nodesink",
            name="team",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="%(class)ss",
                to="auth.group",
                help_text="or the team: each of its members may do with it what an owner may",
            ),
        ),
        migrations.RunPython(give_to_who_added_it, migrations.RunPython.noop, elidable=True),
        migrations.RunPython(hide_addresses, migrations.RunPython.noop, elidable=True),
    ]
