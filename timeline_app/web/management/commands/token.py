"""`manage.py token USER NAME`: a token for a program, printed once."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError

from timeline_app.web.core.errors import ApiError
from timeline_app.web.models.tokens import Scope
from timeline_app.web.people.token_services import DEFAULT_TOKEN_DAYS, MAX_TOKEN_DAYS, create_token


class Command(BaseCommand):
    """Creates a token."""

    help = "Make a token for a program that calls the API, and print it; it is never shown again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("user")
        parser.add_argument("name", help="what it is for")
        parser.add_argument(
            "--scopes", default="read", help=f"separated by commas, of {', '.join(Scope.values)}"
        )
        parser.add_argument(
            "--days", type=int, default=DEFAULT_TOKEN_DAYS, help=f"until it expires, at most {MAX_TOKEN_DAYS}"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["user"], is_active=True).first()
        if user is None:
            raise CommandError(f"There is no user {options['user']!r}.")
        scopes = [part.strip() for part in options["scopes"].split(",") if part.strip()]
        if strange := [scope for scope in scopes if scope not in Scope.values] or (
            not scopes and ["nothing"]
        ):
            raise CommandError(f"There is no scope {strange[0]!r}; there are {', '.join(Scope.values)}.")
        if not 1 <= options["days"] <= MAX_TOKEN_DAYS:
            raise CommandError(f"--days must be from 1 to {MAX_TOKEN_DAYS}.")
        if not 1 <= len(options["name"]) <= 100:
            raise CommandError("A name has from 1 to 100 characters.")
        try:
            _, text = create_token(user=user, name=options["name"], scopes=scopes, days=options["days"])
        except ApiError as why:
            raise CommandError(why.message) from None
        self.stdout.write(text)
