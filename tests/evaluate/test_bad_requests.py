"""Everything that is wrong with what `manage.py evaluate` is given is told, with place and hint."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from tests.evaluate.desk import CIRR, NODES, ROOT, Desk

BAD_PLANS: dict[str, tuple[Any, str]] = {
    "no JSON": ("{", "not a JSON plan document"),
    "no text": (b"\xff\xfe", "not a JSON plan document"),
    "bottomless": ("[" * 100_000, "nested too deeply"),
    "a list": ([], "plan: a plan document must be an object"),
    "an undeclared stream": ({"version": 1, "nodes": NODES}, "played.stream: there is no stream 'player'"),
    "two problems": (
        {**CIRR, "version": 3, "results": ["cir"]},
        "results: the result 'cir' is no node; did you mean cirr?",
    ),
}

BAD_TEXTS = {
    "played = has_existed(player_state == 'play')": "line 1, column 22: played.where: player_state does not say",
    "played = has_existed(player.live == true)\nb = a b": "line 2, column 7: b: found 'b', expected an operator",
    "x = event_count(player)": "line 1, column 17: x.stream: there is no stream 'player'",
    "stream player(key = k, time = t)\nx = not not event_count(player)": "line 2, column 13: x_2.of: ",
}


@pytest.mark.parametrize("text", BAD_TEXTS)
def test_a_bad_text_is_refused_at_line_and_column(desk: Desk, events: str, text: str) -> None:
    assert BAD_TEXTS[text] in desk.refusal(desk.write("plan.txt", text), events)


@pytest.mark.parametrize("name", BAD_PLANS)
def test_a_bad_plan_is_refused(desk: Desk, events: str, name: str) -> None:
    content, says = BAD_PLANS[name]
    assert says in desk.refusal(desk.write("plan.json", content), events)


BAD_EVENTS: dict[str, tuple[str, bytes, str]] = {
    "no JSON": ("e.jsonl", b'{"session_id": "a", "t": 1}\n\n{"x\n', "line 3: the event is cut off"),
    "no key and no time": ("e.jsonl", b'{"t": 1}\n{"session_id": "a"}', "line 2: the time 't' is missing"),
    "a row too short": (
        "e.csv",
        b"session_id,t,x\na,1\n",
        "line 2: 2 cells, but the header in line 1 has 3 names",
    ),
    "a row too long": (
        "e.csv",
        b"session_id,t\na,1\nb,2,3\n",
        "line 3: 3 cells, but the header in line 1 has 2 names",
    ),
    "an endless cell": (
        "e.csv",
        b"session_id,t\na," + b"1" * 200_000,
        "line 2: a cell has more than 131,072 characters",
    ),
    "a CSV in two encodings": (
        "e.csv",
        b"session_id,t\n\xc3\xa9,1\n\xe9,1\n",
        "line 3: The byte 0xE9 is not UTF-8",
    ),
    "no Parquet": ("e.parquet", b"PAR1", "e.parquet: "),
}


@pytest.mark.parametrize("name", BAD_EVENTS)
def test_bad_events_are_refused_by_their_line(desk: Desk, plan: str, name: str) -> None:
    file, content, says = BAD_EVENTS[name]
    assert says in desk.refusal(plan, desk.write(file, content))


def test_events_that_do_not_say_when_they_arrived_are_refused_where_that_is_asked(
    desk: Desk, events: str
) -> None:
    text = "stream player(key = session_id, time = t)\nlag = event_lag(player)"
    assert "none of them says it; give them the field _arrived" in desk.refusal(
        desk.write("lag.txt", text), events
    )


def test_bad_arguments_are_refused_with_the_hint(desk: Desk, plan: str, events: str) -> None:
    assert "did you mean cirr?" in desk.refusal(plan, events, "--node", "cir")
    assert "is no instant; give microseconds" in desk.refusal(plan, events, "--at", "noon")
    for absurd in ("9" * 30, "-" + "9" * 20, "0001-01-01T00:00:00+10:00"):
        assert "lies outside the years 1 to 9999" in desk.refusal(plan, events, f"--at={absurd}")
    assert "cannot be read (Is a directory)" in desk.refusal(plan, str(desk.folder))
    assert "name the file of a plan document" in desk.refusal(str(desk.folder / "none.json"), events)
    assert "give NAME=FILE once for each" in desk.refusal(plan, f"player={events}", f"player={events}")


def test_the_real_command_ends_badly_with_one_clear_line(plan: str) -> None:
    command = [sys.executable, "manage.py", "evaluate", plan, "nowhere.jsonl"]
    process = subprocess.run(command, capture_output=True, cwd=ROOT, timeout=120, check=False)
    assert (process.returncode, process.stdout) == (1, b"")
    assert (
        process.stderr.decode().strip().endswith("nowhere.jsonl: cannot be read (No such file or directory)")
    )


def test_a_reader_that_has_enough_is_no_fault(desk: Desk, plan: str) -> None:
    many = desk.write("many.jsonl", [{"session_id": f"s{index}", "t": index} for index in range(5_000)])
    command = [sys.executable, "manage.py", "evaluate", plan, many]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT) as done:
        assert done.stdout is not None
        assert done.stderr is not None
        assert done.stdout.readline().startswith(b'{"node"')
        done.stdout.close()
        assert all(line.startswith(b"warning: ") for line in done.stderr)
    assert done.returncode == 0
