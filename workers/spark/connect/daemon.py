"""The process that forks Spark's Python workers, with everything they need imported already.

Spark starts it as `spark.python.daemon.module`. Forked workers start at once and share memory; `gc.freeze` keeps
permanent objects out of the garbage collection after each task, which took 20 ms and more.
"""

from __future__ import annotations

import gc
import sys


def preload() -> None:
    """Import the host for workers that run it; workers that only plan reads need less."""
    if sys.argv[1:2] == ["pyspark.worker"]:
        import workers.spark.hosts.region  # noqa: PLC0415
        import workers.spark.hosts.whole_aggregate  # noqa: F401, PLC0415
    gc.collect()
    gc.freeze()


if __name__ == "__main__":
    from pyspark.daemon import manager

    preload()
    manager()
