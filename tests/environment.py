"""Under which settings tests run, so that none touches a running product. Loaded by pytest before Django's settings."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

ON = "TESTS_DATABASE_URL"
"""Set by `python -m tests.postgres`: the database that the tests use instead of SQLite."""
MEMORY = Path("/dev/shm")
"""Where Linux keeps files that need no disk: what tests write is of no use after a power failure."""
DATA = Path(tempfile.mkdtemp(prefix="timelines-tests-", dir=MEMORY if os.access(MEMORY, os.W_OK) else None))

for name in [name for name in os.environ if name.startswith("TIMELINE_")]:
    del os.environ[name]
os.environ |= {
    "TIMELINE_DATA": str(DATA),
    "DATABASE_URL": os.environ.get(ON, ""),
    "REDIS_URL": "redis://127.0.0.1:1/0",
}
