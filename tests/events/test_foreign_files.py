"""Files of other formats are named at every door, with what to do; tables that begin alike are read."""

from __future__ import annotations

import gzip
import io
import lzma
import sqlite3
import tarfile
import zipfile
import zlib
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import orc, parquet
from pyarrow.parquet import encryption

from tests.events.test_doors import CSV, DOORS, EXPECTED, TEXT_DOORS, list_outcomes


def write_zip(*names: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in names:
            archive.writestr(name, "<x/>" if name.endswith("xml") else CSV)
    return buffer.getvalue()


def write_tar(form: int) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=form) as archive:
        item = tarfile.TarInfo("events.csv")
        item.size = len(CSV.encode())
        archive.addfile(item, io.BytesIO(CSV.encode()))
    return buffer.getvalue()


def write_old_tar() -> bytes:
    """The form of Unix V7, which has no mark but a checksum."""
    head = bytearray(write_tar(tarfile.USTAR_FORMAT)[:512])
    head[257:512] = bytes(255)
    head[148:156] = b"        "
    head[148:156] = b"%06o\0 " % sum(head)
    return bytes(head) + CSV.encode().ljust(1024, b"\0")


def write_orc() -> bytes:
    buffer = pa.BufferOutputStream()
    orc.write_table(pa.table({"k": ["A"]}), buffer)
    return bytes(buffer.getvalue())


def write_sqlite() -> bytes:
    with sqlite3.connect(":memory:") as database:
        database.execute("create table events(k, at)")
        return database.serialize()


FOREIGN = {
    "XLSX": (write_zip("[Content_Types].xml", "xl/workbook.xml"), "an Excel workbook (XLSX). Save its sheet as CSV"),
    "XLSX whose types come last": (write_zip("xl/workbook.xml", "[Content_Types].xml"), "an Excel workbook (XLSX)"),
    "DOCX": (write_zip("word/document.xml", "[Content_Types].xml"), "a Word document (DOCX). Send its table as CSV"),
    "ODS": (write_zip("mimetype", "content.xml"), "an OpenDocument file (ODS, for example). Save its sheet"),
    "Numbers": (write_zip("Index/Document.iwa", "Index/a.iwa"), "a Numbers document. Export it as CSV"),
    "XLSX in gzip": (gzip.compress(write_zip("xl/workbook.xml")), "holds another zip: an Excel workbook (XLSX)"),
    "XLS": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(99), "(Excel 97, XLS, for example). Save the sheet as CSV"),
    "XLS of Excel 5": (b"\x09\x08\x08\0\0\x05\x10\0" + bytes(99), "a very old Excel workbook (XLS)"),
    "XLS that is HTML": (b"\n\n <table border=1><tr><td>k</td></tr></table>", "This is XML or HTML."),
    "XML behind a comment": (b"<!-- made by x -->\n<rows/>", "This is XML or HTML. Send JSON lines"),
    "XML in UTF-16": ("<?xml version='1.0'?><rows/>".encode("utf-16"), "This is XML or HTML."),
    "a late PDF": (b"\r\n%PDF-1.4\n%\xe2\xe3\xcf\xd3\n", "This is a PDF. Send the table as CSV."),
    "ORC": (write_orc(), "an ORC file. Write it as Parquet"),
    "SQLite": (write_sqlite(), "an SQLite database. Export it as CSV"),
    "DuckDB": (bytes(8) + b"DUCK\x40" + bytes(99), "a DuckDB database. Export it"),
    "Access": (b"\0\1\0\0Standard ACE DB\0" + bytes(99), "an Access database. Export it"),
    "encrypted Parquet": (b"PARE" + bytes(99) + b"PARE", "an encrypted Parquet file. Write it without encryption"),
    "tar": (write_tar(tarfile.USTAR_FORMAT), "a tar archive. Unpack it, and send its files one by one"),
    "tar of pax": (write_tar(tarfile.PAX_FORMAT), "a tar archive"),
    "tar of V7": (write_old_tar(), "a tar archive"),
    "tar in gzip": (gzip.compress(write_tar(tarfile.GNU_FORMAT)), "a tar archive"),
    "7z": (b"7z\xbc\xaf\x27\x1c\0\4" + bytes(40), "a 7z archive. Unpack it, and send its files one by one"),
    "RAR": (b"Rar!\x1a\x07\x01\0" + bytes(40), "a RAR archive"),
    "zlib": (zlib.compress(CSV.encode()), "compressed by zlib, without the head of gzip. Compress it with gzip"),
    "lzma": (lzma.compress(CSV.encode(), lzma.FORMAT_ALONE), "compressed by lzma (an old form of xz)"),
    "SAS": (bytes(12) + b"\xc2\xea\x81\x60" + bytes(99), "a data set of SAS"),
    "Stata": (b"<stata_dta><header>", "a data set of Stata"),
    "R": (b"X\n\0\0\0\3" + bytes(50), "a data set of R"),
    "a pointer of Git LFS": (
        b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n",
        "the pointer of Git LFS to a file, and not the file. Fetch the file (git lfs pull), and send that.",
    ),
    "PGP": (b"-----BEGIN PGP MESSAGE-----\n\nabc", "encrypted or signed (PGP). Decrypt it"),
}  # fmt: skip


@pytest.mark.parametrize("name", FOREIGN)
def test_a_foreign_file_is_named_at_every_door(name: str, tmp_path: Path) -> None:
    body, words = FOREIGN[name]
    for outcome in list_outcomes(body, tmp_path, TEXT_DOORS):
        assert words in outcome[0][1]


@pytest.mark.parametrize(
    "name", ["ORC", "ORCID", "PAR1", "PARE", "PGDMP", "GRIB", "BZh91", "MZ", "Obj", "X", "Rar!", "xÚ"]
)
def test_a_table_whose_first_name_looks_like_a_mark_is_read(name: str, tmp_path: Path) -> None:
    lines = [f"{name if index == 0 else index},{line}" for index, line in enumerate(CSV.splitlines())]
    for encoding in ("utf-8", "cp1252"):
        body = "\n".join(lines).encode(encoding)
        assert list_outcomes(body, tmp_path, TEXT_DOORS) == [EXPECTED] * len(TEXT_DOORS)


def test_parquet_with_encrypted_columns_says_so(tmp_path: Path) -> None:
    class Keys(encryption.KmsClient):  # type: ignore[misc]
        def wrap_key(self, key_bytes: bytes, _: str) -> bytes:
            return key_bytes.hex().encode()

        def unwrap_key(self, wrapped_key: bytes, _: str) -> bytes:
            return bytes.fromhex(wrapped_key.decode())

    factory = encryption.CryptoFactory(lambda _: Keys())
    choices = encryption.EncryptionConfiguration(
        footer_key="f", column_keys={"c": ["k"]}, plaintext_footer=True
    )
    properties = factory.file_encryption_properties(encryption.KmsConnectionConfig(), choices)
    table = pa.table({"k": ["A"], "at": ["2026-08-03T10:00:00Z"], "v": [1.0]})
    path = tmp_path / "secret.parquet"
    with parquet.ParquetWriter(path, table.schema, encryption_properties=properties) as writer:
        writer.write_table(table)
    for outcome in list_outcomes(path.read_bytes(), tmp_path, DOORS):
        assert "This Parquet file is encrypted, or columns of it are. Write it without" in outcome[0][1]
