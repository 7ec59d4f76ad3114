"""`manage.py migrate`: Django's command, with two steps before it. Each start of the product runs it."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.core.management.commands import migrate

from timeline_app.web.ops import probes
from timeline_app.web.ops.backup import restore


class Command(migrate.Command):
    """Completes an interrupted restore, refuses the database of another version, then migrates."""

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--skip-restore", action="store_true", help="do not end a restore that was killed"
        )

    def handle(self, *arguments: Any, **options: Any) -> None:
        if not options.pop("skip_restore", False):
            restore.complete_restore()
        _refuse_other_versions()
        super().handle(*arguments, **options)


def _refuse_other_versions() -> None:
    if unknown := probes.list_unknown_migrations():
        raise CommandError(
            f"The tables of this database are of another version ({', '.join(unknown[:3])} unknown here). Start that"
            " version, restore a backup of this one, or begin with an empty database: docs/upgrading.md."
        )
