"""`manage.py restore PATH`: restore a backup into an empty installation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from timeline_app.web.ops.backup.archive import Refused
from timeline_app.web.ops.backup.restore import check_backup, restore


class Command(BaseCommand):
    """Restores a backup."""

    help = "Put a backup back into TIMELINE_DATA and the database, both empty; it is verified first."
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", type=Path, help="what `manage.py backup` has written")
        parser.add_argument("--check", action="store_true", help="only look whether it is whole")
        parser.add_argument(
            "--without-secrets", action="store_true", help="go on although its secrets cannot be read here"
        )
        parser.add_argument("--force", action="store_true", help="put aside what is there, and go on")

    def handle(self, *_arguments: Any, **options: Any) -> None:
        folder = options["path"].resolve()
        try:
            if options["check"]:
                manifest = check_backup(folder)
            else:
                manifest = restore(
                    folder,
                    force=options["force"],
                    without_secrets=options["without_secrets"],
                    tell=self.stderr.write,
                )
        except (Refused, OSError) as why:
            raise CommandError(f"Nothing was restored: {why}") from why
        done_words = "is whole" if options["check"] else "is restored"
        self.stdout.write(
            f"The backup of {manifest.made_at} {done_words}: {manifest.counts.get('plans', 0)} plans."
        )
