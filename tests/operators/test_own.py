"""Operators of one's own: found in folders and in installed packages, known by their content, refused in words."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from tests.evaluate.running import run
from tests.operators.owned import LASTED, use_own_folders, write
from tests.operators.small import build_event, build_leaf, build_node, build_plan
from timeline_app import timeline
from timeline_app.compiler import compile_plan, parse_program
from timeline_app.compiler.step import OtherOperator
from timeline_app.operators import operators, own
from timeline_app.operators.own import TAKEN, BadOperators
from timeline_app.plan.check import check
from timeline_app.plan.text.words import DIRECTIVES, RESERVED
from timeline_app.timeline.expressions import Stream, Timeline
from timeline_app.times.zones import ZONE_DATA

ROOT = Path(__file__).resolve().parents[2]
NODES = {"on": build_leaf("latest_event_to_state", field="on"), "off": build_node("upside_down", "on")}


def read_refusal(*folders: Path) -> tuple[str, ...]:
    """What is said of them."""
    with use_own_folders(*folders), pytest.raises(BadOperators) as refused:
        operators()
    return refused.value.problems


def test_a_file_in_the_folder_is_an_operator_like_any_other(tmp_path: Path) -> None:
    with use_own_folders(write(tmp_path, upside=LASTED)):
        assert run(build_plan(NODES), {"s": [build_event(1, on=True)]})["off"] == {
            "x": [(None, None, 0.0), (1_000_000, False, 0.0)]
        }
        answer = operators()["upside_down"].describe()
        assert (answer["source"], answer["title"]) == ("upside.py", "Upside down")
        assert answer["version"].startswith("code ")
    assert "upside_down" not in operators()


def test_the_product_s_own_say_no_source_and_no_version_but_that_of_the_zones() -> None:
    assert {item.source for item in operators().values()} == {""}
    versions = {(item.boundary is not None, item.version) for item in operators().values()}
    assert versions == {(False, ""), (True, ZONE_DATA)}


def test_several_folders_and_a_file_that_helps(tmp_path: Path) -> None:
    left, right = write(tmp_path / "one", upside=LASTED), tmp_path / "other"
    helped = LASTED.replace("upside_down", "turned").replace(
        "from timeline_app.algebra.logic import negate", "from timelines_own._help import negate"
    )
    write(
        right,
        turned=helped,
        _help="from timeline_app.algebra.logic import negate",
        test_it="raise SystemExit",
    )
    with use_own_folders(left, right):
        assert {"upside_down", "turned"} <= set(operators())


def test_another_content_is_another_operator_and_another_node(tmp_path: Path) -> None:
    helper = "from timeline_app.algebra.logic import negate\n"
    items = []
    for number, texts in enumerate([(LASTED, ""), (LASTED, helper), (LASTED + "\n# other\n", "")]):
        folder = write(tmp_path / str(number), upside=texts[0], _help=texts[1])
        with use_own_folders(folder):
            items.append(compile_plan(build_plan(NODES), {}).names)
    assert len({names["off"] for names in items}) == 3
    assert len({names["on"] for names in items}) == 1


def test_who_says_a_version_says_what_is_the_same(tmp_path: Path) -> None:
    def digest(name: str, text: str) -> str:
        with use_own_folders(write(tmp_path / name, upside=text)):
            return compile_plan(build_plan(NODES), {}).names["off"]

    versioned = LASTED.replace("why=_why)", 'why=_why, version="1")')
    assert digest("a", versioned) == digest("b", versioned + "\n# faster\n")
    assert digest("c", versioned.replace('"1"', '"2"')) != digest("a", versioned)


def test_a_program_of_an_operator_that_is_another_one_or_gone_is_refused(tmp_path: Path) -> None:
    with use_own_folders(write(tmp_path / "a", upside=LASTED)):
        compiled = compile_plan(build_plan(NODES), {})
        document = compiled.programs[compiled.names["off"]].to_document()
        assert parse_program(document).last.operator.name == "upside_down"
    with (
        use_own_folders(write(tmp_path / "b", upside=LASTED + "\n")),
        pytest.raises(OtherOperator) as changed,
    ):
        _ = parse_program(document).last.operator
    assert "upside_down is another one than when this was started" in str(changed.value)
    assert "apply the plans that use it again" in str(changed.value)
    with pytest.raises(OtherOperator, match=r"is not here any more; put it back \(TIMELINE_OPERATORS\)"):
        _ = parse_program(document).last.operator
    program = parse_program(document)
    assert (program.across_keys, program.streams, program.sources) == (False, ("s",), ("s",))


def test_a_plan_with_an_operator_that_is_gone_says_at_which_node() -> None:
    (problem,) = check(build_plan(NODES), {}).problems
    assert (problem.node, problem.code) == ("off", "unknown_operator")
    assert "TIMELINE_OPERATORS" in problem.hint


BAD = {
    "raises": ("1 / 0\n", "raises.py: cannot be imported: ZeroDivisionError: division by zero (line 1 of"),
    "syntax": ("def x(:\n", "syntax.py: cannot be imported: SyntaxError:"),
    "leaves": ("raise SystemExit(3)\n", "leaves.py: cannot be imported: SystemExit: 3"),
    "nothing": ("x = 1\n", "nothing.py: declares no operator; decorate its function with @operator"),
    "strange": ("from nowhere import x\n", "strange.py: cannot be imported: ModuleNotFoundError: No module named"),
    "second": (LASTED, "upside.py: the operator upside_down is declared in second.py, too; call one of them"),
    "shipped": (LASTED.replace("upside_down", "held_for"), "the operator held_for is one of the product's"),
    "named": (LASTED.replace("upside_down", "Upside"), "named.py: Upside cannot be its name"),
    "taken": (LASTED.replace("upside_down", "results"), "taken.py: results cannot be its name"),
    "typed": (LASTED.replace("(of: Bool)", "(of: int)"), "typed.py: cannot be imported: TypeError: upside_down(of)"),
    "mute": (LASTED.replace(", why=_why", ""), "mute.py: cannot be imported: TypeError: upside_down does not say why"),
    "kindless": (
        LASTED.replace("-> Bool", "-> State").replace("import Bool", "import Bool, State").replace("upside_down", "u"),
        "kindless.py: u does not say of which kind its result is",
    ),
    "mirrored": (
        LASTED.replace("why=_why)", 'why=_why, mirror="glass")').replace("upside_down", "v"),
        "mirrored.py: v names glass as its mirror, which there is not",
    ),
    "across": (LASTED.replace('"timelines"', '"keys"').replace("upside_down", "w"), "across.py: w goes across keys"),
    "versioned": (
        LASTED.replace("why=_why)", "why=_why, version=7)").replace("upside_down", "y"),
        "versioned.py: y has a version that cannot be used",
    ),
    "with-dash": (LASTED, "with-dash.py is no name that Python can import"),
}  # fmt: skip


def test_all_that_is_wrong_is_said_at_once_each_with_place_and_hint(tmp_path: Path) -> None:
    folder = write(tmp_path, upside=LASTED, **{name: text for name, (text, _) in BAD.items()})
    problems = read_refusal(folder)
    for name, (_, words) in BAD.items():
        assert any(words in problem for problem in problems), (name, problems)
    assert len(problems) == len(BAD)


def test_folders_that_cannot_be_used_are_refused(tmp_path: Path) -> None:
    assert read_refusal(tmp_path / "no") == (
        f"TIMELINE_OPERATORS: the folder {tmp_path / 'no'} is not there; make it, or take it out",
    )
    assert "must be named from / or ~ on" in read_refusal(Path("here"))[0]
    write(tmp_path, file=LASTED)
    assert "name the folder that it lies in" in read_refusal(tmp_path / "file.py")[0]


def test_a_file_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    left, right = (write(tmp_path / name, upside=LASTED) for name in ("one", "other"))
    (problem,) = read_refusal(left, right)
    assert problem.startswith(f"{right / 'upside.py'} is there twice")


def test_nothing_of_them_is_there_while_one_is_wrong(tmp_path: Path) -> None:
    folder = write(tmp_path, upside=LASTED, raises="1 / 0\n")
    with use_own_folders(folder):
        for _ in range(2):
            with pytest.raises(BadOperators):
                operators()
        (folder / "raises.py").unlink()
        assert "upside_down" in operators()


@pytest.fixture
def _installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A package that is installed, with an entry point."""
    write(tmp_path / "my_package", __init__="", upside=LASTED)
    monkeypatch.syspath_prepend(str(tmp_path))

    def use_entry_point(value: str) -> None:
        named = EntryPoint("upside", value, own.GROUP)
        monkeypatch.setattr(own, "entry_points", lambda group: [named] if group == own.GROUP else [])

    yield use_entry_point
    for name in [name for name in sys.modules if name.partition(".")[0] == "my_package"]:
        del sys.modules[name]


