"""Which field is the key, which the time and in which unit, which tells copies: scored by names and by values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import orjson

from timeline_app.events.declaration import UNITS, split_key
from timeline_app.events.guess.columns import Column, split_words
from timeline_app.events.guess.units import UnitGuess, guess_unit
from timeline_app.events.validate import FIRST_DAY_OF_SHEET
from timeline_app.problems.problem import Problem, make_warning
from timeline_app.times.calendar import DAY
from timeline_app.times.hints import describe_unreadable
from timeline_app.times.reader import read_moment
from timeline_app.times.units import EARLIEST

_TIME = {
    "time",
    "timestamp",
    "ts",
    "t",
    "at",
    "date",
    "datetime",
    "when",
    "eventtime",
    "occurred",
    "happened",
}
_TIME |= {
    "datum",
    "zeit",
    "zeitpunkt",
    "zeitstempel",
    "horodatage",
    "heure",
    "fecha",
    "hora",
    "data",
    "ora",
    "tijd",
    "czas",
    "tid",
    "aika",
    "čas",
    "zaman",
    "temps",
    "время",
    "дата",
    "日時",
    "時刻",
    "时间",
    "日期",
}
_ARRIVAL = {
    "received",
    "ingest",
    "ingested",
    "processed",
    "arrival",
    "arrived",
    "server",
    "inserted",
    "loaded",
}
_ARRIVAL |= {"updated", "stored", "expires", "expiry", "birth", "end", "until"}
ENDS = {"end", "ends", "ended", "until", "stop", "stopped", "finish", "finished", "closed", "resolved"}
_WHOSE = {"session", "user", "device", "machine", "card", "account", "customer", "player", "host", "vehicle"}
_WHOSE |= {
    "sensor",
    "client",
    "visitor",
    "viewer",
    "vin",
    "imei",
    "serial",
    "key",
    "asset",
    "unit",
    "order",
    "patient",
}
_MORE = """shop store tank pump meter station elevator lift truck lorry trailer container shipment parcel robot turbine
    charger battery pipeline ticket campaign subscription subscriber employee driver node pod server
    tenant tag maschine gerät geraet anlage fahrzeug kunde benutzer aufzug zähler linie machine appareil
    capteur véhicule vehicule client utilisateur ascenseur compteur maquina máquina dispositivo vehículo
    vehiculo usuario ascensor macchina cliente utente veicolo apparaat toestel voertuig klant gebruiker
    maszyna urządzenie pojazd klient maskin enhet fordon kund laite kone asiakas stroj zařízení vozidlo
    zákazník cihaz makine araç 設備 装置 機械 機器 设备 機台 устройство станок машина клиент"""
_WHOSE |= set(_MORE.split())
_COPIES = {
    "event",
    "message",
    "msg",
    "record",
    "row",
    "uuid",
    "guid",
    "log",
    "request",
    "transaction",
    "delivery",
}
_QUALITY = {
    "state",
    "status",
    "type",
    "kind",
    "action",
    "name",
    "country",
    "version",
    "level",
    "city",
    "cdn",
    "region",
}
_CLOCK = re.compile(r"[0-9]{1,2}[:.][0-9]{2}([:.][0-9]{2}([.,][0-9]{1,9})?)?( ?[AaPp][Mm])?")
_FIRST_DAY_OF_SHEET = re.compile(FIRST_DAY_OF_SHEET)
MIN_VALID_SHARE = 0.5
"""Some events of a sample may be wrong, but most have key, time and id."""
_UUID = re.compile(r"[0-9a-fA-F]{8}-?([0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}")


@dataclass(frozen=True, slots=True)
class Other:
    """An alternative, and what supports it."""

    value: str
    why: str


@dataclass(frozen=True, slots=True)
class Guess:
    """A guessed part of a declaration: its confidence (0 to 1), reason and alternatives."""

    what: str
    value: str | None
    confidence: float
    why: str
    alternatives: tuple[Other, ...] = ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A field for a role."""

    name: str
    score: float
    why: str
    unit: UnitGuess | None = None


def choose_candidate(role: str, candidates: Iterable[Candidate], least: float, nothing: str) -> Guess:
    """Return the best candidate; the confidence falls with close competitors."""
    ranked = sorted(candidates, key=lambda item: -item.score)
    runners_up = [item for item in ranked if item.score >= 0.3]
    if not ranked or ranked[0].score < least:
        return Guess(
            role, None, 0.5, nothing, tuple(Other(other.name, other.why) for other in runners_up[:4])
        )
    best, *others = ranked
    is_close = max((item.score for item in others), default=0.0)
    sure = round(max(0.3, min(0.98, best.score - max(0.0, is_close - 0.6 * best.score) / 2)), 2)
    alternatives = tuple(Other(other.name, other.why) for other in runners_up if other is not best)[:4]
    return Guess(role, best.name, sure, best.why, alternatives)


