"""Parquet files keep what the contract says."""

from __future__ import annotations

import shutil
from dataclasses import replace

import pytest

from tests.connectors.worlds import OfParquet
from timeline_app.connectors.files.parquet_sink import Parquet
from timeline_app.connectors.options import BadOptions, read
from timeline_app.connectors.sink_contract import TargetUnavailable
from timeline_app.connectors.sink_kit import CASES, SinkCase
from timeline_app.connectors.sink_kit.cases import build_delivery, open_sink


@pytest.mark.parametrize("case", CASES, ids=str)
def test_it_keeps_its_promises(case: SinkCase) -> None:
    case.run(OfParquet)


@pytest.mark.parametrize(
    "name", ["", "/etc", "../up", "a//b", "a/", "a/../../b", ".hidden", "a b", "a\nb", "x" * 301]
)
def test_a_folder_lies_below_the_one_of_the_installation(name: str) -> None:
    with pytest.raises(BadOptions, match=r"folder: is needed|folder: .* is no folder below the one"):
        read(Parquet, {"folder": name})


def test_a_link_that_leads_out_is_refused() -> None:
    world = OfParquet()
    (world.base / "orders").symlink_to("/tmp")
    with pytest.raises(TargetUnavailable, match=r"leads out of .* by a link") as answer:
        world.sink().check(build_delivery(world))
    assert str(world.base) not in str(answer.value)
    world.close()


def test_a_folder_in_that_of_another_sink_is_refused() -> None:
    world = OfParquet()
    open_sink(world).close()
    inner = Parquet(folder=f"{world.name}/inner")
    other = replace(build_delivery(world), identity="other")
    for action in (inner.check, inner.open):
        with pytest.raises(
            TargetUnavailable, match=r"inner lies in .*, which has what another sink delivered"
        ) as answer:
            action(other)
        assert str(world.base) not in str(answer.value)
    with pytest.raises(
        TargetUnavailable, match=rf"the folder {world.name} has what another sink delivered"
    ) as answer:
        Parquet(folder=world.name).check(other)
    assert str(world.base) not in str(answer.value)
    beside = Parquet(folder=f"{world.name}_beside")
    beside.open(other)
    world.close()


def test_no_word_says_where_on_the_server_the_folder_is() -> None:
    world = OfParquet()
    (world.base / "file").touch()
    for name in ("file", "file/in"):
        with pytest.raises(
            TargetUnavailable, match=f"the folder {name} cannot be written: Not a directory"
        ) as answer:
            Parquet(folder=name).check(build_delivery(world))
        assert str(world.base) not in str(answer.value)
    sink = open_sink(world)
    shutil.rmtree(world.folder)
    with pytest.raises(
        TargetUnavailable, match=f"the folder {world.name} cannot be written: No such file"
    ) as answer:
        sink.stage(0, build_delivery(world).schema.empty_table())
    assert str(world.base) not in str(answer.value)
    world.close()


def test_a_folder_with_something_in_it_is_refused() -> None:
    world = OfParquet()
    world.folder.mkdir(parents=True)
    (world.folder / "mine.txt").touch()
    for action in (world.sink().check, world.sink().open):
        with pytest.raises(TargetUnavailable, match=rf"the folder {world.name} is not empty") as answer:
            action(build_delivery(world))
        assert str(world.base) not in str(answer.value)
    (world.folder / "mine.txt").unlink()
    open_sink(world).close()
    (world.folder / "_sink.json").write_text("{")
    with pytest.raises(TargetUnavailable, match=r"_sink.json cannot be read"):
        open_sink(world)
    world.close()
