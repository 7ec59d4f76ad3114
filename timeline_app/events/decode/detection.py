"""Detects the format of content by its first bytes; unsupported formats are named."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

import orjson

from timeline_app.events.decode.compression import detect_compression
from timeline_app.events.decode.encoding import detect_encoding
from timeline_app.events.decode.errors import DecodeError
from timeline_app.events.decode.foreign_files import has_controls, refuse_foreign_files
from timeline_app.events.decode.foreign_lines import refuse_foreign_text, refuse_matrix

HEAD_BYTES = 1 << 16
"""The bytes at the beginning of content that identify its format."""
_BINARY = {b"PAR1": "parquet", b"ARROW1": "arrow", b"\xff\xff\xff\xff": "arrow_stream", b"Obj\x01": "avro"}
_MARKUP = re.compile(rb"\s{0,64}<(\?xml|!doctype|!--|html|[a-z])", re.IGNORECASE)
_FIRST_OBJECT = re.compile(rb'\{\s{0,9}"[^"\\]{0,1024}"\s{0,9}:\s{0,9}\{')
_OPENINGS = (b"{", b"[", b"\x1e")
_COMMENTS = (b"#", b"//", b"/*")
_EXAMINED_LINES = 20


def detect_binary(head: bytes) -> str | None:
    """Parquet, Arrow or Avro; raises `DecodeError` for a format that is not taken."""
    refuse_foreign_files(head)
    form = next((name for mark, name in _BINARY.items() if head.startswith(mark)), None)
    form = form if has_controls(head) else None  # a table may have a column PAR1
    if form is None and detect_encoding(head)[0] in (None, "utf-8"):
        _refuse_noise(head)
    return form


def refuse_binary(head: bytes) -> None:
    """Raise `DecodeError` for Arrow tables, which are read only in a child process or a source."""
    if (form := detect_binary(head)) is not None:
        words = f"This is {form.replace('_', ' ')}, and events are pushed as JSON or CSV."
        raise DecodeError("binary_format", words, "Push it as a sample, or read it as files of a source.")


def refuse_unappendable(head: bytes) -> None:
    """Raise `DecodeError` for formats that cannot be read line by line while they grow."""
    form = detect_compression(head) or detect_binary(head) or detect_encoding(head)[0]
    if form not in (None, "utf-8"):
        words = f"This is {form.upper().replace('_', ' ')}, which cannot be read while it grows."
        raise DecodeError("not_lines", words, "Write JSON lines in UTF-8, or read it once it is whole.")


def is_json(head: bytes) -> bool:
    """Return whether text (in UTF-8) is JSON rather than a table. Raises `DecodeError` for anything else."""
    if _MARKUP.match(head):
        raise DecodeError("foreign_format", "This is XML or HTML.", "Send JSON lines, CSV or Parquet.")
    if head.lstrip().startswith(b"/*"):
        return True
    refuse_matrix(head)
    lines = list(_select_lines(head))
    refuse_foreign_text(head, lines)
    return any(line.startswith(_OPENINGS) for line in lines[:1]) or any(map(_is_value, lines))


def is_plain_lines(head: bytes) -> bool:
    """Return whether content is JSON lines in UTF-8, which can be read from any line on."""
    if detect_compression(head) or detect_encoding(head)[0] not in (None, "utf-8"):
        return False
    try:
        if detect_binary(head) or not is_json(head):
            return not head.strip()
    except DecodeError:
        return False
    lines = list(_select_lines(head.removeprefix(codecs.BOM_UTF8)))
    if not lines or not lines[0].startswith(_OPENINGS):
        return bool(lines)
    several = len(lines) > 1 and any(map(_is_value, lines))
    return lines[0].startswith(b"{") and (several or (len(lines) == 1 and not may_wrap(lines[0])))


def may_wrap(line: bytes) -> bool:
    """Return whether an object may wrap events in a list, as rows, or under names (its first value is an object)."""
    joined = line.replace(b" ", b"")
    return b"[{" in joined or b"[[" in joined or _FIRST_OBJECT.match(line) is not None


def is_comment(line: bytes) -> bool:
    """Return whether a line is a comment."""
    return line.lstrip().startswith(_COMMENTS)


def _select_lines(head: bytes) -> Iterator[bytes]:
    """Yield the first lines, without those that are blank or comments."""
    lines = (line.strip() for line in head.split(b"\n")[:_EXAMINED_LINES])
    return (line for line in lines if line and not is_comment(line))


def _is_value(line: bytes) -> bool:
    """Return whether a line is JSON, and not a cell of a table (a number, or a text in quotes)."""
    try:
        return not isinstance(orjson.loads(line), (int, float, str)) or line in (b"true", b"false")
    except orjson.JSONDecodeError:
        return False


def _refuse_noise(head: bytes) -> None:
    sample = head[: 1 << 12]
    controls = sum(sample.count(byte) for byte in range(32) if byte not in b"\t\n\r\x0c\x1e")
    if controls * 10 > len(sample):
        words = "This is neither text nor a format that is known."
        raise DecodeError("no_format", words, "Send JSON lines, CSV, Parquet, Arrow IPC or Avro.")
