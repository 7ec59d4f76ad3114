"""What the product is made of: pinned with hashes, written down in a bill of materials, and audited in words."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

import bootstrap
from tests import audit, lock, sbom

LOCKS = [lock.LOCK, lock.IMAGE_LOCK]


def test_the_files_with_hashes_are_those_of_the_pins() -> None:
    assert lock.list_disagreements() == []


@pytest.mark.parametrize("path", LOCKS, ids=lambda path: path.name)
def test_every_package_has_hashes_and_no_server_is_named(path: Path) -> None:
    text = path.read_text()
    blocks = re.split(r"\n(?=[a-z0-9])", text.partition("\n")[2])
    assert len(blocks) > 50
    assert [
        block.splitlines()[0] for block in blocks if not re.search(r"--hash=sha256:[0-9a-f]{64}", block)
    ] == []
    assert not re.search(r"https?://|--index|--find-links|@ ", text)


def test_a_package_that_nobody_locked_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pins = tmp_path / "requirements.txt"
    text = lock.PINS.read_text()
    pins.write_text(text.replace("lark==", "lark==9") + "not-there==1.0\n")
    monkeypatch.setattr(lock, "PINS", pins)
    answer = lock.list_disagreements()
    assert any(words.startswith("requirements.lock has lark") for words in answer)
    assert any(words.startswith("requirements.image.lock has lark") for words in answer)
    assert "requirements.lock has not-there None" in answer


def test_the_set_up_installs_by_hash_only(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    ran: list[list[str]] = []
    monkeypatch.setattr(bootstrap, "VENV", tmp_path)
    monkeypatch.setattr(bootstrap, "make_venv", lambda: None)
    monkeypatch.setattr(bootstrap, "run_step", lambda _title, command, *_, **__: ran.append(command))
    bootstrap.install_packages()
    assert ran[0][-3:] == ["--require-hashes", "-r", lock.LOCK.name]


def test_the_bill_of_materials_is_valid_and_has_every_kind_of_part(tmp_path: Path) -> None:
    text = JsonV1Dot6(sbom.build_bill()).output_as_string()
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    parts = json.loads(text)["components"]
    result = {part["purl"].partition("@")[0]: part for part in parts}
    packages = [
        "pypi/pyspark",
        "pypi/django",
        "npm/react",
        "generic/valkey",
        "generic/librdkafka",
        "generic/libpq",
    ]
    assert [name for name in packages if f"pkg:{name}" not in result] == []
    jars = [part for part in parts if part["purl"].startswith("pkg:maven/")]
    assert len(jars) >= 270
    assert all(jar["hashes"][0]["content"] for jar in jars)
    assert all(part["version"] for part in parts)


@pytest.mark.parametrize(
    ("name", "version", "mended"),
    [
        ("valkey", "9.1.2", True),
        ("valkey", "8.1.4", True),
        ("valkey", "8.1.3", False),
        ("valkey", "7.2.11", True),
        ("valkey", "6.2.14", False),
        ("valkey", "8.0.5", False),
        ("libpq", "18.6", True),
        ("libpq", "18.0", False),
        ("libpq", "17.7", True),
        ("libpq", "12.22", False),
        ("libpq", "19.0", True),
    ],
)
def test_a_native_part_with_a_known_weakness_is_told(name: str, version: str, mended: bool) -> None:
    versions = {"valkey": "9.1.2", "libpq": "18.6"} | {name: version}
    answer = audit.list_native_weaknesses(versions)
    assert bool(answer) != mended
    assert all(line.startswith(f"{name} {version}: older than ") for line in answer)


def test_an_audit_says_what_no_list_was_asked_about(capsys: pytest.CaptureFixture[str]) -> None:
    versions = sbom.read_native_versions()
    assert sbom.UNKNOWN not in versions.values()
    assert audit.list_native_weaknesses(versions) == []
    audit.tell_unseen(versions)
    output = capsys.readouterr().out
    assert all(f"  {name} {version}: https://" in output for name, version in versions.items())
    assert re.search(r"\d{3} jars", output)
    assert "images of Dockerfile and compose.yaml" in output
