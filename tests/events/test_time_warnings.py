"""Times that can be read and may not be what was meant are told, with lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from timeline_app.algebra.kinds import SECOND
from timeline_app.evaluate.files import read_file
from timeline_app.evaluate.tables import EventTable
from timeline_app.events.declaration import StreamDeclaration
from timeline_app.events.validate import EventBatch
from timeline_app.problems.problem import Problem
from timeline_app.times.ranges import suggest_other_unit

TEXTS = ["2024-10-27 02:30:00", "2024-10-27 12:30:00", "2024-03-31 02:30:00", "2024-03-31T02:30:00Z"]
USUAL = [text.replace("T", " ").removesuffix("Z") for text in TEXTS[:3]]


def declare(**others: Any) -> StreamDeclaration:
    return StreamDeclaration.from_document("log", {"key": "k", "time": "at", "unit": "iso8601", **others})


def write(path: Path, times: list[Any]) -> str:
    events = [{"k": "a", "at": time} for time in times]
    if path.suffix == ".csv":
        path.write_text("k,at\n" + "".join(f"a,{time}\n" for time in times))
    elif path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(events), path)
    else:
        path.write_text("".join(json.dumps(event) + "\n" for event in events))
    return str(path)


def list_warnings(path: Path, times: list[Any], **others: Any) -> dict[str, Problem]:
    return {
        warning.code: warning for warning in read_file(write(path, times), declare(**others), ()).warnings
    }


@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet"])
@pytest.mark.parametrize("times", [TEXTS, USUAL])
def test_times_without_an_offset_are_told(tmp_path: Path, ending: str, times: list[str]) -> None:
    answer = list_warnings(tmp_path / f"e.{ending}", times)
    assert list(answer) == ["local_time"]
    line = 1 if ending != "csv" else 2
    assert f"UTC (3): line {line} 2024-10-27 02:30:00, line {line + 1} 2024" in answer["local_time"].message
    assert 'zone = "UTC"' in answer["local_time"].hint


@pytest.mark.parametrize("times", [TEXTS, USUAL])
def test_local_times_that_clocks_show_twice_or_never_are_told(tmp_path: Path, times: list[str]) -> None:
    answer = list_warnings(tmp_path / "e.jsonl", times, zone="Europe/Berlin")
    assert sorted(answer) == ["repeated_time", "skipped_time"]
    assert "in Europe/Berlin, as clocks were put back" in answer["repeated_time"].message
    assert "(1): line 1 2024-10-27 02:30:00" in answer["repeated_time"].message
    assert "(1): line 3 2024-03-31 02:30:00" in answer["skipped_time"].message


def test_the_first_ten_are_shown_and_all_are_counted(tmp_path: Path) -> None:
    answer = list_warnings(tmp_path / "e.jsonl", ["2024-07-01"] * 2_000)
    assert "(2,000)" in answer["local_time"].message
    assert answer["local_time"].message.count("line ") == 10
    assert answer["local_time"].message.endswith(", …")


@pytest.mark.parametrize(
    ("times", "declared"),
    [
        (["2024-07-01T08:00:00Z", "2024-07-01 08:00:00+02"], {}),
        (["2024-07-01 08:00:00"], {"zone": "UTC"}),
        (["2024-07-01 08:00:00"], {"zone": "Europe/Berlin"}),
        (["01.07.2024 +0200"], {"unit": "%d.%m.%Y %z"}),
        ([0, 1, 2], {"unit": "s"}),
        ([1_719_820_800], {"unit": "s"}),
        ([-86_400_000, 1_719_820_800_000], {"unit": "ms"}),
    ],
)
def test_what_is_clear_is_not_warned_of(tmp_path: Path, times: list[Any], declared: dict[str, str]) -> None:
    assert list_warnings(tmp_path / "e.jsonl", times, **declared) == {}


@pytest.mark.parametrize(
    ("times", "unit", "hint"),
    [
        ([1_719_820_800, 1_719_824_400], "ms", "look like seconds: declare unit = s"),
        ([1_719_820_800_000], "us", "look like milliseconds: declare unit = ms"),
        ([1_719_820_800], "ns", "look like seconds: declare unit = s"),
        ([1_719_820_800_000_000 // 100], "ms", None),
        ([2**31 * 10], "s", None),
    ],
)
def test_a_unit_that_all_times_speak_against_is_told(
    tmp_path: Path, times: list[int], unit: str, hint: str | None
) -> None:
    answer = list_warnings(tmp_path / "e.jsonl", times, unit=unit)
    assert (answer["other_unit"].hint if answer else None) == (hint and f"they {hint}")


@pytest.mark.parametrize(
    ("times", "unit", "hint"),
    [
        ([2024065, 2024070], "s", '"%Y%j"'),
        ([20240305, 20240306], "s", '"%Y%m%d"'),
        ([20240305, 20240306], "ms", '"%Y%m%d"'),
        ([240305, 240306], "s", '"%y%m%d"'),
        ([202403051230, 202403051231], "s", '"%Y%m%d%H%M"'),
        ([20240305123015, 20240305123016], "ms", '"%Y%m%d%H%M%S"'),
        ([2024065, 2024400], "s", None),
        ([240305, 240399], "s", None),
        ([20240305, 1_719_820_800], "s", None),
        ([1, 2, 3], "s", None),
    ],
)
def test_dates_of_digits_that_are_counted_are_told(
    tmp_path: Path, times: list[int], unit: str, hint: str | None
) -> None:
    answer = list_warnings(tmp_path / "e.jsonl", times, unit=unit)
    told = answer.get("dates_of_digits")
    assert (told.hint if told else None) == (hint and f"if they are dates, declare unit = {hint}")


def test_one_time_of_our_time_speaks_for_the_unit() -> None:
    early, late = 1_719_820_800 * SECOND // 1_000, 1_719_820_800 * SECOND
    assert suggest_other_unit(np.array([early]), "ms") is not None
    assert suggest_other_unit(np.array([early, late]), "ms") is None


def test_times_of_which_some_are_in_another_unit_are_told(tmp_path: Path) -> None:
    mixed = [1_719_820_800_000, 1_719_820_801_000, 1_719_820_802]
    answer = list_warnings(tmp_path / "e.jsonl", mixed, unit="ms")
    assert answer["mixed_units"].message == "1 of 3 times of 'at' lie in January 1970, the others in our time"
    assert list_warnings(tmp_path / "e.jsonl", [*mixed, 86_400_000 * 365], unit="ms") == {}


def test_events_one_by_one_are_told_alike(tmp_path: Path) -> None:
    for zone in (None, "Europe/Berlin"):
        batch = EventBatch(declare(zone=zone))
        for text in TEXTS:
            batch.add({"k": "a", "at": text}, strict=False)
        assert (
            EventTable.from_batch(batch, ()).warnings
            == read_file(write(tmp_path / "e.jsonl", TEXTS), declare(zone=zone), ()).warnings
        )


def test_times_inside_an_object_are_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    path.write_text('{"k": "a", "meta": {"at": "2024-07-01 08:00:00"}}\n')
    [answer] = read_file(str(path), declare(time="meta.at"), ()).warnings
    assert "line 1 2024-07-01 08:00:00" in answer.message
