"""`python -m workers.stack.prepare [--demo]`: what the database and the static files need before the web starts.

One process, because starting Django for each command would take longer than the commands.
"""

from __future__ import annotations

import os
import sys

import django
from django.conf import settings
from django.core.management import call_command


def main(demo: bool) -> None:
    """Migrate, collect static files, and make the demo when it is wanted."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "timeline_app.settings")
    django.setup()
    call_command("migrate", interactive=False)
    if settings.STATIC_ROOT:
        call_command("collectstatic", interactive=False)
    if demo:
        call_command("demo")


if __name__ == "__main__":
    main("--demo" in sys.argv[1:])
