"""Text in the encoding that a declaration states, as UTF-8: nothing is detected but what cannot be mistaken."""

from __future__ import annotations

import codecs
import io
from typing import Any, BinaryIO

from timeline_app.events.decode.content import Content
from timeline_app.events.decode.errors import DecodeError, Notes
from timeline_app.events.encodings import UTF8

_BUFFER = 1 << 20
_MARK_BYTES = 4
_SURE_CHARACTERS = 8
"""So many characters of UTF-8, and nothing that is none, are no accident in a text of several bytes a character."""
_EXAMINED_CHARACTERS = 1 << 16
_WIDE = "utf-16"


def decode_content(content: Content, encoding: str | None, notes: Notes) -> Content:
    """Return text content as UTF-8; unchanged where no encoding is stated, or the text has a byte order mark.

    Reading raises `DecodeError` where the text is not of that encoding.
    """
    head = content.read_head(_MARK_BYTES)
    if encoding is None or head.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content
    if encoding != UTF8:
        notes.add(f"the text is read as {encoding}, as the declaration states")
    return Content(lambda: _open(content.open(), encoding, notes), None, packed=True)


def decode_bytes(text: bytes, encoding: str | None) -> bytes:
    """Return text as UTF-8; raises `DecodeError`."""
    if encoding is None or (text.isascii() and encoding == UTF8):
        return text
    with decode_content(Content.of_bytes(text), encoding, Notes()).open() as stream:
        return stream.read()


def _open(raw: BinaryIO, encoding: str, notes: Notes) -> BinaryIO:
    return io.BufferedReader(_DecodedStream(raw, encoding, notes), _BUFFER)


class _DecodedStream(io.RawIOBase):
    """Gives UTF-8 while it reads another encoding; text that is plainly UTF-8 stays as it is."""

    def __init__(self, raw: BinaryIO, encoding: str, notes: Notes) -> None:
        self._raw, self._encoding, self._notes = raw, encoding, notes
        self._decoder: codecs.IncrementalDecoder | None = None
        self._held, self._lines, self._done = b"", 1, False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._held and not self._done:
            data = self._raw.read(_BUFFER)
            self._done = not data
            self._held = self._decode(data)
        content, self._held = self._held[: len(buffer)], self._held[len(buffer) :]
        buffer[: len(content)] = content
        return len(content)

    def close(self) -> None:
        """Close what it reads as well."""
        if not self.closed:
            self._raw.close()
        super().close()

    def _decode(self, data: bytes) -> bytes:
        if self._decoder is None:
            if _is_ascii(data) and not self._encoding.startswith(_WIDE):
                self._lines += data.count(b"\n")
                return data
            self._decoder = self._choose_decoder(data)
        try:
            text = self._decoder.decode(data, final=self._done)
        except UnicodeDecodeError as error:
            raise self._describe_fault(error) from None
        self._lines += text.count("\n")
        return text.encode(errors="replace")

    def _choose_decoder(self, data: bytes) -> codecs.IncrementalDecoder:
        """Return the decoder of the stated encoding, or that of UTF-8 where the text can be nothing else."""
        name = self._encoding
        if name != UTF8 and _is_plainly_utf8(data, name):
            self._notes.add(
                f"the text is UTF-8, and not {name} as the declaration states; it is read as UTF-8"
            )
            name = UTF8
        return codecs.getincrementaldecoder(name)()

    def _describe_fault(self, error: UnicodeDecodeError) -> DecodeError:
        line = self._lines + error.object[: error.start].count(b"\n")
        words = (
            f"The byte 0x{error.object[error.start]:02X} is not {error.encoding}, which the declaration states as the"
            " encoding."
        )
        return DecodeError("not_encoding", words, "State the encoding that the text has.", line)


def _is_ascii(data: bytes) -> bool:
    """Return whether bytes are ASCII, and none of them begins another set of characters."""
    return data.isascii() and b"\x1b" not in data


def _is_plainly_utf8(data: bytes, name: str) -> bool:
    """Return whether the first block that is not ASCII is UTF-8, and hardly text of another encoding by accident."""
    if data.isascii() or name.startswith(_WIDE):
        return False
    try:
        text = codecs.getincrementaldecoder(UTF8)().decode(data)
    except UnicodeDecodeError:
        return False
    is_single = len(bytes(range(128, 256)).decode(name, "replace")) == 128
    return (
        is_single or sum(character > "\x7f" for character in text[:_EXAMINED_CHARACTERS]) >= _SURE_CHARACTERS
    )
