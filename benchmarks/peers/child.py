"""`python -m benchmarks.peers.child EVENTS LAST WORK WAY`: run one peer in this process; JSON is on the last line."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path

from benchmarks.events import Events
from benchmarks.peers.question import write_answer
from benchmarks.peers.ways import find_way
from workers.spark.connect.server import end_with_parent


def main(folder: str, last: str, work: str, name: str) -> None:
    """Write the answer to `WORK/answer.parquet`, and print the batches; end with the parent."""
    end_with_parent()
    answer = find_way(name)(Events(Path(folder)), int(last), Path(work))
    if answer.answer is not None:
        write_answer(Path(work) / "answer.parquet", answer.answer)
    queries = [[asdict(batch) for batch in batches] for batches in answer.queries]
    print(json.dumps({"queries": queries, "cpu": answer.cpu, "peak": _read_peak_bytes()}))


def _read_peak_bytes() -> int:
    """Return the peak memory of this process in bytes; `getrusage` would include the parent's."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))


if __name__ == "__main__":
    main(*sys.argv[1:])
