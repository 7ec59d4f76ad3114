"""`manage.py administrator`: the first administrator of an installation."""

from __future__ import annotations

import json
import os
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from timeline_app.web.people.administrators import create_first_administrator

EXISTS_MESSAGE = "There is an administrator already. `manage.py password NAME` makes a new password."


class Command(BaseCommand):
    """Creates an administrator if there is none."""

    help = "Make an administrator where there is none, and print a password for the first login, this once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--to", type=int, help="tell it this file descriptor, a pipe, as JSON")

    def handle(self, *_args: Any, **options: Any) -> None:
        created = create_first_administrator()
        if options["to"] is not None:
            with os.fdopen(options["to"], "w") as out:
                out.write(json.dumps({"username": created[0], "password": created[1]}) if created else "")
        elif created is None:
            self.stdout.write(EXISTS_MESSAGE)
        else:
            self.stdout.write(f"login: {created[0]}   password, for the first login only: {created[1]}")
