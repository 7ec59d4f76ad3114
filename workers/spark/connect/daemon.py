"""The process that Spark forks its Python workers from, with everything that they need imported already.

Spark starts it by `spark.python.daemon.module`. A forked worker then begins at once and shares memory with its
siblings; `gc.freeze` keeps the collection after every task (20 ms and more) away from what never goes.
"""

from __future__ import annotations

import gc
import sys


def preload() -> None:
    """Import the host, for workers that run it; those that only plan a read get nothing that they do not need."""
    if sys.argv[1:2] == ["pyspark.worker"]:
        import workers.spark.hosts.region  # noqa: PLC0415
        import workers.spark.hosts.whole_aggregate  # noqa: F401, PLC0415
    gc.collect()
    gc.freeze()


if __name__ == "__main__":
    from pyspark.daemon import manager

    preload()
    manager()
