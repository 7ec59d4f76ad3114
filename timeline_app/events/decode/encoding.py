"""Converts text of any encoding to UTF-8, block by block, without byte order marks."""

from __future__ import annotations

import codecs
import re
from typing import BinaryIO

from timeline_app.events.decode.errors import DecodeError, Notes

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"), (codecs.BOM_UTF32_BE, "utf-32-be"), (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"),
)  # fmt: skip
_OTHER_LETTERS = re.compile(
    rb"(?![\xde\xf0\xfd\xfe\xe1\xe9\xed\xf3\xfa]{3})[\xc0-\xd6\xd8-\xf6\xf8-\xff]{3}"
    rb"|[\xa1-\xff]{4}|[A-Za-z][\xa1\xa3\xa5\xa6\xb1\xb3\xb6\xb9\xbc\xbe\xbf][a-z]"
    rb"|[\xb3\xb9][a-z\xc0-\xff]{2}|[A-Za-z][\x8a\x8c\x8e\x9f][a-z]|[A-Za-z][\x83\x86-\x88\x98]"
    rb"|[\x83\x86-\x88\x98][A-Za-z\xc0-\xff]"
    rb"|[\x9a\x9e][a-z\xc0-\xff]{0,20}[\xf8\xec\xe8\xf9]|[\xf8\xec\xe8\xf9][a-z\xc0-\xff]{0,20}[\x9a\x9e]"
)
"""Words of no Western European language: three accented letters in a row (but Icelandic), signs inside a word."""
_CONVERT = (
    "State the encoding in the declaration (encoding = windows-1251, for example), save the file as UTF-8, or convert"
    " it: iconv -f WINDOWS-1251 -t UTF-8."
)
_SHOWN_BYTES = 12
_SAMPLE_BYTES = 1 << 10
_MAX_TAIL_BYTES = 3
"""A block may end within a character of UTF-8."""


def detect_encoding(head: bytes) -> tuple[str | None, int]:
    """Return the encoding that a byte order mark or the NULs between letters indicate, and the length of the mark."""
    for mark, name in _MARKS:
        if head.startswith(mark):
            return name, len(mark)
    sample = head[: _SAMPLE_BYTES // 2 * 2]
    even, odd_zeros = sample[::2].count(0), sample[1::2].count(0)
    if (
        len(sample) >= 4
        and max(even, odd_zeros) * 10 >= 4 * len(sample)
        and min(even, odd_zeros) * 10 < len(sample)
    ):
        return ("utf-16-be" if even > odd_zeros else "utf-16-le"), 0
    return None, 0


class Utf8Reader:
    """Reads text as UTF-8. With `western`, other bytes are read as Windows-1252, which is recorded in `notes`."""

    def __init__(self, file: BinaryIO, notes: Notes, *, western: bool) -> None:
        self._file, self._notes, self._western = file, notes, western
        self._held = file.read(_SAMPLE_BYTES)
        self.encoding, mark = detect_encoding(self._held)
        self._held = self._held[mark:]
        self._decoder = None
        self._before, self._at_start, self.done = 0, True, mark + len(self._held)
        if self.encoding and self.encoding != "utf-8":
            self._decoder = codecs.getincrementaldecoder(self.encoding)()
            notes.add(f"the text is {self.encoding[:6].upper()}; it is read as that")

    def read(self, size: int) -> bytes:
        """Read about `size` more bytes; none at the end."""
        while True:
            raw = self._file.read(size - min(len(self._held), size >> 1))
            self.done += len(raw)
            data, self._held = self._held + raw, b""
            if not data:
                return b""
            if text := self._without_marks(self._decode(data, final=not raw)):
                self._before = self.done - len(self._held)
                return text

    def read_all(self) -> bytes:
        """Read the rest."""
        return b"".join(iter(lambda: self.read(1 << 22), b""))

    def _decode(self, data: bytes, *, final: bool) -> bytes:
        if self._decoder is not None:
            return self._decode_wide(data, final=final)
        if data.isascii():
            return data
        if self.encoding == "cp1252":
            return self._decode_western(data)
        try:
            data.decode()
        except UnicodeDecodeError as error:
            if not final and error.end == len(data) and len(data) - error.start <= _MAX_TAIL_BYTES:
                data, self._held = data[: error.start], data[error.start :]
                self.encoding = self.encoding or (None if data.isascii() else "utf-8")
                return data
            return self._decode_other(data, error)
        self.encoding = "utf-8"
        return data

    def _decode_other(self, data: bytes, error: UnicodeDecodeError) -> bytes:
        """Decode what is not UTF-8; JSON is passed unchanged, since each of its lines is checked."""
        if not self._western:
            return data
        if self.encoding == "utf-8" or not data[: error.start].isascii():
            line = self._count_lines(data[: error.start])
            words = f"The byte 0x{data[error.start]:02X} is not UTF-8, and what comes before it is."
            raise DecodeError("not_utf8", words, "Save the whole file as UTF-8.", line)
        self.encoding = "cp1252"
        self._notes.add("the text is not UTF-8; it is read as Windows-1252 (Western European)")
        return self._decode_western(data)

    def _decode_western(self, data: bytes) -> bytes:
        if (other := _OTHER_LETTERS.search(data)) is not None:
            line = self._count_lines(data[: other.start()])
            sample = data[other.start() : other.start() + _SHOWN_BYTES].split()[0].decode("cp1252", "replace")
            words = (
                f"The text is not UTF-8, and no Western European text either: as Windows-1252 it would read {sample!r}."
                " Windows-1250, Windows-1251, GB18030, Shift-JIS and Mac OS Roman cannot be told apart safely."
            )
            raise DecodeError("unknown_encoding", words, _CONVERT, line)
        try:
            return data.decode("cp1252").encode()
        except UnicodeDecodeError as error:
            line = self._count_lines(data[: error.start])
            words = f"The byte 0x{data[error.start]:02X} is neither UTF-8 nor Windows-1252."
            raise DecodeError("not_utf8", words, _CONVERT, line) from None

    def _count_lines(self, content: bytes) -> int | None:
        """Return the line reached with these bytes of the block, counted only on errors."""
        if not self._file.seekable():
            return None
        self._file.seek(0)
        return 1 + self._file.read(self._before).count(b"\n") + content.count(b"\n")

    def _decode_wide(self, data: bytes, *, final: bool) -> bytes:
        assert self._decoder is not None
        assert self.encoding is not None
        try:
            return self._decoder.decode(data, final).encode()
        except UnicodeError as error:
            words = f"The text begins like {self.encoding[:6].upper()}, but is not ({error})."
            raise DecodeError("not_utf16", words, "Save the file as UTF-8.") from None

    def _without_marks(self, text: bytes) -> bytes:
        """Files that were joined have byte order marks where each began."""
        if not text.isascii() and codecs.BOM_UTF8 in text:
            if self._at_start:
                text = text.removeprefix(codecs.BOM_UTF8)
            for end in (b"\n", b"\r"):
                text = text.replace(end + codecs.BOM_UTF8, end)
        self._at_start = text.endswith((b"\n", b"\r")) if text else self._at_start
        return text
