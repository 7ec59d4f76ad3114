"""`celery -A tests.stack.hanging`: our worker, with a task that never ends, and little patience with it."""

from __future__ import annotations

import threading

from workers import celery

celery.LONGEST_STANDSTILL = 2.0
app = celery.app


@app.task(name="hang")
def hang() -> None:
    """Wait for what never comes."""
    threading.Event().wait()
