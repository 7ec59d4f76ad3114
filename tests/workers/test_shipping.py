"""Our code on its way to a Spark that is not ours, and what is said of a cluster that is not fit. No Spark here."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from tests.operators.owned import LASTED, use_own_folders, write
from tests.operators.small import build_leaf, build_node, build_plan
from timeline_app.compiler import compile_plan
from timeline_app.operators import own
from workers.spark.connect import cluster
from workers.spark.connect.executor_probe import report_machine
from workers.spark.connect.session import AWAY, SparkAway

WANTED = {"numpy": "2.4.6", "lark": "1.3.1"}


def unpack_archives(folder: Path) -> str:
    """The archives as Spark unpacks them for a session, below a folder; the name of the code."""
    for name, content in cluster.build_archives().items():
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            (folder / name).mkdir(parents=True)
            archive.extractall(folder / name)
    return cluster.identify_code()


def run(script: str, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Python as Spark's, in a folder of its own, with no way to the project."""
    environment = {"PATH": "/usr/bin:/bin"}
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, '.')\n{script}", *words]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False
    )


def build_script(code: str) -> str:
    """What travels, as a script that defines `add_code_to_path`."""
    text = Path(cluster.__file__).with_name("remote_code.py").read_text()
    return text.replace("from __future__ import annotations\n", "") + f"\ncode = {code!r}\n"


def test_the_same_code_is_the_same_archive() -> None:
    first = dict(cluster.build_archives())
    cluster.build_archives.cache_clear()
    assert cluster.build_archives() == first
    assert set(first) == {"timeline_app", "workers", "timelines_own", cluster.identify_code()}


def test_neither_the_web_nor_secrets_travel() -> None:
    content = zipfile.ZipFile(io.BytesIO(cluster.build_archives()["timeline_app"])).namelist()
    assert "predicates/grammar.lark" in content
    assert [name for name in content if name.startswith(("web/", "settings")) or name.endswith(".pyc")] == []


@pytest.mark.parametrize("place", ["one-session", "."], ids=["below the path", "on the path"])
def test_what_arrives_finds_the_code_that_was_unpacked(tmp_path: Path, place: str) -> None:
    code = unpack_archives(tmp_path / place)
    script = "add_code_to_path(code)\nimport workers.spark.hosts.region, workers.spark.sources\n"
    output = run(build_script(code) + script + "print(workers.spark.hosts.region.__file__)", tmp_path)
    assert output.returncode == 0, output.stderr[-2000:]
    assert output.stdout.strip().startswith(str(tmp_path))


def test_what_arrives_finds_the_code_beside_a_folder_that_is_not_there(tmp_path: Path) -> None:
    code = unpack_archives(tmp_path / "files" / "one-session")
    script = "sys.path.insert(0, 'files/streaming_job')\nadd_code_to_path(code)\nimport workers.spark.hosts.region\n"
    assert run(build_script(code) + script, tmp_path).returncode == 0


def test_code_of_before_is_forgotten(tmp_path: Path) -> None:
    code = unpack_archives(tmp_path / "session")
    for name in ("workers", "workers/spark", "workers/spark/hosts"):
        (tmp_path / "old" / name).mkdir(parents=True)
        (tmp_path / "old" / name / "__init__.py").write_text("")
    (tmp_path / "old" / "workers" / "spark" / "hosts" / "region.py").write_text("OLD = True\n")
    script = (
        "sys.path.insert(0, 'old')\nimport workers.spark.hosts.region\nassert workers.spark.hosts.region.OLD\n"
        "add_code_to_path(code)\nimport workers.spark.hosts.region\n"
        "assert not hasattr(workers.spark.hosts.region, 'OLD')\n"
    )
    output = run(build_script(code) + script, tmp_path)
    assert output.returncode == 0, output.stderr[-2000:]


def test_code_that_is_nowhere_is_missed_by_name(tmp_path: Path) -> None:
    output = run(build_script("timelines-0123") + "add_code_to_path(code)\n", tmp_path)
    assert "ModuleNotFoundError: the code timelines-0123 of the session is not here" in output.stderr


