"""`manage.py migrate`, as Django's, after it has ended a restore that was killed. Each start of the product runs it."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser
from django.core.management.commands import migrate

from timeline_app.web.ops.backup import restore


class Command(migrate.Command):
    """End a restore, if one was begun here and did not end, then migrate."""

    def add_arguments(self, parser: CommandParser) -> None:
        """Django's."""
        super().add_arguments(parser)
        parser.add_argument(
            "--skip-restore", action="store_true", help="do not end a restore that was killed"
        )

    def handle(self, *arguments: Any, **options: Any) -> None:
        """Django's."""
        if not options.pop("skip_restore", False):
            restore.end()
        super().handle(*arguments, **options)
