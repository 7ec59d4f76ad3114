"""Hadoop's settings as the embedded Spark server knows them."""

from __future__ import annotations

import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pyspark

from workers.spark.connect.jars import pack_settings

OTHERWISE = {"hadoop.tmp.dir"}
"""Below Java's folder for what is temporary, wherever that is."""


def parse_settings(text: bytes) -> dict[str | None, str | None]:
    result = ElementTree.fromstring(text).iter("property")
    return {item.findtext("name"): item.findtext("value") for item in result}


def test_all_of_hadoops_own_defaults_are_stood_for_and_what_is_left_is_as_it_was(tmp_path: Path) -> None:
    [hadoop] = (Path(pyspark.__file__).parent / "jars").glob("hadoop-client-api-*.jar")
    with zipfile.ZipFile(hadoop) as theirs, zipfile.ZipFile(pack_settings(tmp_path)) as ours:
        files = {name for name in theirs.namelist() if name.endswith("-default.xml") and "/" not in name}
        assert set(ours.namelist()) == files
        known, kept = (
            {name: value for file in sorted(files) for name, value in parse_settings(jar.read(file)).items()}
            for jar in (theirs, ours)
        )
    assert len(known) > 1_000
    assert 0 < len(kept) < 20
    assert {name for name, value in kept.items() if known[name] != value} == OTHERWISE
