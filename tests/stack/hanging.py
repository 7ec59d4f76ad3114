"""`celery -A tests.stack.hanging`: our worker, with a task that never ends, and little patience with it."""

from __future__ import annotations

import threading

from workers import celery

celery.HANGS_AFTER_S = 10.0  # longer than Celery waits, 2 and then 4 s, before it tries a broker again
app = celery.app


@app.task(name="hang")
def hang() -> None:
    """Wait for what never comes."""
    threading.Event().wait()
