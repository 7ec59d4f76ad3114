"""Detects and unpacks compressed content, by its first bytes and not by its name."""

from __future__ import annotations

import io
import lzma
import zipfile
import zlib
from collections.abc import Callable
from typing import Any, BinaryIO

import pyarrow as pa

from timeline_app.events.decode.content import Content
from timeline_app.events.decode.errors import DecodeError, TooLarge

_BUFFER_BYTES = 1 << 20
_MARKS = {
    b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"BZh": "bz2", b"\x04\x22\x4d\x18": "lz4",
    b"\xfd7zXZ\x00": "xz", b"PK\x03\x04": "zip", b"PK\x05\x06": "zip",
}  # fmt: skip
_OFFICE = (
    ("xl/", "an Excel workbook (XLSX)", "Save its sheet as CSV, and send that."),
    ("word/", "a Word document (DOCX)", "Send its table as CSV."),
    ("ppt/", "a PowerPoint presentation (PPTX)", "Send its table as CSV."),
    ("mimetype", "an OpenDocument file (ODS, for example)", "Save its sheet as CSV, and send that."),
    (
        "[Content_Types].xml",
        "an office document (an Excel workbook, for example)",
        "Save its sheet as CSV, and send that.",
    ),
    ("Index/Document.iwa", "a Numbers document", "Export it as CSV, and send that."),
    ("Index.zip", "a Numbers document", "Export it as CSV, and send that."),
)
"""What the names of its files make of a zip, and what to do."""
_LITTER = ("__MACOSX/", ".DS_Store", "Thumbs.db")


def detect_compression(head: bytes) -> str | None:
    """Return the name of the compression whose magic number the bytes begin with."""
    name = next((name for mark, name in _MARKS.items() if head.startswith(mark)), None)
    return None if name == "bz2" and head[4:10] != b"1AY&SY" else name


def unpack_content(content: Content, max_bytes: int) -> tuple[Content, str | None]:
    """Return the unpacked content, and its compression. Reading raises `DecodeError`."""
    name = detect_compression(content.read_head(16))
    if name is None:
        return content, None
    inner = Content(lambda: unpack_stream(content.open(), name, max_bytes), None, packed=True)
    _refuse_second(name, inner.read_head(16))
    return inner, name


def unpack_stream(raw: BinaryIO, name: str, max_bytes: int) -> BinaryIO:
    """Return the bytes that a compressed stream holds."""
    return io.BufferedReader(UnpackedStream(raw, _OPENERS[name](raw), name, max_bytes), _BUFFER_BYTES)


def unpack_bytes(body: bytes, name: str, max_bytes: int) -> bytes:
    """Return the bytes that compressed bytes hold. Raises `DecodeError`."""
    with unpack_stream(io.BytesIO(body), name, max_bytes) as stream:
        unpacked = stream.read()
    _refuse_second(name, unpacked[:16])
    return unpacked


def _refuse_second(name: str, head: bytes) -> None:
    if (second := detect_compression(head)) == "zip":
        words = f"This {name} holds another zip: an Excel workbook (XLSX), for example, or an archive."
        raise DecodeError(
            "packed_twice", words, "Send a sheet as CSV; unpack an archive, and send its files."
        )
    if second is not None:
        words = f"This is {name}, and what it holds is compressed once more ({second})."
        raise DecodeError("packed_twice", words, "Decompress it once, and send what comes of it.")


class UnpackedStream(io.RawIOBase):
    """Decompresses while reading; explains damage, and stops at the budget."""

    def __init__(self, raw: BinaryIO, reader: Any, name: str, max_bytes: int) -> None:
        self._raw, self._reader, self._name, self._left = raw, reader, name, max_bytes
        self._limit = max_bytes

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read the next bytes."""
        content = self._read(len(buffer))
        self._left -= len(content)
        if self._left < 0:
            words = (
                f"This {self._name} unpacks to more than {self._limit / 2**20:,.0f} MiB, which is the limit."
            )
            raise TooLarge("too_much", words, "Split it into smaller files.")
        buffer[: len(content)] = content
        return len(content)

    def _read(self, size: int) -> bytes:
        try:
            return bytes(self._reader.read(size))
        except (
            OSError,
            EOFError,
            ValueError,
            RuntimeError,
            zlib.error,
            lzma.LZMAError,
            zipfile.BadZipFile,
        ) as why:
            if isinstance(why, DecodeError) or (isinstance(why, OSError) and why.errno):
                raise
            raise _describe_damage(self._name, why) from None

    def close(self) -> None:
        """Close what it reads as well."""
        if not self.closed:
            self._raw.close()
        super().close()


def _describe_damage(name: str, why: Exception) -> DecodeError:
    if "truncated" in str(why).lower() or "end-of-stream" in str(why):
        return DecodeError("cut_short", f"This {name} is cut off before its end.", "Send the whole file.")
    if "password" in str(why):
        return DecodeError("encrypted", f"This {name} is encrypted.", "Send it without a password.")
    return DecodeError(
        "damaged", f"This {name} is damaged ({str(why)[:100]}).", "Compress the file once more."
    )


def _open_arrow(name: str) -> Callable[[BinaryIO], Any]:
    return lambda raw: pa.CompressedInputStream(pa.PythonFile(raw, mode="r"), name)


def _open_zip(raw: BinaryIO) -> Any:
    """Return the one file of an archive."""
    try:
        archive = zipfile.ZipFile(raw)
        names = [item.filename for item in archive.infolist() if not item.is_dir()]
        _refuse_office(names)
        names = [name for name in names if not any(litter in name for litter in _LITTER)]
        if len(names) != 1:
            shown_names = ", ".join(names[:3]) + (" …" if len(names) > 3 else "")
            words = f"This zip holds {len(names):,} files{f' ({shown_names})' if shown_names else ''}; it may hold one."
            raise DecodeError("many_files", words, "Unpack it, and send the files one by one.")
        return archive.open(names[0])
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError) as why:
        if "not a zip file" in str(why):
            raise DecodeError(
                "cut_short", "This zip is cut off before its end.", "Send the whole file."
            ) from None
        raise _describe_damage("zip", why) from None


def _refuse_office(names: list[str]) -> None:
    """Raise `DecodeError` for a zip that is a document of an office program."""
    for begin, form, hint in _OFFICE:
        if any(name.startswith(begin) for name in names):
            raise DecodeError("workbook", f"This is {form}.", hint)


_OPENERS: dict[str, Callable[[BinaryIO], Any]] = {
    "gzip": _open_arrow("gzip"), "zstd": _open_arrow("zstd"), "bz2": _open_arrow("bz2"), "lz4": _open_arrow("lz4"),
    "br": _open_arrow("brotli"), "xz": lzma.LZMAFile, "zip": _open_zip,
}  # fmt: skip