def guess_time(columns: Mapping[str, Column]) -> tuple[Guess, dict[str, Candidate]]:
    """Guess the field of the event time. Return it with all candidates."""
    candidates = {
        name: candidate
        for name, column in columns.items()
        if (candidate := rate_time_candidate(column)) is not None
    }
    nothing = "no field looks like a time" if candidates else _describe_no_time(columns)
    return choose_candidate("time", candidates.values(), 0.35, nothing), candidates


def _describe_no_time(columns: Mapping[str, Column]) -> str:
    """Say which spelling the fields have that are called like times, where it is known and not read."""
    for column in columns.values():
        if set(split_words(column.name)) & _TIME and column.present:
            value = column.present[0]
            if words := describe_unreadable(value):
                return f"no field looks like a time; {column.name} is {str(value)[:60]!r}, and {words}"
    return "no field looks like a time"


def rate_time_candidate(column: Column) -> Candidate | None:
    """Rate how much a field resembles an event time, and guess its unit."""
    unit, words = guess_unit(column), {word for name in split_key(column.name) for word in split_words(name)}
    named = bool(words & _TIME)
    if unit is None or (unit.share < MIN_VALID_SHARE and not named):
        return None
    score = 0.55 * unit.share + 0.35 * named - 0.25 * bool(words & _ARRIVAL) - (1 - column.share)
    score -= 0.5 * all(_FIRST_DAY_OF_SHEET.match(str(value)) for value in column.present[:50])
    score += 0.05 * (column.distinct > 1) - 0.1 * are_days(column, unit)
    called = f", and {column.name} is what times are called" if named else ""
    if words & _ARRIVAL:
        called = f", but {column.name} may be when it arrived, not when it happened"
    return Candidate(column.name, score, unit.why + called, unit)


def are_days(column: Column, unit: UnitGuess) -> bool:
    """Return whether the times are days only: beside them a time with a clock says more."""
    return all(_parse_moment(value, unit.unit) % DAY == 0 for value in column.present[:50])


def warn_of_days(columns: Mapping[str, Column], name: str | None, stream: str) -> list[Problem]:
    """Return a warning if the times are days only, while another field has the time of day."""
    column = columns.get(name or "")
    unit = guess_unit(column) if column is not None else None
    if column is None or unit is None or not are_days(column, unit):
        return []
    for other in columns.values():
        if other.present and all(_CLOCK.fullmatch(str(value).strip()) for value in other.present[:50]):
            day, clock = column.list_examples()[0], other.list_examples()[0]
            message = (
                f"all times of {column.name!r} are days, and {other.name!r} has the clock, such as {clock}"
            )
            names = orjson.dumps([column.name, other.name]).decode().replace(",", ", ")
            hint = (
                f"declare time = {names}, which reads {day} {clock}; else all events of a day are at midnight"
            )
            return [make_warning("days_only", message, hint, stream=stream, field=column.name)]
    return []


def guess_end(columns: Mapping[str, Column], time: Column, names_used: set[str | None]) -> list[Guess]:
    """The field with the end of a row, if one looks like it: named so, of the unit of `time`, and not before it."""
    begin_unit = guess_unit(time)
    candidates = []
    for name, column in columns.items():
        unit = guess_unit(column) if ENDS & {*split_words(name)} and name not in names_used else None
        if (
            unit
            and begin_unit
            and unit.unit == begin_unit.unit
            and not _has_early_ends(column, time, unit.unit)
        ):
            words = f"{column.list_examples()[0]} is a time as those of {time.name}, and {name} is what ends are called"
            candidates.append(Candidate(name, 0.9, words))
    return [choose_candidate("until", candidates, 0.5, "")] if candidates else []


def _has_early_ends(column: Column, time: Column, unit: str) -> bool:
    """Return whether one of the values is before the time of its event, as far as both are comparable."""
    if len(column.present) != len(time.present):
        return False
    pairs = zip(column.present, time.present, strict=True)
    return any(_parse_moment(end, unit) < _parse_moment(begin, unit) for end, begin in pairs)


