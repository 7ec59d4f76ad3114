"""Units in the cells of a column of numbers: `12 %`, `3,5 °C`, `$1,200.00`; all cells have one, or none is read."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

_MONEY = r"[$€£¥₹₽₺₩]|[A-Z]{2}\$|R\$|CHF|EUR|USD|GBP|JPY|SEK|NOK|DKK|PLN|CZK|zł|Kč|kr\.?|Fr\.?|Rs\.?"
_BLANKS = r"[ \u00a0\u202f]"
_LETTER = r"[^\s0-9()+.,;:'\"=_#\-\u2212]"
_DIGITS = r"[0-9]+(?:[.,'’ \u00a0\u202f][0-9]+)*|[.,][0-9]+"
_CELL = re.compile(
    rf"(?P<sign>[+\-\u2212]?){_BLANKS}{{0,3}}(?P<before>{_MONEY})?{_BLANKS}{{0,3}}"
    rf"(?P<number>[+\-\u2212]?(?:{_DIGITS})(?:[eE][+-]?[0-9]{{1,3}})?)"
    rf"(?P<gap>{_BLANKS}{{0,3}})(?P<after>[cdk]?m[23](?:/[a-z]{{1,3}})?|{_LETTER}{{1,10}}\.?)?"
)
_MAX_CELL_CHARS = 60
_UNITS = """% ‰ ° °C °F ℃ K W kW MW Wh kWh MWh GWh VA kVA V mV kV A mA Ah mAh Ω Hz kHz MHz GHz J kJ MJ N Nm kN bar mbar
    Pa hPa kPa MPa psi m cm mm km µm μm mi ft in m² km² m³ m3 m2 l L ml mL dl cl g kg mg µg t lb lbs oz s ms
    µs μs ns min h sec secs Std Std. Sek Min Tage Tag d km/h kmh mph m/s kn rpm U/min l/h l/min m³/h m3/h dB
    dBm dBA lx lm ppm ppb µS/cm pH B kB KB MB GB TB KiB MiB GiB TiB bit/s kbit/s Mbit/s Gbit/s Mbps kbps
    Gbps bps MB/s Stk Stk. St. pcs pc Stück bpm mmHg mg/dl mmol/l"""
_CURRENCY = re.compile(_MONEY)
_PARTS = ("%", "‰")
KNOWN = frozenset(_UNITS.split())
"""Of undeclared columns, texts with one of these units become numbers."""


def find_unit(cells: Iterable[str], *, is_known: bool) -> str:
    """Return the unit of the cells of a column; empty where they have none, or several.

    Beside percentages a number without a unit may be a share (`12 %`, `0.07`), so it counts as another unit; zero does
    not. With `is_known` only usual units count.

    >>> find_unit(["12 %", "7 %", "0", "", "n/a"], known=False), find_unit(["12 kg", "300 g"], known=False)
    ('%', '')
    >>> find_unit(["12 %", "0.07"], known=False)
    ''
    """
    values = list(cells)
    [unit, *others] = {unit for cell in values if (unit := _split(cell)[0])} or {""}
    if unit in _PARTS and any(map(_is_bare_number, values)):
        return ""
    if others or (is_known and not _is_usual(unit)):
        return ""
    return unit


def strip_unit(cell: str, unit: str) -> str:
    """Return a cell without the unit of its column; unchanged where it has no unit, or another one.

    >>> strip_unit("-$12.50", "$"), strip_unit("3,5 °C", "°C"), strip_unit("(12.50 €)", "€"), strip_unit("1 g", "kg")
    ('-12.50', '3,5', '(12.50)', '1 g')
    """
    own_unit, number = _split(cell)
    return number if own_unit and own_unit == unit else cell


def _is_bare_number(cell: str) -> bool:
    """Return whether a cell is a number other than zero without a unit."""
    match = _CELL.fullmatch(cell.strip()) if len(cell) <= _MAX_CELL_CHARS else None
    if match is None or match["before"] or match["after"]:
        return False
    return match["number"].strip("+-\u22120.,") != ""


def _is_usual(unit: str) -> bool:
    return unit in KNOWN or _CURRENCY.fullmatch(unit) is not None


@lru_cache(4096)
def _split(cell: str) -> tuple[str, str]:
    """Return the unit, and the number without it; no unit where the cell is something else than a number and a unit."""
    text = cell.strip()
    inner = text[1:-1].strip() if text[:1] == "(" and text[-1:] == ")" else text
    match = _CELL.fullmatch(inner) if len(inner) <= _MAX_CELL_CHARS else None
    if match is None or bool(match["before"]) == bool(match["after"]):
        return "", cell
    if len(match["after"] or "") == 1 and match["after"].isalpha() and not match["gap"]:
        return "", cell  # 12A is a seat, a flat, a part
    number = f"{match['sign']}{match['number']}"
    return match["before"] or match["after"], f"({number})" if inner != text else number
