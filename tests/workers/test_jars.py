"""Hadoop's settings as the embedded Spark server knows them."""

from __future__ import annotations

import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pyspark

from workers.jars import pack_settings


def names(text: bytes) -> set[str | None]:
    return {item.findtext("name") for item in ElementTree.fromstring(text).iter("property")}


def test_all_of_hadoops_own_defaults_are_stood_for_and_what_is_left_is_known_to_it(tmp_path: Path) -> None:
    [hadoop] = (Path(pyspark.__file__).parent / "jars").glob("hadoop-client-api-*.jar")
    with zipfile.ZipFile(hadoop) as theirs, zipfile.ZipFile(pack_settings(tmp_path)) as ours:
        files = {name for name in theirs.namelist() if name.endswith("-default.xml") and "/" not in name}
        assert set(ours.namelist()) == files
        known = set[str | None]().union(*(names(theirs.read(name)) for name in files))
        kept = set[str | None]().union(*(names(ours.read(name)) for name in files))
    assert len(known) > 1_000
    assert kept <= known
    assert 0 < len(kept) < 20
