"""`python -m workers.class_archive`: archives Spark's loaded classes for all later starts of the server.

A server that finds this archive (class data sharing, JEP 350) is there in about half the time, and its first answer
comes sooner. It is made from a run of a demo's plan; Java leaves it alone where itself or a jar is another one.
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

_PATIENCE_S = 300


def archive(target: Path = CLASSES) -> None:
    """Make it anew, whole or not at all; raises NoServer, TimeoutError, and what Spark raises."""
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh = target.with_suffix(".new")
    fresh.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(prefix="timelines-classes-") as folder:
        data = Path(folder)
        with start_embedded_server(data, classes_to=fresh) as address:
            query = start_first_plan(get_session(address, str(data)), data / "first")
            if not query.awaitTermination(_PATIENCE_S):
                raise TimeoutError(f"the first plan did not end within {_PATIENCE_S} s")
    fresh.chmod(0o644)  # it holds nothing of ours, and in an image another user made it
    fresh.replace(target)


def main() -> None:
    """Make it, and say where it is."""
    archive()
    print(f"{CLASSES}, {CLASSES.stat().st_size / 1e6:.0f} MB", file=sys.stderr)


if __name__ == "__main__":
    main()
