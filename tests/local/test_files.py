"""Files of events: what is read by column is what the door takes event by event, and every fault has its line."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from timeline_app.algebra.events import Events
from timeline_app.local import csv_blocks, csv_rows, json_lines, parquet
from timeline_app.local.files import read_file
from timeline_app.local.progress import Progress
from timeline_app.local.tables import EventTable
from timeline_app.plan import BadEvents, EventBatch, LineProblem, StreamDeclaration
from timeline_app.plan.events import WrongEvent
from timeline_app.storage.columns import events_of, sorted_names

FIELDS = ("n", "on", "x", "k", "none")
TYPES = {"n": "number", "on": "bool"}
Told = tuple[Any, ...]
Rows = Iterable[tuple[int, Any]]


def declared(unit: str = "ms", **more: Any) -> StreamDeclaration:
    return StreamDeclaration.from_document(
        "s", {"key": "k", "time": "t", "unit": unit, "fields": TYPES, **more}
    )


STREAMS = [
    declared(), declared("s", id="id"), declared("us", id="n"), declared("iso8601", id="on"), declared("iso8601"),
    declared("ms", id="k"), declared("ms", fields={"t": "number", "k": "number", "x": "bool"}),
]  # fmt: skip


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """So small that every file has several."""
    monkeypatch.setattr(parquet, "ROWS", 3)
    monkeypatch.setattr(csv_rows, "_ROWS", 3)
    monkeypatch.setattr(json_lines, "_BYTES", 60)
    monkeypatch.setattr(csv_blocks, "_BYTES", 40)


def through_the_door(rows: Rows, stream: StreamDeclaration) -> EventTable:
    """What the rule for one event says of every event; raises `BadEvents` as the reader should."""
    batch, problems = EventBatch(stream), list[LineProblem]()
    for line, event in rows:
        try:
            if isinstance(event, LineProblem):
                problems.append(event)
            else:
                batch.add(event, strict=False)
        except WrongEvent as wrong:
            problems.append(LineProblem(line, wrong.name, wrong.code, str(wrong)))
    if problems:
        raise BadEvents(problems)
    return EventTable.of(batch, FIELDS)


def outcome(table: EventTable) -> Told:
    """The collection of events, whatever the way in which the columns are kept."""
    names = sorted_names(table.table["key"])
    events, collected = events_of(table.table, table.declaration, FIELDS, names, table.texts)
    keys = [str(events.names[place]) for place in events.key]
    births = {str(name): int(birth) for name, birth in zip(events.names, events.birth, strict=True)}
    fields = [[_exact(events, name, row) for name in FIELDS] for row in range(events.size)]
    told = list(zip(keys, events.time.tolist(), fields, strict=True))
    return told, {key: births[key] for key in keys}, collected.duplicates, collected.conflicts, table.last


def _exact(events: Events, name: str, row: int) -> Any:
    value = events.fields[name].scalar(row)
    return (value, math.copysign(1.0, value)) if isinstance(value, float) else value


def told(read: Any) -> Told:
    """What comes of reading: the events, or every reason why not."""
    try:
        return outcome(read())
    except BadEvents as bad:
        return bad.problems


def agree(path: Path, rows: Rows, stream: StreamDeclaration) -> None:
    assert told(lambda: read_file(str(path), stream, FIELDS)) == told(lambda: through_the_door(rows, stream))


ODD: list[Any] = [
    None, "", "a", "b", "é\u2028", "x" * 1_025, "\0", True, False, 0, 1, -0.0, 0.0, 1.5, 2**53 + 1, -(2**63), 2**63,
    2**64 - 1, 1e300, -1e-7, "1", "007", "+5", "-1.5", "1e3", "1_0", " 7 ", "nan", "inf", "true", [], [1], {"y": 1},
    "2024-07-01T08:00:00Z", "2024-07-01T08:00:00.123+02:00", "2024-07-01", "2024-02-30T08:00:00Z",
    "0000-01-01T00:00:00Z",
]  # fmt: skip
NUMBERS = [1, 2, 3, 1.5, "4", "5.25", "007", "+5"]
MOMENTS = [
    "2024-07-01T08:00:00Z",
    "2024-07-01T10:00:00.123+02:00",
    "2024-07-01 08:00:00.000001",
    "20240701T08",
]
SETTINGS = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


@st.composite
def cases(
    draw: st.DrawFn, faults: list[Any]
) -> tuple[StreamDeclaration, list[dict[str, Any]], list[tuple[int, Any]]]:
    """A stream, events with all sorts of values, and (in a third of the cases) bad keys, bad times, bad lines."""
    stream, odd = draw(st.sampled_from(STREAMS)), st.sampled_from(ODD)
    usual: list[Any] = MOMENTS if stream.unit == "iso8601" else NUMBERS
    required = {
        "k": draw(st.sampled_from([st.sampled_from(["a", "b"]), st.sampled_from(["a", "1", 1, 1.5])])),
        "t": st.sampled_from(draw(st.lists(st.sampled_from(usual), min_size=1, max_size=2))),
    }
    bad = draw(st.integers(0, 2)) == 0
    if bad and draw(st.booleans()):
        required = {name: st.one_of(some, some, some, odd) for name, some in required.items()}
    optional = dict.fromkeys(("id", "n", "on", "x", "z"), odd)
    events = draw(st.lists(st.fixed_dictionaries(required, optional=optional), max_size=12))
    lines = st.lists(st.tuples(st.integers(0, 12), st.sampled_from(faults)), min_size=1, max_size=2)
    return stream, events, draw(lines) if bad else []


ODD_LINES = [b"", b" \r", b"{", b"[1]", b"null", b'{"k": NaN}', b"\xff"]


@SETTINGS
@given(case=cases(ODD_LINES))
def test_json_lines_are_read_as_the_door_reads_them(tmp_path: Path, case: Any) -> None:
    stream, drawn, faults = case
    lines = [json.dumps(item).encode() for item in drawn]
    for place, fault in faults:
        lines.insert(place, fault)
    path = tmp_path / "e.jsonl"
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    agree(path, json_lines.JsonChunk([line + b"\n" for line in lines], 1, 0).rows(), stream)


ODD_ROWS = [
    "", "1", "a,1,,,,,,", '5" disk,1,,,,', '"a\nb",1,2,,,', '"a', '"a"b,1,,"""",,', "\ufeffa,1,,,,", " ", "a\0,1,,,,",
    'a,1,"\r\n",,,',
]  # fmt: skip