@pytest.mark.parametrize("value", ["my_package.upside", "my_package.upside:upside_down"])
def test_an_entry_point_names_a_module_or_an_operator(_installed: Any, value: str) -> None:  # noqa: PT019
    _installed(value)
    with use_own_folders():
        result = operators()["upside_down"]
    assert (result.source, result.version[:5]) == (f"the entry point {value}", "code ")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("my_package.none", "the entry point my_package.none: cannot be imported: ModuleNotFoundError"),
        ("not_there", "the entry point not_there: cannot be imported: ModuleNotFoundError"),
        (
            "my_package.upside:none",
            "the entry point my_package.upside:none: cannot be imported: AttributeError",
        ),
        ("my_package.upside:negate", "the entry point my_package.upside:negate: declares no operator"),
    ],
)
def test_an_entry_point_that_leads_nowhere_is_refused(_installed: Any, value: str, words: str) -> None:  # noqa: PT019
    _installed(value)
    (problem,) = read_refusal()
    assert problem.startswith(words)


SCRIPT = """
from timeline_app import timeline as tl
stream = tl.stream("player", key="k", time="t", unit="s", fields={"on": "bool"})
on = stream.latest_event_to_state("on")
print(tl.plan("mine", off=tl.upside_down(on), also=on.upside_down()).text())
"""


def test_text_and_python_know_it_at_once(tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "TIMELINE_OPERATORS": str(write(tmp_path, upside=LASTED)),
        "PYTHONPATH": str(ROOT),
    }
    process = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True
    )
    assert "off = upside_down(latest_event_to_state_on)\nalso = upside_down(" in process.stdout


def test_no_name_hides_a_word_of_text_or_python() -> None:
    words = {*RESERVED, *DIRECTIVES, *timeline.__all__, *dir(Stream), *dir(Timeline)} - set(operators())
    assert {word for word in words if word.isalpha() and word.islower()} <= TAKEN
