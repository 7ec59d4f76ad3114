"""Numbers in cells: finds out whether the comma or the point is the decimal sign, and what is unclear."""

from __future__ import annotations

import re
from collections.abc import Iterable

_PLAIN = re.compile(r"[+-]?([0-9]{1,300}(\.[0-9]{0,300})?|\.[0-9]{1,300})([eE][+-]?[0-9]{1,3})?")
_COMMA = re.compile(r"[+-]?[0-9]{1,300},[0-9]{1,300}([eE][+-]?[0-9]{1,3})?")
_GROUPED_BY_COMMA = re.compile(r"[+-]?[1-9][0-9]{0,2}(,[0-9]{3}){1,99}(\.[0-9]{1,300})?")
_GROUPED_BY_POINT = re.compile(r"[+-]?[1-9][0-9]{0,2}(\.[0-9]{3}){1,99}(,[0-9]{1,300})?")
_GROUPED_AS_IN_INDIA = re.compile(r"[+-]?[0-9]{1,2}(,[0-9]{2}){1,99},[0-9]{3}(\.[0-9]{1,300})?")
_OTHER_BASE = re.compile(r"[+-]?0[xXbBoO][0-9a-fA-F]{1,64}")
_SPACES = str.maketrans("", "", "\u00a0\u202f'’")
_GROUPED_BY_SPACE = re.compile(r"[+-]?[1-9][0-9]{0,2}( [0-9]{3}){1,99}([.,][0-9]{1,300})?")


class UnclearNumber(ValueError):
    """A cell spells a number in a way that is not read, or that could be two numbers."""


def parse_number(text: str, decimal: str, separator: str) -> float | None:
    """Return the number that a cell spells, None where it spells none. Raises `UnclearNumber`.

    `decimal` is the sign of the whole file (see `decide_decimal`), empty where it does not show.
    """
    cell = _join_groups(text)
    if _PLAIN.fullmatch(cell) and not (decimal == "," and "." in cell):
        return float(cell)
    if _has_decimal_comma(cell, decimal, separator):
        return float(cell.replace(".", "").replace(",", "."))
    if decimal != "," and _is_grouped(cell, decimal):
        return float(cell.replace(",", ""))
    if decimal != "," and _GROUPED_AS_IN_INDIA.fullmatch(cell):
        return float(cell.replace(",", ""))
    if why := _describe_unclear(cell, separator):
        raise UnclearNumber(f"{text[:40]!r}, {why}")
    return None


def decide_decimal(cells: Iterable[str], separator: str) -> str:
    """Return the decimal sign of a file by cells of its numbers: a point, a comma, or empty where nothing says it."""
    point = comma = False
    for text in cells:
        cell = _join_groups(text)
        if _GROUPED_BY_COMMA.fullmatch(cell):
            point = point or "." in cell or cell.count(",") > 1
        elif _GROUPED_AS_IN_INDIA.fullmatch(cell):
            point = True
        elif _GROUPED_BY_POINT.fullmatch(cell):
            comma = comma or "," in cell or cell.count(".") > 1
        elif _PLAIN.fullmatch(cell):
            point = point or "." in cell
        else:
            comma = comma or _COMMA.fullmatch(cell) is not None
    if separator == "," or not comma:
        return "." if point else ""
    return "" if point else ","


def find_unclear_point(cells: Iterable[str]) -> str | None:
    """A cell such as 1.234, where nothing else shows whether points stand between thousands; None where it is clear."""
    unclear = None
    for text in cells:
        cell = _join_groups(text)
        if "," in cell or cell.count(".") > 1 or ("." in cell and not _GROUPED_BY_POINT.fullmatch(cell)):
            return None
        unclear = unclear or (cell if "." in cell else None)
    return unclear


def _join_groups(text: str) -> str:
    """A cell without blanks or apostrophes between thousands, its minus in front: SAP writes 5-, accountants (5)."""
    cell = text.strip().translate(_SPACES).replace("\u2212", "-")
    if cell[:1] == "(" and cell[-1:] == ")":
        cell = f"-{cell[1:-1].lstrip()}"
    elif cell.endswith("-") and cell[:1] not in "+-":
        cell = f"-{cell[:-1]}"
    return cell.replace(" ", "") if " " in cell and _GROUPED_BY_SPACE.fullmatch(cell) else cell


def _has_decimal_comma(cell: str, decimal: str, separator: str) -> bool:
    """`1,234` alone may be either: a semicolon between the columns says that commas are decimal signs."""
    if decimal == "." or (not decimal and separator == ","):
        return False
    if _GROUPED_BY_POINT.fullmatch(cell):
        return True
    sure = decimal == "," or separator == ";" or not _GROUPED_BY_COMMA.fullmatch(cell)
    return sure and _COMMA.fullmatch(cell) is not None


def _is_grouped(cell: str, decimal: str) -> bool:
    if not _GROUPED_BY_COMMA.fullmatch(cell):
        return False
    return decimal == "." or "." in cell or cell.count(",") > 1


def _describe_unclear(cell: str, separator: str) -> str:
    if _OTHER_BASE.fullmatch(cell):
        return "which is not decimal; write it in decimal digits"
    if _PLAIN.fullmatch(cell):
        return "with a point, while other numbers of the file have decimal commas; write all of them alike"
    if not _COMMA.fullmatch(cell):
        return ""
    if _GROUPED_BY_COMMA.fullmatch(cell):
        return "which may be a thousand or a decimal number; write it without a comma"
    if separator == ",":
        hint = "write a point, or separate the columns by semicolons"
        return f"with a decimal comma in a file whose columns are separated by commas; {hint}"
    return "with a comma, while other numbers of the file have decimal points; write all of them alike"
