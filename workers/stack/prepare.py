"""`python -m workers.stack.prepare [--demo]`: what the web needs before it starts.

One process, because starting Django for each command would take longer than the commands.
"""

from __future__ import annotations

import os
import sys

import django
from django.core.management import call_command


def main(demo: bool) -> None:
    """Migrate, and make the demo when it is wanted."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "timeline_app.settings")
    django.setup()
    call_command("migrate", interactive=False)
    if demo:
        call_command("demo")


if __name__ == "__main__":
    main("--demo" in sys.argv[1:])
