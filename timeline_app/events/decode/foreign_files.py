"""Recognises files of well-known formats that are not read, by the marks in their first bytes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from timeline_app.events.decode.errors import DecodeError

_EXPORT = "Export it as CSV, JSON lines or Parquet."
_UNPACK = "Unpack it, and send its files one by one."
_PACK = "Compress it with gzip or zstd."
_DECRYPT = "Decrypt it, and send what comes of it."
_PARQUET = "Write it as Parquet."
_CAPTURE = "Export it as JSON lines or CSV (tshark -T fields -E header=y)."
_SHEET = "Save the sheet as CSV."
_LETTERS = 64
"""A mark of letters may begin a table, too, which has no control characters here."""
_CONTROLS = re.compile(rb"[\x00-\x08\x0b\x0e-\x1d]")
_TAR_NAME, _TAR_SUM, _TAR_HEAD = 257, 148, 512
_PDF = 1 << 10
"""A mark of PDF may stand behind other bytes."""


class Mark(NamedTuple):
    """Bytes at a place that identify a file, what it is, and what to do."""

    text: bytes
    form: str
    hint: str
    place: int = 0


_MARKS = (
    Mark(b"SQLite format 3\0", "an SQLite database", _EXPORT),
    Mark(
        b"7\x7f\x06\x82", "the log of an SQLite database", "Export its tables as CSV, JSON lines or Parquet."
    ),
    Mark(
        b"7\x7f\x06\x83", "the log of an SQLite database", "Export its tables as CSV, JSON lines or Parquet."
    ),
    Mark(b"DUCK", "a DuckDB database", _EXPORT, 8),
    Mark(b"Standard Jet DB", "an Access database", _EXPORT, 4),
    Mark(b"Standard ACE DB", "an Access database", _EXPORT, 4),
    Mark(b"PGDMP", "a dump of PostgreSQL", "Export the table as CSV (psql --csv) with a row of names."),
    Mark(b"ORC", "an ORC file", _PARQUET),
    Mark(b"PARE", "an encrypted Parquet file", "Write it without encryption."),
    Mark(b"FEA1", "a Feather file of version 1", "Write it as Arrow IPC (Feather version 2) or Parquet."),
    Mark(b"\x89HDF\r\n\x1a\n", "an HDF5 file", _EXPORT),
    Mark(b"CDF\x01", "a NetCDF file", _EXPORT),
    Mark(b"CDF\x02", "a NetCDF file", _EXPORT),
    Mark(b"CDF\x05", "a NetCDF file", _EXPORT),
    Mark(b"GRIB", "a GRIB file", _EXPORT),
    Mark(b"\x93NUMPY", "a NumPy array", _EXPORT),
    Mark(b"MATLAB 5.0 MAT-file", "a MAT file of MATLAB", _EXPORT),
    Mark(b"TDSm", "a TDMS file of LabVIEW", _EXPORT),
    Mark(b"MDF     ", "a measurement file (MDF)", _EXPORT),
    Mark(b"#ROSBAG", "a bag of ROS", _EXPORT),
    Mark(b"\x89MCAP0", "an MCAP file", _EXPORT),
    Mark(b"\0\0\0\0\0\0\0\0\0\0\0\0\xc2\xea\x81\x60", "a data set of SAS", _EXPORT),
    Mark(b"<stata_dta>", "a data set of Stata", _EXPORT),
    Mark(b"$FL2@(#)", "a data set of SPSS", _EXPORT),
    Mark(b"$FL3@(#)", "a data set of SPSS", _EXPORT),
    Mark(b"RDX2\n", "a data set of R", _EXPORT),
    Mark(b"RDX3\n", "a data set of R", _EXPORT),
    Mark(b"X\n\0\0\0", "a data set of R", _EXPORT),
    Mark(b"\x80\x04\x95", "a Python pickle", _EXPORT),
    Mark(b"\x80\x05\x95", "a Python pickle", _EXPORT),
    Mark(b"\xe0\x01\0\xea", "Amazon Ion", "Write JSON lines."),
    Mark(
        b"ElfFile\0",
        "an event log of Windows",
        "Export it as CSV (Get-WinEvent and Export-Csv in PowerShell).",
    ),
    Mark(b"\xd4\xc3\xb2\xa1", "a network capture", _CAPTURE),
    Mark(b"\x0a\x0d\x0d\x0a", "a network capture", _CAPTURE),
    Mark(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old office document (Excel 97, XLS, for example)", _SHEET),
    Mark(b"\x09\x08\x08\0\0\x05", "a very old Excel workbook (XLS)", _SHEET),
    Mark(b"\x09\x04\x06\0\0\x04", "a very old Excel workbook (XLS)", _SHEET),
    Mark(b"\x09\x02\x06\0\0\0", "a very old Excel workbook (XLS)", _SHEET),
    Mark(b"\x09\0\x04\0\x02\0", "a very old Excel workbook (XLS)", _SHEET),
    Mark(b"{\\rtf", "a text document (RTF)", "Send the table as CSV."),
    Mark(b"7z\xbc\xaf\x27\x1c", "a 7z archive", _UNPACK),
    Mark(b"Rar!\x1a\x07", "a RAR archive", _UNPACK),
    Mark(b"MSCF\0", "a CAB archive", _UNPACK),
    Mark(b"!<arch>\n", "an archive (ar)", _UNPACK),
    Mark(b"\x1f\x9d", "compressed by compress (.Z)", _PACK),
    Mark(b"\xff\x06\x00\x00sNaPpY", "compressed by Snappy", _PACK),
    Mark(b"LZIP\x01", "compressed by lzip", _PACK),
    Mark(b"\x89LZO\0", "compressed by lzop", _PACK),
    Mark(b"\x5d\0\0\x80\0", "compressed by lzma (an old form of xz)", _PACK),
    Mark(b"\x78\x9c", "compressed by zlib, without the head of gzip", _PACK),
    Mark(b"\x78\x01", "compressed by zlib, without the head of gzip", _PACK),
    Mark(b"\x78\xda", "compressed by zlib, without the head of gzip", _PACK),
    Mark(b"age-encryption.org/v1\n", "encrypted (age)", _DECRYPT),
    Mark(b"-----BEGIN PGP", "encrypted or signed (PGP)", _DECRYPT),
    Mark(b"Salted__", "encrypted (openssl)", _DECRYPT),
    Mark(
        b"version https://git-lfs.github.com/spec/",
        "the pointer of Git LFS to a file, and not the file",
        "Fetch the file (git lfs pull), and send that.",
    ),
    Mark(b"\x89PNG", "a picture (PNG)", _EXPORT),
    Mark(b"\xff\xd8\xff", "a picture (JPEG)", _EXPORT),
    Mark(b"GIF87a", "a picture (GIF)", _EXPORT),
    Mark(b"GIF89a", "a picture (GIF)", _EXPORT),
    Mark(b"MZ\x90\0", "a program", _EXPORT),
    Mark(b"\x7fELF", "a program", _EXPORT),
    Mark(
        b"\0\0\0",
        "Avro, Protobuf or JSON of a schema registry, whose schema it does not hold",
        "Let the producer write JSON (with a JSON converter that has no schemas).",
    ),
)


def refuse_foreign_files(head: bytes) -> None:
    """Raise `DecodeError` where a file that begins so is of a format that is known and not read."""
    for form, hint in _list_forms(head):
        raise DecodeError("foreign_format", f"This is {form}.", hint)


def has_controls(head: bytes) -> bool:
    """Return whether the first bytes are not those of a text."""
    return _CONTROLS.search(head[:_LETTERS]) is not None


def _list_forms(head: bytes) -> Iterator[tuple[str, str]]:
    """Yield what the file is, and what to do instead."""
    for mark in _MARKS:
        if head.startswith(mark.text, mark.place) and (_is_sure(mark) or has_controls(head)):
            yield mark.form, mark.hint
    if head[:_PDF].lstrip().startswith(b"%PDF") or (b"%PDF-" in head[:_PDF] and has_controls(head)):
        yield "a PDF", "Send the table as CSV."
    if head[_TAR_NAME : _TAR_NAME + 5] == b"ustar" or _is_old_tar(head):
        yield "a tar archive", _UNPACK


def _is_sure(mark: Mark) -> bool:
    """Return whether no table begins like a mark: with a letter or a line end it must be long."""
    return not (mark.text[:1].isalnum() or mark.text.isspace()) or len(mark.text) > 5


def _is_old_tar(head: bytes) -> bool:
    """Return whether the first block has the checksum of an entry of an archive."""
    block, spelled = head[:_TAR_HEAD], head[_TAR_SUM : _TAR_SUM + 8].strip(b" \0")
    if len(block) < _TAR_HEAD or not spelled or spelled.strip(b"01234567"):
        return False
    total = sum(block) - sum(block[_TAR_SUM : _TAR_SUM + 8]) + 8 * ord(" ")
    return int(spelled, 8) == total
