"""`manage.py password NAME`: a one-time password for somebody who forgot theirs."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError

from timeline_app.web.people.administrators import reset_password_from_shell


class Command(BaseCommand):
    """Creates a one-time password and prints it once."""

    help = "Make a password for one login, and print it; it is never shown again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="of the person")
        parser.add_argument(
            "--keep-tokens",
            action="store_true",
            help="without it, the person's tokens end with the old password",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        named = User.objects.filter(username=options["name"].replace("\0", " "), is_active=True)
        person = named.first()
        if person is None:
            raise CommandError(f"Nobody here is called {options['name']!r}, or the person cannot log in.")
        self.stdout.write(reset_password_from_shell(person=person, keep_tokens=options["keep_tokens"]))
