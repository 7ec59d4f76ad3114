"""Event times: whole microseconds since 1970 (UTC), or datetimes and ISO texts that know their zone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

Time = int | datetime | str
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def micros(time: Time) -> int:
    """Microseconds since 1970.

    >>> micros(datetime(2026, 7, 1, tzinfo=UTC))
    1782864000000000
    >>> micros("2026-07-01T02:00:00+02:00")
    1782864000000000
    >>> micros(datetime(2026, 7, 1))
    Traceback (most recent call last):
    ValueError: 2026-07-01 00:00:00 has no time zone; give one: datetime(…, tzinfo=UTC)
    """
    if isinstance(time, bool) or not isinstance(time, int | datetime | str):
        raise TypeError(f"{time!r} is no time; give microseconds since 1970 or a datetime with a time zone")
    if isinstance(time, int):
        return time
    if isinstance(time, str):
        return micros(_read(time))
    if time.tzinfo is None:
        raise ValueError(f"{time} has no time zone; give one: datetime(…, tzinfo=UTC)")
    return (time - EPOCH) // timedelta(microseconds=1)


def _read(text: str) -> datetime:
    """The instant that is written, with its zone."""
    try:
        time = datetime.fromisoformat(text.strip())
    except ValueError:
        raise ValueError(f"{text!r} is no time; write it like 2026-07-01T00:00:00Z") from None
    if time.tzinfo is None:
        raise ValueError(f"{text!r} has no time zone; write it like 2026-07-01T00:00:00Z")
    return time


def moment(time: int) -> datetime:
    """A datetime in UTC.

    >>> moment(1782864000000000)
    datetime.datetime(2026, 7, 1, 0, 0, tzinfo=datetime.timezone.utc)
    """
    return EPOCH + timedelta(microseconds=time)


def params(**times: Time | None) -> dict[str, int]:
    """Parameters of an address, without those that are not given; `start` and `end` are `from` and `to` there."""
    names = {"start": "from", "end": "to"}
    return {names.get(name, name): micros(time) for name, time in times.items() if time is not None}
