"""`manage.py administrator`: the first administrator of an installation."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from timeline_app.web.services.first import first_admin


class Command(BaseCommand):
    """Makes one where there is none, and changes nothing else."""

    help = "Make an administrator where there is none, and print a password for the first login, this once."

    def handle(self, *_args: Any, **_options: Any) -> None:
        """Make it, and tell."""
        made = first_admin()
        if made is None:
            self.stdout.write(
                "There is an administrator already. `manage.py password NAME` makes a new password."
            )
            return
        name, password = made
        self.stdout.write(f"login: {name}   password, for the first login only: {password}")
