"""Text that looks like a table or JSON by its first line, and is something else: named, with what to do."""

from __future__ import annotations

import orjson

from timeline_app.events.decode.errors import DecodeError

_JQ = "jq -c '.data.result[] | .metric as $m | .values[] | $m + {t: .[0], value: .[1]}'"
_BEGIN = 200
"""In so many bytes an answer of Prometheus says what it is."""
_MIN_DIGITS = 10
"""Times of InfluxDB have at least so many."""


def refuse_foreign_line(line: bytes) -> None:
    """Raise `DecodeError` where the first line of a text is of a form that is known and not taken."""
    if _has_json_behind_key(line):
        words = "The lines have JSON behind a key and a tab, as the console consumer of Kafka prints them."
        raise DecodeError(
            "key_before_json", words, "Print the values only (print.key=false), each with its key as a field."
        )
    if is_encoded_twice(_decode(line)):
        words = "The lines are JSON that is encoded twice: texts in quotes that hold objects."
        raise DecodeError("encoded_twice", words, "Encode each event once, so that its line begins with {.")
    if _is_line_protocol(line):
        raise DecodeError(
            "foreign_format", "This is the line protocol of InfluxDB.", "Export it as CSV or JSON lines."
        )


def refuse_matrix(head: bytes) -> None:
    """Raise `DecodeError` for an answer of Prometheus of which only the first value of each series would be read."""
    begin = head[: 1 << 10].translate(None, b" \t\r\n")[:_BEGIN]
    if begin.startswith(b'{"status":') and b'"resultType":"matrix"' in begin:
        words = "This is an answer of Prometheus with a list of values for each series (a matrix)."
        raise DecodeError("foreign_format", words, f"Write one event for each value, such as by {_JQ}.")


def is_encoded_twice(value: object) -> bool:
    """Whether a value of JSON is a text that holds an object or a list in JSON once more."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "["):
        return False
    return isinstance(_decode(value.encode("utf-8", "surrogatepass")), dict | list)


def _has_json_behind_key(line: bytes) -> bool:
    """A tab inside JSON is escaped: the last one of the line stands before it."""
    _, tab, value = line.rpartition(b"\t")
    return bool(tab) and value.startswith(b"{") and isinstance(_decode(value), dict)


def _is_line_protocol(line: bytes) -> bool:
    """A series, its fields and a time, such as `cpu,host=a usage=12.5 1719824400000000000`."""
    match line.split(b" "):
        case [series, fields, time]:
            is_time = time.isdigit() and len(time) >= _MIN_DIGITS
            return is_time and b"=" in fields and not series.startswith((b"{", b"["))
    return False


def _decode(text: bytes) -> object:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