@SETTINGS
@given(
    case=cases(ODD_ROWS),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    start=st.sampled_from(["", "\ufeff"]),
)
@example(case=(STREAMS[0], [], []), end="\n", quoting=0, start="")
@example(case=(STREAMS[0], [], [(0, "\n\n\n")]), end="\n", quoting=0, start="")
def test_csv_is_read_as_pythons_reader_reads_it(
    tmp_path: Path, case: Any, end: str, quoting: Any, start: str
) -> None:
    stream, drawn, faults = case
    names = ["k", "t", "id", "n", "on", "x"]
    lines = []
    for item in drawn:
        text = io.StringIO()
        csv.writer(text, quoting=quoting, lineterminator="").writerow([item.get(name, "") for name in names])
        lines.append(text.getvalue())
    for place, fault in faults:
        lines.insert(place, fault)
    content = end.join([",".join(names), *lines])
    path = tmp_path / "e.csv"
    path.write_bytes((start + content).encode())
    agree(path, by_row(content, stream), stream)


def by_row(content: str, stream: StreamDeclaration) -> Rows:
    """Events of CSV, one by one."""
    reader = csv.reader(io.StringIO(content, newline=""))
    names = next(reader)
    for row in reader:
        if row and len(row) != len(names):
            message = f"not as many values as the header has names ({len(names)})"
            yield reader.line_num, LineProblem(reader.line_num, None, "bad_row", message)
        elif row:
            yield (
                reader.line_num,
                {name: cell(text, name, stream) for name, text in zip(names, row, strict=True)},
            )


def cell(text: str, name: str, stream: StreamDeclaration) -> Any:
    """A cell as its declared type, where it fits."""
    if text == "":
        return None
    kind = stream.kind_of(name).value
    if kind == "bool":
        return {"true": True, "false": False}.get(text.strip().lower(), text)
    try:
        return float(text) if kind == "number" else text
    except ValueError:
        return text


NOON = datetime(2024, 7, 1, 12, 0, 0, 7, UTC)
COLUMNS: list[tuple[pa.DataType, Sequence[Any]]] = [
    (pa.string(), ["a", "1", "2.5", "2024-07-01T08:00:00Z", "", None]),
    (pa.string(), ["1", "2", "-3"]),
    (pa.string(), ["1.5", "2.25", "-3.125"]),
    (pa.string(), ["2024-07-01T08:00:00Z", "2024-07-01 08:00:00.123+05:30"]),
    (pa.large_string(), ["a", "7", None]),
    (pa.dictionary(pa.int8(), pa.string()), ["a", "7", None]),
    (pa.dictionary(pa.int32(), pa.int64()), [7, None]),
    (pa.bool_(), [True, False, None]),
    (pa.int64(), [0, 1, -(2**63), 2**53 + 1, None]),
    (pa.uint64(), [0, 2**64 - 1, None]),
    (pa.int8(), [1, -2]),
    (pa.float64(), [0.0, -0.0, 1.5, math.nan, math.inf, 1e300, None]),
    (pa.float64(), [0.5, 1.5, 1719820800.123456]),
    (pa.float32(), [0.1, 1.5]),
    (pa.float16(), [np.float16(1.5), None]),
    (pa.decimal128(10, 2), [Decimal("2.5"), Decimal("-0.00"), None]),
    (pa.timestamp("us", "UTC"), [NOON, None]),
    (pa.timestamp("us"), [NOON.replace(tzinfo=None)]),
    (pa.timestamp("ns", "Europe/Berlin"), [NOON]),
    (pa.timestamp("ms"), [datetime(1969, 12, 31, 23, 59, 59, 999_000)]),  # noqa: DTZ001
    (pa.timestamp("s"), [datetime(1, 1, 1), datetime(9999, 12, 31)]),  # noqa: DTZ001
    (pa.date32(), [date(2024, 7, 1), date(1, 1, 1), None]),
    (pa.date64(), [date(2024, 7, 1)]),
    (pa.time64("us"), [NOON.time(), None]),
    (pa.duration("ms"), [timedelta(1)]),
    (pa.binary(), [b"\xff", None]),
    (pa.list_(pa.int64()), [[1], None]),
    (pa.struct([("y", pa.int64())]), [{"y": 1}, None]),
    (pa.null(), [None]),
]  # fmt: skip


