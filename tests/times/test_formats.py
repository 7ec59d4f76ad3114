"""Formats that cannot be read, or not by everybody alike, are refused in words."""

from __future__ import annotations

import pytest

from timeline_app.times.formats import BadFormat, compile_format
from timeline_app.times.parts import BadTime


@pytest.mark.parametrize(
    ("spelling", "words"),
    [
        ("%c", "language of the machine"),
        ("%d.%m.%Y %X", "language of the machine"),
        ("%Y-%m-%d %H:%M:%S %Z", "write %z"),
        ("%s", "declare unit = s"),
        ("%G-W%V-%u", "iso8601"),
        ("%-d.%m.%Y", "leave the - out"),
        ("%Y-%m-%d %Q", "%Q is no directive"),
        ("%Y-%m-%d %", "% is no directive"),
        ("%H:%M", "whole date"),
        ("%d.%m.", "whole date"),
        ("%Y-%m", "whole date"),
        ("%Y-%m-%d %Y", "twice"),
        ("%Y-%j %d", "leave out month and day"),
        ("%Y-%m-%d %I:%M", "%I and %p belong together"),
        ("%Y-%m-%d %H:%M %p", "%I and %p belong together"),
        ("%Y-%m-%d %M", "need hours"),
        ("%Y-%m-%d %H %S", "need minutes"),
        ("%Y-%m-%d %H:%M .%f", "needs seconds"),
        ("%H:%M:%S.%f%Y%m%d", "%f has no fixed length"),
        ("%Y-%m-%d %z:%H", "%z has no fixed length"),
        ("%Y-%m-%d" + " " * 100, "at most 100"),
        ("%Y-%m-%d\n", "printable"),
    ],
)
def test_a_format_that_means_no_moment_is_refused(spelling: str, words: str) -> None:
    with pytest.raises(BadFormat) as refused:
        compile_format(spelling)
    assert words in str(refused.value)


@pytest.mark.parametrize(
    ("spelling", "text"),
    [
        ("%d.%m.%Y", "1.2.24"),
        ("%d.%m.%Y", "31.04.2024"),
        ("%d.%m.%Y", "1.2.2024x"),
        ("%Y%m%d", "2024131"),
        ("%d %b %Y", "1 Juli 2024"),
        ("%d.%m.%Y %H:%M", "1.2.2024 24:01"),
        ("%Y-%m-%d %I:%M %p", "2024-07-01 13:00 PM"),
        ("%Y-%m-%d %H", "2024-07-01"),
        ("%Y-%m-%d", 20240701),
    ],
)
def test_a_text_that_does_not_fit_is_no_time(spelling: str, text: object) -> None:
    with pytest.raises(BadTime):
        compile_format(spelling).read(text)
