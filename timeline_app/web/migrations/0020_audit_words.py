from typing import Any

from django.db import DatabaseError, migrations, transaction
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

EXTENSION = "CREATE EXTENSION IF NOT EXISTS pg_trgm"
INDEX = """
CREATE INDEX audit_by_words ON web_auditentry USING gin
(UPPER((name || '\n' || act || '\n' || actor_name || '\n' || reason)) gin_trgm_ops)
"""


def index(_apps: Any, editor: BaseDatabaseSchemaEditor) -> None:
    """Trigrams of all that the search looks into; without the extension it looks at every entry, and is as right."""
    if editor.connection.vendor != "postgresql":
        return
    try:
        with transaction.atomic(using=editor.connection.alias), editor.connection.cursor() as cursor:
            cursor.execute(EXTENSION)
            cursor.execute(INDEX)
    except DatabaseError as why:
        print(f" (the activity is searched without an index: {str(why).strip().splitlines()[0]})", end="")


def no_index(_apps: Any, editor: BaseDatabaseSchemaEditor) -> None:
    """As it was; the extension stays, for others may use it."""
    if editor.connection.vendor == "postgresql":
        with editor.connection.cursor() as cursor:
            cursor.execute("DROP INDEX IF EXISTS audit_by_words")


class Migration(migrations.Migration):
    dependencies = [("web", "0019_list_orders")]

    operations = [migrations.RunPython(index, no_index)]
