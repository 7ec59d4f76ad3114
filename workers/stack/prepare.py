"""`python -m workers.stack.prepare [--demo] [--first FD]` prepares the database before the web server starts.

It is one process, because starting Django for each command would take longer than the commands. The login of a new
administrator is written to that file descriptor, a pipe, and nowhere else.
"""

from __future__ import annotations

import argparse
import os

import django
from django.core.management import call_command

from timeline_app.starting import exit_with_sentence


def main(demo: bool, first: int | None) -> None:
    """Migrate; then create the demo, or an administrator where there is none."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "timeline_app.settings")
    print("loading the product", flush=True)
    django.setup()
    print("looking which tables are missing", flush=True)
    call_command("migrate", interactive=False)
    if demo:
        print("making the demos", flush=True)
        call_command("demo")
    elif first is not None:
        call_command("administrator", to=first)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--demo", action="store_true")
    parser.add_argument("--first", type=int, default=None)
    arguments = parser.parse_args()
    with exit_with_sentence():
        main(arguments.demo, arguments.first)
