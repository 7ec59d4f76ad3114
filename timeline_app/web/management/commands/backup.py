"""`manage.py backup PATH`: a backup of all stored data, made while the product runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from timeline_app.web.ops.backup.archive import Refused
from timeline_app.web.ops.backup.create import create_backup


class Command(BaseCommand):
    """Makes a backup."""

    help = "Write a copy of everything that is kept into a new directory, while the product runs or not."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", type=Path, help="a directory that is not there yet")
        parser.add_argument(
            "--secrets", action="store_true", help="also the key that signs sessions, and the demo's login"
        )

    def handle(self, *_arguments: Any, **options: Any) -> None:
        try:
            manifest = create_backup(
                options["path"].resolve(), secrets=options["secrets"], tell=self.stderr.write
            )
        except (Refused, OSError) as why:
            raise CommandError(f"There is no backup: {why}") from why
        size = sum(size for size, _ in manifest.files.values())
        self.stdout.write(f"{options['path']}: {len(manifest.files)} files, {size / 2**20:.1f} MiB")
