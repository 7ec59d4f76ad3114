"""`python -m workers.class_archive` archives Spark's loaded classes for later starts of the server.

With the archive (class data sharing, JEP 350) a server starts in about half the time and answers its first request
sooner. A run of a demo's plan fills it. Java ignores it when Java or a jar has changed.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "timeline_app.settings")
django.setup()

from workers.engine.warming import start_first_plan  # noqa: E402
from workers.spark.connect.embedded_server import start_embedded_server  # noqa: E402
from workers.spark.connect.server import CLASSES  # noqa: E402
from workers.spark.connect.session import get_session  # noqa: E402

_RUN_TIMEOUT_S = 300


def archive(target: Path = CLASSES) -> None:
    """Write the archive, whole or not at all. Raises NoServer, TimeoutError, and Spark's errors."""
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh = target.with_suffix(".new")
    fresh.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(prefix="timelines-classes-") as folder:
        data = Path(folder)
        with start_embedded_server(data, classes_to=fresh) as address:
            query = start_first_plan(get_session(address, str(data)), data / "first")
            if not query.awaitTermination(_RUN_TIMEOUT_S):
                raise TimeoutError(f"the first plan did not end within {_RUN_TIMEOUT_S} s")
    fresh.chmod(0o644)  # the archive is not secret, and another user may have built it into the image
    fresh.replace(target)


def main() -> None:
    """Write the archive, and print its path."""
    archive()
    print(f"{CLASSES}, {CLASSES.stat().st_size / 1e6:.0f} MB", file=sys.stderr)


if __name__ == "__main__":
    main()
