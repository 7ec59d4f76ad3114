"""The spool of a delivery: a batch is on disk before any of it is sent, so that it is the same after a kill."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from timeline_app.fs import durable

_FACTS = b"delivery"


@dataclass(frozen=True, slots=True)
class Spooled:
    """A batch: its rows, and the facts (JSON) to record once it is published."""

    rows: pa.Table
    facts: Mapping[str, Any]


class Spool:
    """The batches of one delivery that may be unpublished: one at most, unless a process died."""

    def __init__(self, path: Path) -> None:
        """The directory is made with the first batch."""
        self.path = path

    def get(self, batch: int) -> Spooled | None:
        """Return a batch; None where it was never put. Raises `OSError` where it cannot be read."""
        path = self._of(batch)
        if not path.exists():
            return None
        with durable.wrap_read_errors(path):
            rows = pa.ipc.open_file(pa.memory_map(str(path))).read_all()
            facts = json.loads(rows.schema.metadata[_FACTS])
        return Spooled(rows.replace_schema_metadata(None), facts)

    def put(self, batch: int, spooled: Spooled) -> Spooled:
        """Define a batch once: return the first writer's batch."""
        durable.make_folders(self.path)
        rows = spooled.rows.replace_schema_metadata({_FACTS: json.dumps(spooled.facts).encode()})
        with durable.open_staged_file(self.path) as (draft, sink):
            with pa.ipc.new_file(sink, rows.schema) as writer:
                writer.write_table(rows)
            durable.sync_file(sink)
            try:
                os.link(draft, self._of(batch))
            except FileExistsError:
                durable.sync_folder(self.path)  # the first writer may not have synced the name yet
                return self.get(batch) or spooled
        durable.sync_folder(self.path)
        return spooled

    def drop(self, batch: int) -> None:
        """Remove a batch whose publishing is recorded, and all before it."""
        for path in self.path.glob("*.arrow"):
            if path.stem.isdecimal() and int(path.stem) <= batch:
                path.unlink(missing_ok=True)

    def remove(self) -> None:
        """Remove the spool of a delivery that was given up."""
        shutil.rmtree(self.path, ignore_errors=True)

    def _of(self, batch: int) -> Path:
        return self.path / f"{batch:012d}.arrow"
