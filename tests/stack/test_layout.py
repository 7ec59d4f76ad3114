"""The supervisord configuration says what the layout means, whatever is in a path."""

from __future__ import annotations

import configparser
import shlex
import sys
from pathlib import Path

import pytest
from supervisor.options import ServerOptions

from workers.stack.layout import Layout, derive_identity, quote_command


def build_layout(data: Path, demo: bool = True) -> Layout:
    return Layout(data, 8000, 15002, demo)


def parse_configuration(path: Path) -> configparser.RawConfigParser:
    parser = configparser.RawConfigParser()
    parser.read(path)
    return parser


def test_every_process_restarts_and_takes_its_children_with_it(tmp_path: Path) -> None:
    configuration = parse_configuration(build_layout(tmp_path).write())
    programs = [configuration[name] for name in configuration.sections() if name.startswith("program:")]
    names = {name.partition(":")[2] for name in configuration.sections() if name.startswith("program:")}
    assert names == {
        "redis",
        "spark",
        "web",
        "worker",
        "beat",
        "publisher",
        "intake",
        "delivery",
        "simulator",
    }
    for program in programs:
        assert (program["autorestart"], program["stopasgroup"], program["killasgroup"]) == ("true",) * 3
        assert program["stdout_logfile_maxbytes"] == "10MB"


def test_without_the_demo_nothing_is_simulated(tmp_path: Path) -> None:
    names = [program.name for program in build_layout(tmp_path, demo=False).programs()]
    assert "simulator" not in names
    assert build_layout(tmp_path, demo=False).environment()["TIMELINE_DEMO"] == "0"


def test_supervisord_reads_back_the_same_commands(tmp_path: Path) -> None:
    data = tmp_path / 'a "strange" name'
    expected = build_layout(data)
    options = ServerOptions()
    options.realize(["-c", str(expected.write())])
    read = {
        process.name: shlex.split(process.command)
        for group in options.process_group_configs
        for process in group.process_configs
    }
    assert read == {program.name: list(program.command) for program in expected.programs()}


def test_of_data_at_an_address_only_what_is_of_one_machine_lies_here(tmp_path: Path) -> None:
    layout = Layout(tmp_path, 8000, 15002, demo=False, shared="s3a://bucket/x")
    environment = layout.environment()
    assert (environment["TIMELINE_DATA"], environment["TIMELINE_LOCAL"]) == ("s3a://bucket/x", str(tmp_path))
    assert layout.logs.is_relative_to(tmp_path)


def test_the_environment_puts_this_python_first(tmp_path: Path) -> None:
    environment = build_layout(tmp_path).environment()
    assert environment["PATH"].startswith(str(Path(sys.executable).parent))
    assert environment["PYSPARK_PYTHON"] == sys.executable
    assert environment["TIMELINE_DATA"] == environment["TIMELINE_LOCAL"] == str(tmp_path)
    assert environment["SPARK_REMOTE"] == "sc://127.0.0.1:15002"
    assert environment["REDIS_URL"] == f"unix://{tmp_path}/stack/redis.sock"


def test_the_socket_stays_within_what_the_kernel_takes(tmp_path: Path) -> None:
    assert build_layout(Path("/srv/data")).socket == Path("/srv/data/stack/supervisord.sock")
    assert len(str(build_layout(tmp_path / ("deep" * 30)).socket)) < 100


def test_an_identity_belongs_to_one_directory(tmp_path: Path) -> None:
    assert derive_identity(tmp_path) == derive_identity(tmp_path / "x" / "..")
    assert derive_identity(tmp_path) != derive_identity(tmp_path / "x")


@pytest.mark.parametrize("word", ["plain", "with space", 'with "quotes"', "100%", "back\\slash", "it's"])
def test_words_are_quoted_for_supervisord(word: str) -> None:
    assert shlex.split(quote_command([word]) % {}) == [word]