def build_report(host: str, **facts: Any) -> dict[str, Any]:
    """A report of a machine on which all is well, but for some facts."""
    well = {"packages": dict(WANTED), "reads": True, "writes": True, "user": "spark", "code": ""}
    return {"host": host, **well, **facts}


def test_a_cluster_on_which_all_is_well_has_no_problems() -> None:
    assert cluster.find_problems([build_report("a"), build_report("b")], WANTED) == []


def test_all_that_is_wrong_is_said_at_once_with_the_machines() -> None:
    problems = cluster.find_problems(
        [
            build_report("a", packages={"numpy": "1.26.0"}),
            build_report("b", packages={"numpy": "1.26.0", "lark": "1.3.1"}, reads=False, writes=False),
            build_report("c", writes=False, code="No module named 'workers'"),
            build_report("c", writes=False),
        ],
        WANTED,
    )
    where = "it must be one directory, mounted under the same path on all machines"
    assert problems == [
        "Python has numpy 1.26.0, 2.4.6 is needed (on a, b)",
        "Python lacks lark 1.3.1 (on a)",
        "TIMELINE_DATA cannot be written by user spark (on c)",
        f"TIMELINE_DATA is not there: {where} (on b)",
        "our code cannot be imported: No module named 'workers' (on c)",
    ]


def test_a_task_reports_what_is_there(tmp_path: Path) -> None:
    note = tmp_path / "note"
    note.write_text("")
    result = report_machine(str(note), ["numpy", "no-such-package"])
    assert (result["reads"], result["writes"], result["code"]) == (True, True, "")
    assert result["packages"]["numpy"]
    assert result["packages"]["no-such-package"] is None
    note.unlink()
    assert report_machine(str(note), [])["reads"] is False


def test_who_waits_for_spark_is_told_why() -> None:
    assert SparkAway("x").words == AWAY
    assert SparkAway("x", "at the Spark server: it is not fit").words == "at the Spark server: it is not fit"


@pytest.fixture
def _fresh() -> Iterator[None]:
    """Archives of what is there now."""
    cluster.build_archives.cache_clear()
    yield
    cluster.build_archives.cache_clear()


HOSTED = """
add_code_to_path(code)
from timeline_app.compiler import read_program
program = read_program(sys.argv[1])
print(program.last.operator.version, sys.modules["timelines_own"].__path__[0])
"""


@pytest.mark.usefixtures("_fresh")
def test_operators_of_one_s_own_travel_along_and_are_the_same_there(tmp_path: Path) -> None:
    nodes = {"on": build_leaf("latest_event_to_state", field="on"), "off": build_node("upside_down", "on")}
    helped = LASTED.replace("timeline_app.algebra.logic", "timelines_own._help")
    folder = write(tmp_path / "mine", upside=helped, _help="from timeline_app.algebra.logic import negate")
    plain = cluster.identify_code()
    cluster.build_archives.cache_clear()
    with use_own_folders(folder):
        code = unpack_archives(tmp_path / "there")
        compiled = compile_plan(build_plan(nodes), {})
        program = compiled.programs[compiled.names["off"]]
        process = run(build_script(code) + HOSTED, tmp_path / "there", json.dumps(program.to_document()))
    assert process.returncode == 0, process.stderr
    assert process.stdout == f"{program.last.version} {tmp_path / 'there' / 'timelines_own'}\n"
    assert code != plain


@pytest.mark.usefixtures("_fresh")
def test_an_installed_package_travels_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "a_package" / "inner", __init__="", upside=LASTED)
    write(tmp_path / "a_package", __init__="")
    monkeypatch.syspath_prepend(str(tmp_path))
    named = EntryPoint("upside", "a_package.inner.upside", own.GROUP)
    monkeypatch.setattr(own, "entry_points", lambda group: [named])
    nodes = {"on": build_leaf("latest_event_to_state", field="on"), "off": build_node("upside_down", "on")}
    with use_own_folders():
        code = unpack_archives(tmp_path / "there")
        compiled = compile_plan(build_plan(nodes), {})
        program = compiled.programs[compiled.names["off"]]
        process = run(build_script(code) + HOSTED, tmp_path / "there", json.dumps(program.to_document()))
    assert process.returncode == 0, process.stderr
    assert process.stdout.startswith(program.last.version)
