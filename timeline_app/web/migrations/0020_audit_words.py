from typing import Any

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from timeline_app.web.core.trigrams import DROP, index_audit


def index(_apps: Any, editor: BaseDatabaseSchemaEditor) -> None:
    """Trigrams of all that the search looks into; without the extension it looks at every entry, and is as right."""
    if why := index_audit(editor.connection):
        print(f" (the activity is searched without an index: {why})", end="")


def no_index(_apps: Any, editor: BaseDatabaseSchemaEditor) -> None:
    """As it was; the extension stays, for others may use it."""
    if editor.connection.vendor == "postgresql":
        with editor.connection.cursor() as cursor:
            cursor.execute(DROP)


class Migration(migrations.Migration):
    dependencies = [("web", "0019_list_orders")]

    operations = [migrations.RunPython(index, no_index)]
