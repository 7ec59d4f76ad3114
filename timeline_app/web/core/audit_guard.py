"""Database features for the audit beyond its tables: a trigger that refuses changes, and an index of words."""

from __future__ import annotations

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from timeline_app.web.core.trigrams import DROP, index_audit

WORDS = "the audit is never changed"
SQLITE = f"""
CREATE TRIGGER audit_stays BEFORE UPDATE ON web_auditentry
BEGIN SELECT RAISE(ABORT, '{WORDS}'); END
"""
POSTGRESQL = (
    f"""
CREATE FUNCTION audit_stays() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION '{WORDS}'; END $$
""",
    """
CREATE TRIGGER audit_stays BEFORE UPDATE OR DELETE ON web_auditentry
FOR EACH ROW EXECUTE FUNCTION audit_stays()
""",
)


def add_trigger(_apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    """Make the database refuse changes of audit entries."""
    statements = POSTGRESQL if editor.connection.vendor == "postgresql" else (SQLITE,)
    for statement in statements:
        editor.execute(statement)


def drop_trigger(_apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    on = " ON web_auditentry" if editor.connection.vendor == "postgresql" else ""
    editor.execute(f"DROP TRIGGER audit_stays{on}")
    if on:
        editor.execute("DROP FUNCTION audit_stays()")


def add_index(_apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    """Index all words that a search reads. Without the extension a search scans and finds the same rows."""
    if why := index_audit(editor.connection):
        print(f" (the activity is searched without an index: {why})", end="")


def drop_index(_apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    """Drop the index, but keep the extension, which others may use."""
    if editor.connection.vendor == "postgresql":
        with editor.connection.cursor() as cursor:
            cursor.execute(DROP)


OPERATIONS = (
    migrations.RunPython(add_trigger, drop_trigger),
    migrations.RunPython(add_index, drop_index),
)
