"""Encodings of text that a declaration may state, by all their usual names."""

from __future__ import annotations

import codecs
from encodings.aliases import aliases
from functools import cache

from timeline_app.problems.spelling import close_names

UTF8 = "utf-8"
_WIDER = {
    "ascii": "cp1252", "iso8859-1": "cp1252", "iso8859-9": "cp1254", "iso8859-11": "cp874", "tis-620": "cp874",
    "shift_jis": "cp932", "euc_kr": "cp949", "gb2312": "gb18030", "gbk": "gb18030",
}  # fmt: skip
"""Programs write the wider encoding under the name of the narrower one."""
_SHIFTING = ("utf-7", "hz")
"""Their texts consist of bytes of ASCII that mean something else."""
_USUAL = (
    "windows-1250",
    "windows-1251",
    "windows-1253",
    "koi8-r",
    "shift_jis",
    "gb18030",
    "euc_kr",
    "mac-roman",
)
_MAX_NAME_CHARS = 40
_ASCII = bytes(range(32, 127)) + b"\t\r\n"


class UnknownEncoding(ValueError):
    """No encoding that is read has that name; the text says what to do."""


def find_encoding(name: str) -> str:
    """Return the encoding of a name as this product calls it; raises `UnknownEncoding`.

    >>> find_encoding("Windows-1251"), find_encoding("latin1"), find_encoding("UTF8")
    ('cp1251', 'cp1252', 'utf-8')
    """
    codec = _look_up(name) if name.isascii() and len(name) <= _MAX_NAME_CHARS else None
    if codec is None:
        folded = name[:_MAX_NAME_CHARS].strip().replace("_", "-").lower()
        swapped = [other for other in _list_names() if sorted(other) == sorted(folded)]
        close = swapped or close_names(folded, _list_names())
        usual = f"write a name such as {', '.join(_USUAL)}"
        raise UnknownEncoding(f"did you mean {' or '.join(close)}?" if close else usual)
    return codec


def _look_up(name: str) -> str | None:
    """Return the canonical name of an encoding whose texts keep the bytes of ASCII, or of UTF-16."""
    try:
        codec = codecs.lookup(name.strip())
        is_wide = codec.name.startswith("utf-16")
        if not is_wide and (codec.name in _SHIFTING or _ASCII.decode(codec.name).encode() != _ASCII):
            return None
    except (LookupError, UnicodeError, ValueError, TypeError, AttributeError):
        return None
    name = UTF8 if codec.name == "utf-8-sig" else codec.name
    return _WIDER.get(name, name)


@cache
def _list_names() -> tuple[str, ...]:
    """Return the names of all encodings that are read."""
    names = {name.replace("_", "-") for name in (*aliases, *aliases.values())}
    pages = {f"windows-{name[2:]}" for name in aliases.values() if name.startswith("cp125")}
    return tuple(sorted(name for name in {*names, *pages, *_USUAL} if _look_up(name) and not name.isdigit()))
