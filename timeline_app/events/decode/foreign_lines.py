"""Recognises text that resembles a table or JSON in its first line and is something else, and says what to do."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import orjson

from timeline_app.events.decode.errors import DecodeError

_JQ = "jq -c '.data.result[] | .metric as $m | .values[] | $m + {t: .[0], value: .[1]}'"
_EXAMINED_BYTES = 200
"""The beginning of a Prometheus answer that identifies it, in bytes."""
_MIN_DIGITS = 10
"""The least digits of an InfluxDB time."""
_SHOWN_CHARS = 40
_SYSLOG = re.compile(rb"<[0-9]{1,3}>")
_SQL = re.compile(
    rb"(insert into |create table |drop table |copy [^ ,;]{1,200} ?\(|-- (mysql|mariadb|postgresql|dump))",
    re.IGNORECASE,
)
_W3C = re.compile(rb"^#Fields:", re.MULTILINE)

_OLD_SYSLOG = re.compile(rb"[A-Z][a-z]{2} [ 0-9][0-9] [0-9]{2}:[0-9]{2}:[0-9]{2} [^ ,;]{1,99} [^:]{1,99}: ")
_ACCESS_LOG = re.compile(
    rb'[0-9a-fA-F.:]{3,45} [^ ]{1,99} [^ ]{1,99} \[[0-9]{2}/[A-Z][a-z]{2}/[0-9]{4}:[^\]]{1,30}\] "'
)
_LOGFMT = re.compile(
    rb'[A-Za-z_][\w.]{0,60}=(?:"[^"]{0,200}"|[^ =",;]{1,200})(?: [A-Za-z_][\w.]{0,60}=[^=]{0,200}){2}'
)
_TOML = re.compile(rb"\[{1,2}[A-Za-z_][\w. -]{0,60}\]{1,2}\s*$")
_YAML = re.compile(rb"(?:- )?[A-Za-z_][\w.-]{0,60}: ?[^,;|\t{]{0,200}$")
_SETTING = re.compile(rb"[A-Za-z_][\w.]{0,60} ?= ?[^=]")
_WIDE_BLANKS = re.compile(rb"[^ ,;\t|]+(?: [^ ,;\t|]+)*(?: {2,99}[^ ,;\t|]+(?: [^ ,;\t|]+)*){2,99}")
_LINES_OF_FORMS = (
    (_OLD_SYSLOG, "syslog", "Write JSON lines (syslog-ng and rsyslog have templates for JSON)."),
    (
        _ACCESS_LOG,
        "the access log of a web server",
        "Let the server write JSON (log_format with escape=json in nginx).",
    ),
    (_LOGFMT, "logfmt (names and values joined by =)", "Let the program log JSON, one object on each line."),
)
_BEGINNINGS = (
    (b"BEGIN:VCALENDAR", "a calendar (iCalendar)", "Export its events as CSV or JSON lines."),
    (b"bplist00", "a property list of macOS", "Convert it to JSON (plutil -convert json)."),
    (b"--- ", "YAML", "Convert it to JSON lines (yq -o=json -I=0 does it)."),
    (b"---\n", "YAML", "Convert it to JSON lines (yq -o=json -I=0 does it)."),
    (b"---\r", "YAML", "Convert it to JSON lines (yq -o=json -I=0 does it)."),
)


def refuse_foreign_text(head: bytes, lines: Sequence[bytes]) -> None:
    """Raise `DecodeError` where text that begins so is of a form that is known and not taken.

    `lines` are its first ones without comments.
    """
    for form, hint in _list_forms(head, lines):
        raise DecodeError("foreign_format", f"This is {form}.", hint)
    for line in lines[:1]:
        _refuse_first_line(line)


def _list_forms(head: bytes, lines: Sequence[bytes]) -> Iterator[tuple[str, str]]:
    """Yield the form of the text, and what to do instead."""
    first = lines[0] if lines else b""
    yield from _list_forms_of_programs(head, lines)
    if _SYSLOG.match(first):
        yield "syslog", "Write JSON lines (syslog-ng and rsyslog have templates for JSON)."
    if _SQL.match(first):
        yield "SQL, such as a dump of a database", "Export the table as CSV with a row of names."
    if any(map(_is_frame, lines[:2])):
        yield "a table that is drawn for people", "Export it as CSV (psql --csv, mysql --batch)."
    if head.startswith(b"#") and _W3C.search(head):
        yield (
            "a log of the W3C form (IIS, CloudFront)",
            "Write its lines as CSV with a row of names, or as JSON.",
        )
    if head.startswith((b"# HELP ", b"# TYPE ")):
        yield (
            "a page of metrics for Prometheus",
            "Ask Prometheus for them, and send its answers as JSON lines.",
        )
    if _is_line_protocol(first):
        yield "the line protocol of InfluxDB", "Export it as CSV or JSON lines."


def _list_forms_of_programs(head: bytes, lines: Sequence[bytes]) -> Iterator[tuple[str, str]]:
    """Yield what programs write for themselves or for people: logs, settings, columns lined up by blanks."""
    for mark, form, hint in _BEGINNINGS:
        if head.startswith(mark):
            yield form, hint
    for pattern, form, hint in _LINES_OF_FORMS:
        if lines and all(map(pattern.match, lines[:2])):
            yield form, hint
    if len(lines) > 1 and _TOML.match(lines[0]) and _SETTING.match(lines[1]):
        yield "a file of settings (TOML or INI)", "Write its values as JSON lines or CSV."
    if len(lines) > 1 and lines[0].startswith(b"- ") and all(map(_YAML.match, lines[:2])):
        yield "YAML", "Convert it to JSON lines (yq -o=json -I=0 does it)."
    if len(lines) > 1 and all(map(_WIDE_BLANKS.fullmatch, lines[:3])):
        hint = "Write it as CSV, such as by sed -E 's/ {2,}/,/g' where no cell has a comma."
        yield "a table whose columns are lined up by blanks (fixed width)", hint


def _is_frame(line: bytes) -> bool:
    """Return whether a line is part of a frame around cells, such as `+---+---+` or `|---|---|`."""
    return b"---" in line and any(mark in line for mark in (b"+", b"|")) and not line.strip(b"+-=|: ")


def _refuse_first_line(line: bytes) -> None:
    if _has_json_behind_key(line):
        words = "The lines have JSON behind a key and a tab, as the console consumer of Kafka prints them."
        raise DecodeError(
            "key_before_json", words, "Print the values only (print.key=false), each with its key as a field."
        )
    if is_encoded_twice(_decode(line)):
        words = "The lines are JSON that is encoded twice: texts in quotes that hold objects."
        raise DecodeError("encoded_twice", words, "Encode each event once, so that its line begins with {.")
    before, brace, after_brace = line.partition(b"{")
    if (
        before
        and brace
        and not line.startswith((b"[", b"\x1e"))
        and isinstance(_decode(brace + after_brace), dict)
    ):
        excerpt = before[:_SHOWN_CHARS].decode(errors="replace").strip()
        words = f"The lines have JSON behind other text ({excerpt!r})."
        raise DecodeError("text_before_json", words, "Send the JSON alone (sed 's/^[^{]*//' does it).")


def refuse_matrix(head: bytes) -> None:
    """Raise `DecodeError` for a Prometheus answer with several values per series.

    Only the first value of each would be read.
    """
    begin = head[: 1 << 10].translate(None, b" \t\r\n")[:_EXAMINED_BYTES]
    if begin.startswith(b'{"status":') and b'"resultType":"matrix"' in begin:
        words = "This is an answer of Prometheus with a list of values for each series (a matrix)."
        raise DecodeError("foreign_format", words, f"Write one event for each value, such as by {_JQ}.")


def is_encoded_twice(value: object) -> bool:
    """Return whether a JSON value is a text that itself contains an object or a list in JSON."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "["):
        return False
    return isinstance(_decode(value.encode("utf-8", "surrogatepass")), dict | list)


def _has_json_behind_key(line: bytes) -> bool:
    """Return whether a line is a key and JSON. Tabs inside JSON are escaped, so the last one precedes it."""
    _, tab, value = line.rpartition(b"\t")
    return bool(tab) and value.startswith(b"{") and isinstance(_decode(value), dict)


def _is_line_protocol(line: bytes) -> bool:
    """Return whether a line is in line protocol, such as `cpu,host=a usage=12.5 1719824400000000000`."""
    series, _, after_series = line.partition(b" ")
    name, *tags = series.split(b",")
    fields, _, time = after_series.rpartition(b" ")
    has_time = time.isdigit() and len(time) >= _MIN_DIGITS
    first = (fields if has_time else after_series).partition(b"=")
    named = bool(name) and not name.startswith((b"{", b"[", b'"')) and b"=" not in name
    is_field = bool(first[0] and first[2]) and not any(mark in first[0] for mark in (b" ", b",", b'"'))
    return named and is_field and (has_time or bool(tags)) and all(b"=" in tag for tag in tags)


def _decode(text: bytes) -> object:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
