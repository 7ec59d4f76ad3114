"""`python -m tests.web.trash_killed_at STEP ACT`: an act on the only stream, killed after it has made this step."""

from __future__ import annotations

import sys
from datetime import timedelta
from typing import Any

import django

django.setup()

from django.contrib.auth.models import User  # noqa: E402
from django.utils import timezone  # noqa: E402

from tests.web.push_killed_at import kill_after  # noqa: E402
from timeline_app.fs import durable  # noqa: E402
from timeline_app.web.core import audit_writing  # noqa: E402
from timeline_app.web.models import Stream  # noqa: E402
from timeline_app.web.workspace import trash, trash_purge  # noqa: E402

STEPS: dict[str, tuple[Any, str]] = {
    "readers ended": (trash, "_end_readers"),
    "row of the trash": (trash, "_put_into_trash"),
    "rows moved": (trash, "_move_rows"),
    "written down": (audit_writing, "note"),
    "claimed": (trash_purge, "_claim"),
    "removed": (durable, "remove_all"),
    "purged": (trash_purge, "_purge"),
    "done": (sys.modules[__name__], "run_action"),
}


def run_action(name: str) -> None:
    ada = User.objects.get()
    gone = Stream.everything.filter(trashed_at__isnull=False).order_by("pk").first()
    if name == "delete":
        trash.delete_stream(stream=Stream.objects.get(), user=ada)
    elif name == "empty":
        trash.empty_stream(stream=Stream.objects.get(), user=ada)
    elif name == "restore":
        assert gone is not None
        trash.restore_from_trash(number=gone.pk, user=ada)
    else:
        trash_purge.purge_trash(timezone.now() + timedelta(days=2))


if __name__ == "__main__":
    if sys.argv[1] != "never":
        kill_after(*STEPS[sys.argv[1]])
    run_action(sys.argv[2])
