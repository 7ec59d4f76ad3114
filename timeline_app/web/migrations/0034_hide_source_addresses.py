"""Paths and queries of the addresses of HTTP sources are kept with the secrets, as those of webhooks are."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from django.db import migrations

from timeline_app.connectors.masked_addresses import options_masked
from timeline_app.web.core.secrets import Unreadable, decrypt, encrypt


def hide_addresses(apps: Any, _editor: Any) -> None:
    """What cannot be read under this key is hidden all the same: such a source stands still until it is set anew."""
    for source in apps.get_model("web", "StreamSource").objects.filter(kind="http").iterator():
        whole, short = source.options, options_masked(source.options)
        if whole.get("url") == short.get("url"):
            continue
        source.options = whole | {"url": short["url"]}
        with suppress(Unreadable):
            source.secrets = encrypt(decrypt(source.secrets) | {"url": whole["url"]})
        source.save(update_fields=["options", "secrets"])


class Migration(migrations.Migration):
    dependencies = [("web", "0033_document_sizes")]

    operations = [migrations.RunPython(hide_addresses, migrations.RunPython.noop, elidable=True)]
