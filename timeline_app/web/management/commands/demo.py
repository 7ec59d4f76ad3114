"""`manage.py demo`: the demo user, streams and plans."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from timeline_app.web.workspace.demos import ensure_demo, get_login_file


class Command(BaseCommand):
    """Creates what is missing of the demos."""

    help = "Make the demo user, streams and plans, and mark the first to run. Changes nothing that is there."

    def handle(self, *_args: Any, **_options: Any) -> None:
        login = ensure_demo()
        self.stdout.write(
            f"The demos are there. Log in as {login['username']}; the password is in {get_login_file()}."
        )
