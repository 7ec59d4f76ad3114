"""Files are made, replaced, read and removed alike in every kind of place: a directory, HDFS, an S3 bucket."""

from __future__ import annotations

import multiprocessing
import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from io import BytesIO

import pyarrow as pa
import pytest

from tests.stores import Served
from timeline_app.fs import durable, paths
from timeline_app.fs.paths import Place, format_url
from workers.spark.connect.executor_probe import report_machine

pytestmark = pytest.mark.deep


def make_file(path: Place, who: int) -> int | None:
    with durable.open_draft_file(path) as draft:
        draft.sink.write(str(who).encode())
        return who if draft.create() else None


def _race_for_file(path: Place, who: int) -> int | None:
    return make_file(path, who)


def test_of_several_processes_that_make_a_file_one_does(place: Place) -> None:
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        for number in range(8):
            path = place / f"file-{number}"
            won = [
                item
                for item in pool.starmap(_race_for_file, [(path, who) for who in range(4)])
                if item is not None
            ]
            assert [str(item) for item in won] == [path.read_text()]


def test_of_several_threads_that_make_a_file_one_does(place: Place) -> None:
    with ThreadPoolExecutor(8) as pool:
        for number in range(10):
            path = place / f"file-{number}"
            won = [
                item
                for item in pool.map(lambda who, path=path: make_file(path, who), range(8))
                if item is not None
            ]
            assert [str(item) for item in won] == [path.read_text()]


def test_a_file_is_replaced_whole_and_its_stamp_tells(place: Place) -> None:
    path, stamps = place / "file", set()
    for content in (b"one", b"two", b"three" * 30_000):
        durable.replace(path, content)
        result = durable.stat_file(path)
        assert result is not None
        stamps.add(result.stamp)
        assert (path.read_bytes(), result.size) == (content, len(content))
    assert len(stamps) == 3
    assert -60 < durable.measure_age(path) < 60


def test_a_file_that_was_given_no_name_is_not_there(place: Place) -> None:
    with durable.open_draft_file(place / "file") as draft:
        draft.sink.write(b"half")
    assert not (place / "file").is_file()
    assert durable.list_files(place) == {}
    assert durable.stat_file(place / "file") is None


def test_a_listing_names_files_and_removing_takes_all(place: Place) -> None:
    for name in ("a.txt", "b.txt"):
        durable.replace(place / name, b"1")
    durable.make_folder(place / "c")
    durable.replace(place / "c" / "deep.txt", b"22")
    assert {name: seen.size for name, seen in durable.list_files(place).items()} == {"a.txt": 1, "b.txt": 1}
    assert sorted(path.name for path in place.rglob("*.txt")) == ["a.txt", "b.txt", "deep.txt"]
    assert ((place / "c").is_dir(), (place / "c").is_file()) == (True, False)
    durable.remove_all(place / "c")
    assert not (place / "c").exists()
    (place / "a.txt").unlink(missing_ok=True)
    (place / "a.txt").unlink(missing_ok=True)
    with pytest.raises(FileNotFoundError):
        (place / "a.txt").unlink()
    with pytest.raises(FileNotFoundError):
        (place / "a.txt").read_bytes()


def test_large_files_are_read_in_ranges(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "TAIL_BYTES", 1_000)
    table = pa.table({"n": list(range(20_000)), "t": [str(random.random()) for _ in range(20_000)]})
    with durable.open_draft_file(place / "large.parquet") as draft:
        pa.parquet.write_table(table, draft.sink, row_group_size=5_000)
        draft.replace()
    content = place / "large.parquet"
    assert pa.parquet.read_table(paths.open_for_arrow(content)).equals(table)
    some = pa.parquet.read_table(
        paths.open_for_arrow(content), columns=["n"], filters=pa.compute.field("n") < 7
    )
    assert some["n"].to_pylist() == list(range(7))
    with pa.parquet.ParquetFile(paths.open_for_arrow(content)) as file:
        assert file.read_row_group(2).equals(table.slice(10_000, 5_000))
    assert content.read_bytes() == BytesIO(content.read_bytes()).getvalue()
    assert paths.measure_size(content) == len(content.read_bytes())


def test_a_forked_process_speaks_for_itself(place: Place) -> None:
    durable.replace(place / "file", b"of the parent")
    context = multiprocessing.get_context("fork")
    with context.Pool(2) as pool:
        for number, item in enumerate(pool.map(_read_and_write, [(place, number) for number in range(6)])):
            assert item == "of the parent"
            assert (place / f"of-{number}").read_text() == str(number)


def _read_and_write(job: tuple[Place, int]) -> str:
    place, number = job
    durable.replace(place / f"of-{number}", str(number).encode())
    return (place / "file").read_text()


def test_a_machine_of_a_cluster_reports_whether_it_can_use_the_place(place: Place) -> None:
    durable.replace(place / "note", b"")
    result = report_machine(format_url(place / "note"), [])
    assert (result["reads"], result["writes"], result["place"]) == (True, True, "")
    assert list(durable.list_files(place)) == ["note"]
    missing = report_machine(format_url(place / "no-such-note"), [])
    assert missing["place"] or not missing["reads"]


def test_of_several_namenodes_the_one_that_answers_is_asked(kinds: Callable[[str], Served]) -> None:
    place = kinds("hdfs").place
    both = replace(place, server=f"http://127.0.0.1:1,{place.server}")
    durable.replace(both / "of-both", b"1")
    assert (place / "of-both").read_bytes() == b"1"


def test_a_server_that_is_away_is_told_as_trouble_of_the_system() -> None:
    for text in ("hdfs://127.0.0.1:1/x#http://127.0.0.1:1", "s3a://bucket/x#http://127.0.0.1:1"):
        away = paths.place(text)
        with pytest.raises(OSError, match="does not answer"):
            away.is_file()
