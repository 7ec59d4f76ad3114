"""The Spark server begins with room: what a killed one left of its working copies is gone."""

from __future__ import annotations

from pathlib import Path

import pytest

from timeline_app.fs.paths import Place, place
from workers.spark.connect import server
from workers.spark.connect.cluster import list_packages
from workers.spark.connect.server import NoJars, build_configuration, make_room


def test_what_a_killed_server_left_is_gone_and_nothing_beside_it(tmp_path: Path) -> None:
    remnant = tmp_path / "spark" / "spark-1" / "StateStoreId" / "1.sst"
    remnant.parent.mkdir(parents=True)
    remnant.write_bytes(b"a working copy")
    kept = tmp_path / "checkpoints" / "1.zip"
    kept.parent.mkdir()
    kept.write_bytes(b"the state")
    make_room(tmp_path / "spark")
    make_room(tmp_path / "spark")
    assert list((tmp_path / "spark").iterdir()) == []
    assert kept.read_bytes() == b"the state"


def test_the_first_start_makes_the_folder(tmp_path: Path) -> None:
    make_room(tmp_path / "new" / "spark")
    assert (tmp_path / "new" / "spark").is_dir()


MANAGER = "spark.sql.streaming.checkpointFileManagerClass"


def build_settings(data: Place) -> dict[str, str]:
    return build_configuration("127.0.0.1", 15002, Path("/local"), data)


def test_a_server_is_told_what_an_address_needs() -> None:
    here, hdfs = build_settings(Path("/data")), build_settings(place("hdfs://n:8020/x#http://n:9870"))
    s3 = build_settings(place("s3a://b/x#http://127.0.0.1:9000"))
    assert "FileSystemBased" in here[MANAGER]
    assert [name for name in here if name.startswith("spark.hadoop.")] == [
        "spark.hadoop.fs.permissions.umask-mode"
    ]
    assert "FileContextBased" in hdfs[MANAGER] == s3[MANAGER]
    assert hdfs["spark.hadoop.fs.AbstractFileSystem.hdfs.impl"] == "org.apache.hadoop.fs.Hdfs"
    assert s3["spark.hadoop.fs.s3a.endpoint"] == "http://127.0.0.1:9000"
    assert all(item["spark.local.dir"] == "/local/spark" for item in (here, hdfs, s3))


def test_the_endpoint_of_amazon_is_left_to_its_own_library() -> None:
    assert "spark.hadoop.fs.s3a.endpoint" not in build_settings(place("s3a://b/x"))


def test_without_the_jars_of_s3_it_is_said_how_to_get_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "S3A_JARS", tmp_path)
    with pytest.raises(NoJars, match=r"s3a://b/x .* get them: .*workers.spark.connect.jars .*s3a/ivy.xml"):
        server.build_command("127.0.0.1", 15002, tmp_path, place("s3a://b/x"))
    server.build_command("127.0.0.1", 15002, tmp_path, place("hdfs://n:8020/x"))


def test_who_speaks_to_an_address_needs_a_package_for_that() -> None:
    assert set(list_packages(place("s3a://b/x"))) - set(list_packages(Path("/x"))) == {"boto3"}
    assert set(list_packages(place("hdfs://n/x"))) - set(list_packages(Path("/x"))) == {"urllib3"}
