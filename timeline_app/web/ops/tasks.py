"""Celery tasks carry the id of the request that caused them, log their context, and are counted."""

from __future__ import annotations

import logging
import time
from contextlib import AbstractContextManager
from typing import Any

from celery.signals import before_task_publish, task_postrun, task_prerun
from redis.exceptions import RedisError

from timeline_app.web.core import log_context
from timeline_app.web.ops import worker_counts

REQUEST_ID_KEY = "request_id"
log = logging.getLogger(__name__)
_running: dict[str, tuple[AbstractContextManager[None], float]] = {}


def pass_request_id(headers: dict[str, Any] | None = None, **_: Any) -> None:
    """Attach the id of the current request to a task that it sends."""
    if headers is not None and (name := log_context.get_request_id()):
        headers.setdefault(REQUEST_ID_KEY, name)


def begin_task(task_id: str, task: Any, **_: Any) -> None:
    """Start the logging context of a task; it begins and ends in one thread."""
    name = getattr(task.request, REQUEST_ID_KEY, None) or ""
    facts = {"task": get_short_name(task), "task_id": task_id, "request": str(name)}
    manager = log_context.log_facts(**facts)
    _running[task_id] = manager, time.monotonic()
    manager.__enter__()


def end_task(task_id: str, task: Any, state: str | None = None, **_: Any) -> None:
    """End the logging context, and count the task."""
    if (running := _running.pop(task_id, None)) is None:
        return
    manager, started = running
    try:
        worker_counts.count(get_short_name(task), (state or "unknown").lower(), time.monotonic() - started)
    except (RedisError, OSError) as why:
        log.debug("the task is not counted: %s", why)
    manager.__exit__(None, None, None)


def get_short_name(task: Any) -> str:
    """Return a task's name without its module."""
    return str(task.name).rpartition(".")[2]


def connect() -> None:
    before_task_publish.connect(pass_request_id, dispatch_uid="carry")
    task_prerun.connect(begin_task, dispatch_uid="begins")
    task_postrun.connect(end_task, dispatch_uid="ends")
