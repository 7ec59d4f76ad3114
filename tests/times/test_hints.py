"""What a time looks like that does not fit: the hint names what to declare."""

from __future__ import annotations

import pytest

from timeline_app.events.declaration import StreamDeclaration
from timeline_app.events.validate import WrongEvent, read_time


def declare(**others: str) -> StreamDeclaration:
    return StreamDeclaration.from_document("log", {"key": "k", "time": "at", **others})


@pytest.mark.parametrize(
    ("unit", "raw", "hint"),
    [
        ("iso8601", 1762061400000, "it looks like milliseconds: declare unit = ms"),
        ("iso8601", "1762061400000", "it looks like milliseconds: declare unit = ms"),
        ("iso8601", "1762061400", "declare unit = s"),
        ("iso8601", "1762061400000000", "declare unit = us"),
        ("iso8601", "1762061400000000000", "declare unit = ns"),
        ("iso8601", "20251102053000", 'declare unit = "%Y%m%d%H%M%S"'),
        ("iso8601", "13.11.2025 05:30", 'declare unit = "%d.%m.%Y %H:%M"'),
        ("iso8601", "11/02/2025", 'declare unit = "%d/%m/%Y" or "%m/%d/%Y"'),
        ("iso8601", "Sun, 02 Nov 2025 05:30:00 GMT", 'declare unit = "%a, %d %b %Y %H:%M:%S %z"'),
        ("iso8601", "10/Oct/2000:13:55:36 -0700", 'declare unit = "%d/%b/%Y:%H:%M:%S %z"'),
        ("iso8601", "2025-11-02T01:30:00 America/New_York", "declare it as the stream's zone"),
        ("iso8601", "2016-12-31T23:59:60Z", "leap second"),
        ("iso8601", "2025-02-29", "there is no such day"),
        ("iso8601", "2025-02-28T25:00", "no clock shows that"),
        ("iso8601", "2025-02-28T20:00+25:00", "no zone has that offset"),
        ("ms", "2025-11-02T05:30:00Z", "it looks like ISO 8601: declare unit = iso8601"),
        ("s", 1780586634123, "it looks like milliseconds: declare unit = ms"),
        ("s", "1780586634123456789", "it looks like nanoseconds: declare unit = ns"),
        ("%d.%m.%Y", "2025-11-02", "it looks like ISO 8601"),
        ("%d.%m.%Y", 1762061400, "it looks like seconds"),
    ],
)
def test_the_hint_says_what_to_declare(unit: str, raw: object, hint: str) -> None:
    with pytest.raises(WrongEvent) as refused:
        read_time(raw, declare(unit=unit))
    assert hint in str(refused.value)
    assert refused.value.name == "at"


def test_another_field_than_the_time_is_named() -> None:
    with pytest.raises(WrongEvent, match="'until'") as refused:
        read_time("soon", declare(unit="iso8601"), "until")
    assert refused.value.name == "until"
    assert (
        read_time("2024-07-01 08:00", declare(unit="iso8601", zone="Europe/Berlin"), "until")
        == 1719813600000000
    )
