"""`python -m tests.web.push_killed_at STEP KEY`: a push of standard input, killed after it has made this step."""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

import django

django.setup()

from timeline_app.landing.group_commit import GroupCommit  # noqa: E402
from timeline_app.web.models import Stream  # noqa: E402
from timeline_app.web.streams import arrival_measures, ingest, measure_writer, quarantine  # noqa: E402

STEPS: dict[str, tuple[Any, str]] = {
    "decoded": (ingest, "build_request"),
    "rows written": (quarantine, "_write_rows"),
    "counted": (measure_writer, "count_refused"),
    "kept": (quarantine, "keep_rejected"),
    "landed": (GroupCommit, "land"),
    "noted": (arrival_measures, "note_taken"),
}
"""By name the function after which the process is killed: what it wrote may be committed or not."""


def kill_after(owner: Any, name: str) -> None:
    """Replace a function by one that does the same, and then kills this process."""
    original = getattr(owner, name)

    def call(*args: Any, **more: Any) -> None:
        original(*args, **more)
        os.kill(os.getpid(), signal.SIGKILL)

    setattr(owner, name, call)


if __name__ == "__main__":
    if sys.argv[1] != "never":
        kill_after(*STEPS[sys.argv[1]])
    ticket = ingest.Ticket(key=sys.argv[2])
    ingest.take_events(stream=Stream.objects.get(), body=sys.stdin.buffer.read(), ticket=ticket)
