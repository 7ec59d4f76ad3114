"""`manage.py demo`: the demo user, stream and plan."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from timeline_app.web.services.demo import ensure_demo, login_file


class Command(BaseCommand):
    """Makes what is missing, and nothing twice."""

    help = "Make the demo user, stream and plan, and mark the plan to run. Changes nothing that is there."

    def handle(self, *_args: Any, **_options: Any) -> None:
        """Make what is missing."""
        login = ensure_demo()
        self.stdout.write(
            f"The demo is there. Log in as {login['username']}; the password is in {login_file()}."
        )
