"""Everybody has a role, nodes know the plans that used them, and the audit cannot be changed."""

from __future__ import annotations

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

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


def give_roles(apps: Apps, _editor: BaseDatabaseSchemaEditor) -> None:
    """Administrators stay what they are, staff operate, all others edit."""
    users, members = apps.get_model("auth", "User"), apps.get_model("web", "Member")
    members.objects.bulk_create(
        members(user=one, role="admin" if one.is_superuser else "operator" if one.is_staff else "editor")
        for one in users.objects.all()
    )


def know_readers(apps: Apps, _editor: BaseDatabaseSchemaEditor) -> None:
    """A plan that uses a node lets those look at it who may look at the plan."""
    uses, readers = apps.get_model("web", "PlanNode"), apps.get_model("web", "Node").readers.through
    pairs = uses.objects.values_list("node_id", "plan_id").distinct()
    readers.objects.bulk_create(readers(node_id=node, plan_id=plan) for node, plan in pairs)


def guard(_apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    """The database itself refuses to change what was written."""
    statements = POSTGRESQL if editor.connection.vendor == "postgresql" else (SQLITE,)
    for statement in statements:
        editor.execute(statement)


def unguard(_apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    """Take the guard away."""
    on = " ON web_auditentry" if editor.connection.vendor == "postgresql" else ""
    editor.execute(f"DROP TRIGGER audit_stays{on}")
    if on:
        editor.execute("DROP FUNCTION audit_stays()")


class Migration(migrations.Migration):
    """Data and guard of 0014."""

    dependencies = (("web", "0014_people"),)
    operations = (
        migrations.RunPython(give_roles, migrations.RunPython.noop),
        migrations.RunPython(know_readers, migrations.RunPython.noop),
        migrations.RunPython(guard, unguard),
    )
