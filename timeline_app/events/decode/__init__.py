"""The one decoder of bytes into events, for all inputs.

The content itself shows its compression (`compression`), encoding (`encoding`) and format (`detection`). Undecodable
content raises `DecodeError`; a problem of one event is a `LineProblem`.
"""

from __future__ import annotations

import io
from collections.abc import Collection, Iterator

from timeline_app.events.declaration import StreamDeclaration
from timeline_app.events.decode.arrow_ipc import ArrowIpc
from timeline_app.events.decode.avro import Avro
from timeline_app.events.decode.chunks import Chunk, Source
from timeline_app.events.decode.compression import detect_compression, unpack_bytes, unpack_content
from timeline_app.events.decode.content import Content
from timeline_app.events.decode.csv_rows import Csv
from timeline_app.events.decode.detection import HEAD_BYTES, detect_binary, is_json, refuse_binary
from timeline_app.events.decode.encoding import Utf8Reader
from timeline_app.events.decode.errors import DecodeError, Notes, TooLarge
from timeline_app.events.decode.json_documents import JsonDocuments, open_json
from timeline_app.events.decode.json_lines import JsonLines
from timeline_app.events.decode.parquet import Parquet
from timeline_app.events.decode.stated_encoding import decode_bytes, decode_content
from timeline_app.events.decode.unpacked import Unpacked

__all__ = [
    "MAX_FILE_BYTES", "Chunk", "Content", "DecodeError", "Notes", "Source", "TooLarge", "list_lines",
    "list_whole_chunks", "open_events", "open_text",
]  # fmt: skip
MAX_FILE_BYTES = 1 << 36
"""The default budget of a compressed file."""


def open_events(
    content: Content,
    declaration: StreamDeclaration | None,
    notes: Notes,
    *,
    max_bytes: int = MAX_FILE_BYTES,
    whole: bool = False,
    single: bool = False,
    encoding: str | None = None,
) -> Source:
    """Return the events of content; `whole` reads every field, `single` allows a table with one column.

    Without a declaration, `encoding` states that of text.

    Raises `DecodeError`, `BadEvents`, `OSError`. Without a declaration the cells of a table are texts.
    """
    inner, packed = unpack_content(content, max_bytes)
    if packed is not None:
        notes.add(f"the content is compressed with {packed}")
    head = inner.read_head(HEAD_BYTES)
    form = detect_binary(head)
    if form == "parquet":
        return Parquet(inner, None if declaration is None else declaration.id)
    if form is not None:
        return Avro(inner) if form == "avro" else ArrowIpc(inner, form)
    text = decode_content(inner, encoding if declaration is None else declaration.encoding, notes)
    return _open_text(text, declaration, notes, whole=whole, single=single)


def open_text(
    body: bytes,
    declaration: StreamDeclaration,
    notes: Notes,
    max_bytes: int,
    field_names: Collection[str] = (),
) -> JsonLines | JsonDocuments | Csv:
    """Return the events of a sent text, compressed or not; they may lack `field_names`, which come beside it.

    Raises `DecodeError`, also for Arrow tables, and `BadEvents`.
    """
    text = _unpack_text(body, max_bytes)
    refuse_binary(text[:HEAD_BYTES])
    decoded = decode_content(Content.of_bytes(text), declaration.encoding, notes)
    return _open_text(decoded, declaration, notes, whole=True, field_names=field_names)


def list_lines(body: bytes, encoding: str | None, max_bytes: int) -> list[bytes]:
    """Return the lines of a sent text for display; undecodable content is split as bytes."""
    try:
        text = io.BytesIO(decode_bytes(_unpack_text(body, max_bytes), encoding))
        western = not is_json(Utf8Reader(text, Notes(), western=True).read(HEAD_BYTES))
        text.seek(0)
        return Utf8Reader(text, Notes(), western=western).read_all().split(b"\n")
    except DecodeError:
        return body.split(b"\n")


def _unpack_text(body: bytes, max_bytes: int) -> bytes:
    packed = detect_compression(body[:16])
    return body if packed is None else unpack_bytes(body, packed, max_bytes)


def _open_text(
    content: Content,
    declaration: StreamDeclaration | None,
    notes: Notes,
    *,
    whole: bool,
    single: bool = False,
    field_names: Collection[str] = (),
) -> JsonLines | JsonDocuments | Csv:
    with content.open() as file:
        head = Utf8Reader(file, Notes(), western=True).read(HEAD_BYTES)
    if not head.strip(b" \t\r\n") or is_json(head):
        return open_json(content, declaration, notes, field_names=field_names)
    return Csv(content, declaration, notes, whole=whole, single=single, field_names=field_names)


def list_whole_chunks(source: Source, unpacked: Unpacked) -> Iterator[Chunk]:
    """Chunks of whole events, within a budget; raises `TooLarge`."""
    if isinstance(source, (Parquet, ArrowIpc)):
        return source.whole_chunks(unpacked)
    return source.chunks()
