"""`python -m workers.spark.connect.jars [IVY_XML FOLDER]` downloads pinned jars from Maven Central.

It uses PySpark's own Ivy.

Without arguments it gets the jars that the embedded Spark server uses beside PySpark's own.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import zipfile
from pathlib import Path

import pyspark

from workers.spark.connect.server import JARS

_WANTED = Path(__file__).parents[1] / "jars"
_TIMEOUT_OPTIONS = (
    "-Dsun.net.client.defaultConnectTimeout=10000",
    "-Dsun.net.client.defaultReadTimeout=30000",
)
"""In milliseconds: a network that drops packets must not hold up the set-up for minutes."""

_SETTINGS = ("core-default.xml", "mapred-default.xml", "yarn-default.xml")
"""The files from which Hadoop reads its default settings."""


def fetch(ivy_file: Path, folder: Path) -> list[Path]:
    """Download the jars that an `ivy.xml` pins, whole or not at all. Raises CalledProcessError and OSError."""
    [ivy] = (Path(pyspark.__file__).parent / "jars").glob("ivy-*.jar")
    home = os.environ.get("JAVA_HOME")
    fresh = folder.with_name(f"{folder.name}.new")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    command = [str(Path(home) / "bin" / "java") if home else "java", *_TIMEOUT_OPTIONS, "-jar", str(ivy)]
    command += ["-settings", str(_WANTED / "ivysettings.xml"), "-cache", str(fresh / "cache")]
    command += ["-ivy", str(ivy_file), "-types", "jar", "-retrieve", f"{fresh}/[artifact]-[revision].[ext]"]
    subprocess.run(command, check=True)  # nosec B603
    shutil.rmtree(fresh / "cache")
    shutil.rmtree(folder, ignore_errors=True)
    fresh.rename(folder)
    return sorted(folder.glob("*.jar"))


def pack_settings(folder: Path) -> Path:
    """Write a jar that replaces Hadoop's default settings, which Spark serialises with each task."""
    packed = folder / "hadoop-settings.jar"
    default_folder = _WANTED / _SETTINGS[0]
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as jar:
        for name in _SETTINGS:
            text = default_folder.read_text() if name == default_folder.name else "<configuration/>\n"
            jar.writestr(zipfile.ZipInfo(name), text)
    return packed


def main() -> None:
    """Download the jars, and print their paths."""
    parser = argparse.ArgumentParser("python -m workers.spark.connect.jars", description=__doc__)
    parser.add_argument("ivy_file", nargs="?", type=Path, default=_WANTED / "ivy.xml", metavar="IVY_XML")
    parser.add_argument("folder", nargs="?", type=Path, default=JARS)
    arguments = parser.parse_args()
    for jar in fetch(arguments.ivy_file, arguments.folder):
        print(jar)
    if arguments.folder == JARS:
        print(pack_settings(JARS))


if __name__ == "__main__":
    main()
