"""Detects the format of content by its first bytes; unsupported formats are named."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

import orjson

from timeline_app.events.decode.compression import detect_compression
from timeline_app.events.decode.encoding import detect_encoding
from timeline_app.events.decode.errors import DecodeError
from timeline_app.events.decode.foreign_lines import refuse_foreign_text, refuse_matrix

HEAD_BYTES = 1 << 16
"""The bytes at the beginning of content that identify its format."""
_BINARY = {b"PAR1": "parquet", b"ARROW1": "arrow", b"\xff\xff\xff\xff": "arrow_stream", b"Obj\x01": "avro"}
_EXPORT = "Export it as CSV, JSON lines or Parquet."
_FOREIGN = (
    (b"%PDF", "a PDF", "Send the table as CSV."),
    (b"SQLite format 3\0", "an SQLite database", _EXPORT),
    (b"ORC", "an ORC file", "Write it as Parquet."),
    (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        "an old office document (Excel 97, for example)",
        "Save the sheet as CSV.",
    ),
    (b"FEA1", "a Feather file of version 1", "Write it as Arrow IPC (Feather version 2) or Parquet."),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file", _EXPORT),
    (b"\x93NUMPY", "a NumPy array", _EXPORT),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", "Unpack it, and send the file."),
    (b"Rar!\x1a\x07", "a RAR archive", "Unpack it, and send the file."),
    (b"\x1f\x9d", "compressed by compress (.Z)", "Compress it with gzip or zstd."),
    (b"\xff\x06\x00\x00sNaPpY", "compressed by Snappy", "Compress it with gzip or zstd."),
    (b"\x89PNG", "a picture (PNG)", _EXPORT),
    (b"\xff\xd8\xff", "a picture (JPEG)", _EXPORT),
    (b"\x80\x04\x95", "a Python pickle", _EXPORT),
    (b"\x80\x05\x95", "a Python pickle", _EXPORT),
    (
        b"\0\0\0",
        "Avro, Protobuf or JSON of a schema registry, whose schema it does not hold",
        "Let the producer write JSON (with a JSON converter that has no schemas).",
    ),
)
_TAR_MAGIC_OFFSET = 257
_MARKUP = re.compile(rb"\s{0,64}<(\?xml|!doctype|html|[a-z])", re.IGNORECASE)
_FIRST_OBJECT = re.compile(rb'\{\s{0,9}"[^"\\]{0,1024}"\s{0,9}:\s{0,9}\{')
_OPENINGS = (b"{", b"[", b"\x1e")
_COMMENTS = (b"#", b"//", b"/*")
_EXAMINED_LINES = 20


def detect_binary(head: bytes) -> str | None:
    """Parquet, Arrow or Avro; raises `DecodeError` for a format that is not taken."""
    for mark, file_kind, hint in _FOREIGN:
        if head.startswith(mark):
            raise DecodeError("foreign_format", f"This is {file_kind}.", hint)
    if head[_TAR_MAGIC_OFFSET : _TAR_MAGIC_OFFSET + 5] == b"ustar":
        raise DecodeError(
            "foreign_format", "This is a tar archive.", "Unpack it, and send its files one by one."
        )
    form = next((name for mark, name in _BINARY.items() if head.startswith(mark)), None)
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