def _parse_moment(value: object, unit: str) -> int:
    """Return a time in microseconds; an invalid one is the earliest time."""
    try:
        return read_moment(value, unit)
    except ValueError:
        return EARLIEST


def guess_time_unit(candidate: Candidate | None) -> Guess:
    """Return the unit of the times."""
    if candidate is None or candidate.unit is None:
        return Guess("unit", "ms", 0.2, "the values of the time look like none of the units")
    unit = candidate.unit
    other_units = (*unit.alternatives, *(item for item in UNITS if item != unit.unit))
    sure = 0.4 if unit.share < MIN_VALID_SHARE or unit.alternatives else 0.95
    return Guess(
        "unit", unit.unit, sure, unit.why, tuple(Other(other, "if that were meant") for other in other_units)
    )


def guess_zone(candidate: Candidate | None) -> list[Guess]:
    """Whose clocks the times show, where they spell no offset: no event says it."""
    if candidate is None or candidate.unit is None or not candidate.unit.is_local:
        return []
    why = "the times spell no offset: they are UTC, unless you name the zone whose clocks they show"
    return [Guess("zone", None, 0.4, why)]


def guess_id(columns: Mapping[str, Column], names_used: set[str | None]) -> Guess:
    """Guess the field that identifies duplicates of an event."""
    candidates = [_rate_id_candidate(column) for name, column in columns.items() if name not in names_used]
    nothing = "no field has a value of its own in each event, so every delivered event counts"
    return choose_candidate("id", (candidate for candidate in candidates if candidate), 0.5, nothing)


def _rate_id_candidate(column: Column) -> Candidate | None:
    present, distinct = len(column.present), column.distinct
    if column.share < MIN_VALID_SHARE or not present or column.types["bool"]:
        return None
    if distinct < 0.8 * present or (
        column.numbers and not all(number.is_integer() for number in column.numbers)
    ):
        return None
    words = split_words(column.name)
    named = words[-1:] == ["id"] or bool(set(words) & {"uuid", "guid", "uid"})
    copies = set(words) & _COPIES or words == ["id"]
    shaped = all(_UUID.fullmatch(str(item)) for item in column.present[:50])
    is_owned = bool(set(words) & _WHOSE)
    score = (
        0.25
        + 0.3 * named
        + 0.3 * bool(copies)
        + 0.2 * shaped
        - 0.4 * is_owned
        - 0.05 * (distinct < present)
        - (1 - column.share)
    )
    repeats = (
        f"{present - distinct:,} of {present:,} values come again, as copies do" if distinct < present else ""
    )
    why = repeats or (
        "each event has its own value" if present > 1 else "by its name; there is one event only"
    )
    return Candidate(column.name, score, f"{why}{', each a UUID' if shaped else ''}")


def key_of(columns: Mapping[str, Column], names_used: set[str | None]) -> Guess:
    """Guess the field that identifies the timeline of an event."""
    candidates = [_key(column) for name, column in columns.items() if name not in names_used]
    return choose_candidate(
        "key",
        (candidate for candidate in candidates if candidate),
        0.3,
        "no field says whose timeline an event belongs to",
    )


def _key(column: Column) -> Candidate | None:
    present, distinct = len(column.present), column.distinct
    texts = not column.sample.cells and all(isinstance(item, str) for item in column.present)
    fraction = not texts and any(not number.is_integer() for number in column.numbers)
    if column.share < MIN_VALID_SHARE or not present or column.types["bool"] or fraction:
        return None
    words = split_words(column.name)
    last, is_owned = words[-1:], bool(set(words) & _WHOSE)
    score = (
        0.1
        + 0.3 * is_owned
        + 0.25 * (last in (["id"], ["key"], ["no"], ["number"]))
        - 0.3 * bool(set(words) & _QUALITY)
    )
    score -= 1 - column.share
    repeated = 1 < distinct < present
    score += (
        0.25 * repeated - 0.1 * (distinct == 1 and present > 5) - 0.2 * bool(column.numbers and not is_owned)
    )
    score -= 0.1 * (distinct == present > 2 and not is_owned)
    score += 0.1 * (repeated and distinct > 12) - 0.4 * ("[" in column.name)
    acts = is_owned and not set(words) & _QUALITY
    if distinct == present:
        words_for = "each event has another one" if present > 1 else "by its name; there is one event only"
    else:
        words_for = f"{distinct:,} different {'value' if distinct == 1 else 'values'} in {present:,} events"
    return Candidate(column.name, score, words_for + (f", and {column.name} names what acts" if acts else ""))
