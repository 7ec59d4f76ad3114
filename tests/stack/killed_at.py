"""`python -m tests.stack.killed_at STEP`: the intake, which is killed the first time that it has made this step."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from typing import Any

import django

django.setup()

import workers.connectors.intake as process  # noqa: E402
from timeline_app.landing.group_commit import GroupCommit  # noqa: E402
from timeline_app.web.streams import measure_writer, quarantine, source_intake  # noqa: E402

STEPS: dict[str, tuple[Any, str]] = {
    "read": (source_intake, "decode_messages"),
    "rows written": (quarantine, "_write_rows"),
    "staged": (quarantine, "stage_refused"),
    "compared": (quarantine, "_is_same_position"),
    "landed": (GroupCommit, "land"),
    "counted": (measure_writer, "count_refused"),
    "confirmed": (quarantine, "confirm_refused"),
    "kept": (quarantine, "keep_refused"),
    "passed by": (process, "pass_by"),
}
"""By name the function after which the process is killed: what it wrote may be committed or not."""


def kill_after(owner: Any, name: str) -> None:
    """Replace a function by one that does the same and then kills this process, once it has had something to do."""
    original: Callable[..., Any] = getattr(owner, name)

    def call(*args: Any, **more: Any) -> Any:
        idle = name == "pass_by" and not args[1].refused
        result = original(*args, **more)
        idle = idle or (name == "decode_messages" and not (result.lines or result.wrong))
        if not idle:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    setattr(owner, name, call)


if __name__ == "__main__":
    if sys.argv[1] != "never":
        kill_after(*STEPS[sys.argv[1]])
    process.main()