def columns(size: int, *places: int) -> st.SearchStrategy[pa.Array]:
    """A column of any type, or of one of those at some places."""

    def some(kind: tuple[pa.DataType, Sequence[Any]]) -> st.SearchStrategy[pa.Array]:
        values = st.lists(st.sampled_from(kind[1]), min_size=size, max_size=size)
        return values.map(lambda drawn: pa.array(drawn, kind[0]))

    return st.sampled_from([COLUMNS[place] for place in places] or COLUMNS).flatmap(some)


@st.composite
def parquet_tables(draw: st.DrawFn) -> tuple[StreamDeclaration, pa.Table]:
    stream, size = draw(st.sampled_from(STREAMS)), draw(st.integers(0, 8))
    times = (3, 17, 18, 19, 20, 21) if stream.unit == "iso8601" else (1, 2, 10, 12, 13)
    keys = st.lists(st.sampled_from("abc"), min_size=size, max_size=size).map(
        lambda drawn: pa.array(drawn, pa.string())
    )
    bad = draw(st.integers(0, 2)) == 0
    made = {
        "k": draw(columns(size) if bad else keys),
        "t": draw(columns(size) if bad else columns(size, *times)),
        **{name: draw(columns(size)) for name in draw(st.sets(st.sampled_from(["id", "n", "on", "x", "z"])))},
    }
    return stream, pa.table({name: made[name] for name in draw(st.permutations(list(made)))})


@settings(SETTINGS, max_examples=300)
@given(case=parquet_tables())
def test_parquet_is_read_as_its_rows_would_be(
    tmp_path: Path, case: tuple[StreamDeclaration, pa.Table]
) -> None:
    stream, table = case
    path = tmp_path / "e.parquet"
    pq.write_table(table, path, row_group_size=4)
    rows = [
        {name: json_value(value) for name, value in row.items()} for row in pq.read_table(path).to_pylist()
    ]
    agree(path, enumerate(rows, 1), stream)


def json_value(value: Any) -> Any:
    if isinstance(value, Decimal):
        return float(value)
    return value.isoformat() if isinstance(value, date) else value


def test_an_event_with_too_many_fields_is_refused_in_every_format(tmp_path: Path) -> None:
    wide = {"k": "a", "t": 1, **{f"f{place}": 1 for place in range(500)}}
    (tmp_path / "e.jsonl").write_text(json.dumps(wide))
    (tmp_path / "e.csv").write_text(",".join(wide) + "\n" + ",".join(map(str, wide.values())))
    pq.write_table(pa.Table.from_pylist([wide]), tmp_path / "e.parquet")
    for name, line in [("e.jsonl", 1), ("e.csv", 2), ("e.parquet", 1)]:
        with pytest.raises(BadEvents, match=f"line {line}: 502 fields; an event may have 500"):
            read_file(str(tmp_path / name), declared(), ())


def test_an_end_is_put_to_floods_of_problems(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    path.write_bytes(b"{}\n" * 5_000)
    with pytest.raises(BadEvents) as bad:
        read_file(str(path), declared(), ())
    assert [item.line for item in bad.value.problems] == list(range(1, 101))


def test_mistyped_values_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    path.write_text('{"k": 1, "t": 1, "n": "x", "on": 1, "x": [1]}\n{"k": 1, "t": 1, "n": 1, "on": null}\n')
    assert read_file(str(path), declared(), FIELDS).mistyped == 3


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_is_drawn_on_a_terminal_only() -> None:
    for terminal, shown in [(Terminal(), True), (io.StringIO(), False)]:
        with Progress(2_000_000, terminal) as progress:
            progress.show(1_000_000, 5)
        said = terminal.getvalue()
        assert ("50% 1.0 of 2.0 MB  5 events" in said) == shown
        assert said.endswith("\r\033[K") == shown
