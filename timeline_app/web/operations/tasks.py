"""Tasks carry the name of the request that asked for them, and say in the log which they are."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from celery.signals import before_task_publish, task_postrun, task_prerun

from timeline_app.web.operations import context

CARRIED = "request_id"
_running: dict[str, AbstractContextManager[None]] = {}


def carry(headers: dict[str, Any] | None = None, **_: Any) -> None:
    """What is asked for while a request is answered carries its name."""
    if headers is not None and (name := context.request_id()):
        headers.setdefault(CARRIED, name)


def begins(task_id: str, task: Any, **_: Any) -> None:
    """From here on lines are of this task; it is run, and ends, in one thread."""
    name = getattr(task.request, CARRIED, None) or ""
    facts = {"task": task.name.rpartition(".")[2], "task_id": task_id, "request": str(name)}
    _running[task_id] = manager = context.about(**facts)
    manager.__enter__()


def ends(task_id: str, **_: Any) -> None:
    """And no longer."""
    if manager := _running.pop(task_id, None):
        manager.__exit__(None, None, None)


def connect() -> None:
    """Listen to Celery."""
    before_task_publish.connect(carry, dispatch_uid="carry")
    task_prerun.connect(begins, dispatch_uid="begins")
    task_postrun.connect(ends, dispatch_uid="ends")
