"""Under which settings tests run, so that none touches a running product. Loaded by pytest before Django's settings."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

ON = "TESTS_DATABASE_URL"
"""Set by `python -m tests.postgres`: the database that the tests use instead of SQLite."""
MEMORY, ROOM = Path("/dev/shm"), 4 << 30
"""Where Linux keeps files that need no disk, if that many bytes are free: tests need nothing after a power failure."""


def _choose_folder() -> Path | None:
    """Where to put what tests write; none for the usual place."""
    roomy = os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free >= ROOM
    return MEMORY if roomy else None


DATA = Path(tempfile.mkdtemp(prefix="timelines-tests-", dir=_choose_folder()))

for name in [name for name in os.environ if name.startswith("TIMELINE_")]:
    del os.environ[name]
os.environ |= {
    "TIMELINE_DATA": str(DATA),
    "DATABASE_URL": os.environ.get(ON, ""),
    "REDIS_URL": "redis://127.0.0.1:3/0",  # nobody; tests that mean nobody as a target say port 1
    "TIMELINE_REACHES": "loopback",  # where tests let their own servers listen
}
