"""A feed that lies elsewhere goes into a backup as files; put back, its query goes on with files."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from django.conf import settings

from timeline_app.storage import packs
from timeline_app.storage.addresses import on_disk
from timeline_app.storage.feed import PACKETS, SCHEMA, Feed
from timeline_app.storage.file_feed import FileFeed
from timeline_app.storage.packets import packed
from timeline_app.storage.packs import Pack
from timeline_app.web.backup.archive import Copier


def as_files(feed: Feed, last: int, copier: Copier) -> None:
    """Write its batches up to the `last`: packs, and the newest as files of their own."""
    folder, size = copier.target / "feeds" / feed.name, settings.PACK
    folder.mkdir(parents=True, exist_ok=True)
    whole = max(last + 1 - packs.NEWEST, 0) // size * size
    if whole:
        packs.settle_size(folder, size)
        for start in range(0, whole, size):
            packs.write(Pack(folder, start, start + size), _read(feed, start, start + size).__getitem__)
    for batch, rows in _read(feed, whole, last + 1).items():
        _write(folder, batch, rows, Path(copier.manifest.data))
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            copier.made(path)


def _read(feed: Feed, start: int, end: int) -> dict[int, pa.Table]:
    """The rows of each batch from start to end (exclusive), read together."""
    rows = feed.rows(start, end)
    cuts = np.searchsorted(rows[packs.BATCH].to_numpy(), np.arange(start, end + 1))
    found = rows.select(SCHEMA.names)
    return {
        batch: found.slice(first, last - first)
        for batch, (first, last) in enumerate(itertools.pairwise(cuts.tolist()), start)
    }


def _write(folder: Path, batch: int, rows: pa.Table, data: Path) -> None:
    """A batch as Spark writes it: a file, and a manifest that names it by where it lay."""
    path = folder / f"part-{batch:012d}.parquet"
    packets = [{"rows": count, "data": blob} for count, blob in packed(rows)]
    pq.write_table(pa.Table.from_pylist(packets, PACKETS), path, compression="none", use_dictionary=False)
    found = path.stat()
    named = {
        "path": f"file://{quote(str(data / 'feeds' / folder.name / path.name))}", "size": found.st_size,
        "isDir": False, "modificationTime": int(found.st_mtime * 1_000), "blockReplication": 1,
        "blockSize": 33_554_432, "action": "add",
    }  # fmt: skip
    manifest = on_disk(FileFeed(folder).manifest(batch))
    manifest.parent.mkdir(exist_ok=True)
    manifest.write_text("\n".join(["v1", json.dumps(named, separators=(",", ":"))]))
