"""PostgreSQL's index for searching the activity, where the required extension can be created."""

from __future__ import annotations

from django.db import DatabaseError, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

EXTENSION = "CREATE EXTENSION IF NOT EXISTS pg_trgm"
NAME = "audit_by_words"
INDEX = f"""
CREATE INDEX IF NOT EXISTS {NAME} ON web_auditentry USING gin
(UPPER((name || '\n' || act || '\n' || actor_name || '\n' || reason)) gin_trgm_ops)
"""
DROP = f"DROP INDEX IF EXISTS {NAME}"


def index_audit(connection: BaseDatabaseWrapper) -> str:
    """Create the index; return why it could not be created, or "". Other databases search without it."""
    if connection.vendor != "postgresql":
        return ""
    try:
        with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
            cursor.execute(EXTENSION)
            cursor.execute(INDEX)
    except DatabaseError as why:
        return str(why).strip().splitlines()[0]
    return ""
