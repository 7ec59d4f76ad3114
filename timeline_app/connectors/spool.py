"""The spool of a delivery: a batch is on disk before any of it is sent, so that it is the same batch after a kill."""

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
    """A batch: its rows, and what is to be written down once it is published (JSON)."""

    rows: pa.Table
    facts: Mapping[str, Any]


class Spool:
    """The batches of one delivery that are not known to be published: one at most, unless somebody died."""

    def __init__(self, path: Path) -> None:
        """A directory of its own, made with the first batch."""
        self.path = path

    def get(self, batch: int) -> Spooled | None:
        """What the batch is; None where it was never put. One that cannot be read is an `OSError`."""
        path = self._of(batch)
        if not path.exists():
            return None
        with durable.wrap_read_errors(path):
            rows = pa.ipc.open_file(pa.memory_map(str(path))).read_all()
            facts = json.loads(rows.schema.metadata[_FACTS])
        return Spooled(rows.replace_schema_metadata(None), facts)

    def put(self, batch: int, spooled: Spooled) -> Spooled:
        """Say what the batch is, once and for all: what whoever came first said."""
        durable.make_folders(self.path)
        rows = spooled.rows.replace_schema_metadata({_FACTS: json.dumps(spooled.facts).encode()})
        with durable.open_staged_file(self.path) as (draft, sink):
            with pa.ipc.new_file(sink, rows.schema) as writer:
                writer.write_table(rows)
            durable.sync_file(sink)
            try:
                os.link(draft, self._of(batch))
            except FileExistsError:
                durable.sync_folder(self.path)  # whoever was first may not have come so far
                return self.get(batch) or spooled
        durable.sync_folder(self.path)
        return spooled

    def drop(self, batch: int) -> None:
        """It is published, and that is written down: neither it nor any before it is needed."""
        for path in self.path.glob("*.arrow"):
            if path.stem.isdecimal() and int(path.stem) <= batch:
                path.unlink(missing_ok=True)

    def remove(self) -> None:
        """The delivery is given up."""
        shutil.rmtree(self.path, ignore_errors=True)

    def _of(self, batch: int) -> Path:
        return self.path / f"{batch:012d}.arrow"
