"""A file of a source that is exchanged for a link after the look at it is not read."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from timeline_app.connectors.files.source import Files, GrowingFiles, JsonLinesFiles
from timeline_app.connectors.files.table_source import CsvFiles, ParquetFiles
from timeline_app.connectors.safe_opening import open_within
from timeline_app.connectors.splits.estimators import Manual
from timeline_app.connectors.splits.tracker import Tracker

LINE = b'{"k": "a", "t": 1}\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """May be read; beside it lies what may not."""
    path = tmp_path / "may" / "be" / "read"
    path.mkdir(parents=True)
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "a.jsonl").write_bytes(b'{"k": "secret"}\n')
    (path / "a.jsonl").write_bytes(LINE)
    return path


def swap_file(folder: Path) -> None:
    (folder / "a.jsonl").unlink()
    (folder / "a.jsonl").symlink_to(folder.parents[2] / "secret" / "a.jsonl")


def swap_folder(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.symlink_to(folder.parents[2] / "secret")


def swap_outer_folder(folder: Path) -> None:
    outer = folder.parents[2]
    shutil.copytree(outer / "secret", outer / "elsewhere" / "read")
    shutil.rmtree(folder.parent)
    folder.parent.symlink_to(outer / "elsewhere")


@pytest.mark.parametrize("swap", [swap_file, swap_folder, swap_outer_folder])
def test_what_became_a_link_after_it_was_resolved_is_not_opened(
    swap: Callable[[Path], None], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    resolve = Path.resolve

    def resolve_and_swap(path: Path, strict: bool = False) -> Path:
        result = resolve(path, strict)
        monkeypatch.undo()
        swap(folder)
        return result

    monkeypatch.setattr(Path, "resolve", resolve_and_swap)
    with pytest.raises(OSError):  # noqa: PT011  (ELOOP or ENOTDIR, by the part that it is)
        open_within(folder / "a.jsonl", [folder.parents[1]])


@pytest.mark.parametrize("swap", [swap_file, swap_folder, swap_outer_folder])
@pytest.mark.parametrize("kind", [JsonLinesFiles, GrowingFiles, CsvFiles, ParquetFiles])
def test_a_source_reads_nothing_of_what_became_a_link_after_it_was_listed(
    kind: type[Files], swap: Callable[[Path], None], folder: Path
) -> None:
    source = kind(str(folder))
    source.within = [folder.parents[1]]
    listed = dict(source.listed())
    assert set(listed) == {"a.jsonl"}
    key = source.key_of("a.jsonl", listed["a.jsonl"])
    if isinstance(source, GrowingFiles):
        source.names[key] = "a.jsonl"
    swap(folder)
    read: list[object] = []
    with pytest.raises(OSError):  # noqa: PT011
        read += source.process(
            key, Tracker(0, 1 if kind is ParquetFiles else len(LINE)), Manual(), lambda _: None
        )
    assert read == []


def test_a_link_within_what_may_be_read_is_followed(folder: Path) -> None:
    (folder / "b.jsonl").symlink_to(folder / "a.jsonl")
    (folder.parent / "linked").symlink_to(folder)
    for path in (folder / "b.jsonl", folder.parent / "linked" / "a.jsonl"):
        with open_within(path, [folder.parents[1]]) as file:
            assert file.read() == LINE
    with open_within(folder / "a.jsonl", []) as file:
        assert file.read() == LINE


def test_what_is_no_regular_file_is_refused_at_once(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    for name in ("pipe", "."):
        with pytest.raises(PermissionError, match="no regular file"):
            open_within(folder / name, [folder])
    (folder / "out").symlink_to("/etc/hostname")
    with pytest.raises(PermissionError, match="leads out of the folders"):
        open_within(folder / "out", [folder])
