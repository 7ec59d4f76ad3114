"""`python -m tests.sbom [--output FILE]`: all parts of the product as they are installed here, in CycloneDX 1.6.

Python packages, the browser's packages, jars (PySpark's and those beside it), native programs and libraries.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.metadata
import json
import re
import sqlite3
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import confluent_kafka
import psycopg
import pyspark
from cyclonedx.model import HashAlgorithm, HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

import bootstrap
from workers.stack.layout import find_redis_executable

UNKNOWN = "unknown"


def build_component(
    purl: PackageURL, kind: ComponentType = ComponentType.LIBRARY, digest: str = ""
) -> Component:
    """A part, with the SHA-256 of its file where there is one."""
    hashes = [HashType(alg=HashAlgorithm.SHA_256, content=digest)] if digest else []
    return Component(
        name=purl.name, version=purl.version, group=purl.namespace, type=kind, purl=purl,
        bom_ref=f"{purl}#{digest[:8]}" if digest else str(purl), hashes=hashes,
    )  # fmt: skip


def iterate_python_packages() -> Iterator[Component]:
    """What is installed beside this Python."""
    for distribution in importlib.metadata.distributions():
        name = re.sub(r"[-_.]+", "-", distribution.metadata["Name"]).lower()
        yield build_component(PackageURL("pypi", None, name, distribution.version))


def iterate_browser_packages() -> Iterator[Component]:
    """What the page is built from and with, as locked."""
    locked = json.loads((bootstrap.FRONTEND / "package-lock.json").read_text())["packages"]
    for path, value in locked.items():
        if path:
            scope, _, name = path.rpartition("node_modules/")[2].rpartition("/")
            yield build_component(PackageURL("npm", scope or None, name, value["version"]))


def list_jar_folders() -> list[Path]:
    """Where jars lie that run here."""
    return [Path(pyspark.__file__).parent / "jars", bootstrap.SPARK_JARS, bootstrap.S3A_JARS]


def iterate_jars() -> Iterator[Component]:
    """Each jar, by what Maven wrote into it, else by its name."""
    for path in sorted(path for folder in list_jar_folders() for path in folder.rglob("*.jar")):
        group, name, version = read_maven(path)
        yield build_component(
            PackageURL("maven", group, name, version), digest=hashlib.sha256(path.read_bytes()).hexdigest()
        )


def read_maven(jar: Path) -> tuple[str | None, str, str]:
    """Group, name and version."""
    with zipfile.ZipFile(jar) as packed:
        notes = [
            item for item in packed.namelist() if re.fullmatch(r"META-INF/maven/.*/pom\.properties", item)
        ]
        # With more than one it holds parts of others: which one is its own only the name tells.
        named = [note for note in notes if jar.name.startswith(f"{note.split('/')[-2]}-")]
        text = packed.read(max(named, key=len)).decode() if named else ""
    fields = dict(re.findall(r"^(\w+)=(.*?)\s*$", text, re.MULTILINE))
    if {"groupId", "artifactId", "version"} <= fields.keys():
        return fields["groupId"], fields["artifactId"], fields["version"]
    parts = re.fullmatch(r"(.+?)-(\d.*)", jar.stem)
    return (None, parts[1], parts[2]) if parts else (None, jar.stem, UNKNOWN)


def read_native_versions() -> dict[str, str]:
    """The version of each native part that no list of packages tells."""
    libpq, librdkafka = psycopg.pq.version(), confluent_kafka.libversion()[0]
    java, node = (
        bootstrap.output_of([bootstrap.java_command(), "-version"]),
        bootstrap.npm_command()[1]["PATH"],
    )
    node_says = bootstrap.output_of([str(Path(node.split(":")[0]) / "node"), "--version"])
    return {
        "valkey": read_valkey_version(),
        "librdkafka": librdkafka,
        "libpq": f"{libpq // 10_000}.{libpq % 10_000}",
        "sqlite": sqlite3.sqlite_version,
        "cpython": sys.version.split()[0],
        "node": node_says.strip().lstrip("v") or UNKNOWN,
        "openjdk": next(iter(re.findall(r'version "([^"]+)"', java)), UNKNOWN),
    }


def read_valkey_version() -> str:
    """That of the server which `make run` starts."""
    result = re.search(r"\bv=([\d.]+)", bootstrap.output_of([find_redis_executable(), "--version"]))
    return result[1] if result else UNKNOWN


def iterate_native() -> Iterator[Component]:
    """Programs and libraries."""
    for name, version in read_native_versions().items():
        kind = (
            ComponentType.LIBRARY if name.startswith("lib") or name == "sqlite" else ComponentType.APPLICATION
        )
        yield build_component(PackageURL("generic", None, name, version), kind)


def build_bill() -> Bom:
    """All of it."""
    made = Bom()
    made.metadata.component = Component(name="timelines", type=ComponentType.APPLICATION, bom_ref="timelines")
    parts = {
        item.bom_ref.value: item
        for each in (iterate_python_packages, iterate_browser_packages, iterate_jars, iterate_native)
        for item in each()
    }
    made.components.update(parts.values())
    made.register_dependency(made.metadata.component, parts.values())
    return made


def main() -> None:
    """Write it, and say how much there is."""
    parser = argparse.ArgumentParser("python -m tests.sbom", description=__doc__)
    parser.add_argument("--output", type=Path, default=bootstrap.ROOT / "sbom.json")
    target = parser.parse_args().output
    made = build_bill()
    JsonV1Dot6(made).output_to_file(str(target), allow_overwrite=True, indent=1)
    print(f"{target}: {len(made.components)} parts")


if __name__ == "__main__":
    main()
