"""Formats that cannot be read, or not by everybody alike, are refused in words; names of many languages are read."""

from __future__ import annotations

import pytest

from timeline_app.times.foreign import describe_foreign_time
from timeline_app.times.formats import BadFormat, compile_format
from timeline_app.times.hints import select_formats
from timeline_app.times.names import (
    UNKNOWN,
    list_languages,
    list_months,
    list_weekdays,
    read_month,
    read_weekday,
)
from timeline_app.times.parts import BadTime
from timeline_app.times.reader import read_moment


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
        ("%d %b{xx} %Y", "names are read in the languages"),
        ("%a%b %d %Y", "two words stand side by side"),
        ("%bst %d %Y", "'s' would be part of the word before it"),
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
        ("%d %b %Y", "1 Julei 2024"),
        ("%d %b{de} %Y", "1 juillet 2024"),
        ("%a %d %b %Y", "Tee 5 Mar 2024"),
        ("%Y-%m-%d %I:%M %p", "2024-07-01 01:00 XM"),
        ("%d.%m.%Y %H:%M", "1.2.2024 24:01"),
        ("%Y-%m-%d %I:%M %p", "2024-07-01 13:00 PM"),
        ("%Y-%m-%d %H", "2024-07-01"),
        ("%Y-%m-%d", 20240701),
    ],
)
def test_a_text_that_does_not_fit_is_no_time(spelling: str, text: object) -> None:
    with pytest.raises(BadTime):
        compile_format(spelling).read(text)


MARCH_5 = 1709647500000000


@pytest.mark.parametrize(
    "text",
    [
        "5. März 2024 14:05",
        "Dienstag, 5. März 2024 14:05",
        "Di 05.03.2024 14:05",
        "5. Mrz. 2024 14:05",
        "5 mars 2024 à 14:05",
        "mardi 5 mars 2024 14:05",
        "mar. 5 mars 2024 14:05",
        "5 de marzo de 2024 14:05",
        "martes, 5 de marzo de 2024 14:05",
        "5 marzo 2024 14:05",
        "5 maart 2024 om 14:05",
        "5 mrt. 2024 14:05",
        "5 de março de 2024 às 14:05",
        "5 marca 2024 14:05",
        "terça-feira, 5 de março de 2024 14:05",
        "5 mars 2024 kl. 14:05",
        "5. marts 2024 14:05",
        "5. maaliskuuta 2024 klo 14.05",
        "5. března 2024 14:05",
        "5 martie 2024 14:05",
        "5 Mart 2024 14:05",
        "5 марта 2024 г. 14:05",
        "5 березня 2024 14:05",
        "2024. március 5. 14:05",
        "5 Μαρτίου 2024 14:05",
        "2024年3月5日 午後2:05",
        "2024년 3월 5일 오후 2:05",
        "2024/3/5 下午2:05",
        "5.3.2024 2:05 nachm.",
        "5.3.2024 14:05:00",
        "Tue, 5 Mar 2024 15:05:00 +0100 (CET)",
        "5 fevr 2024 14:05",
        "Tue Mar 05 2024 15:05:00 GMT+0100 (Mitteleuropäische Normalzeit)",
        "Tuesday, 05-Mar-24 14:05:00 GMT",
        "2024/03/05 23:05:00 GMT+9",
        "[05/Mar/2024:15:05:00 +0100]",
        "20240305140500000",
        "14:05:00 2024-03-05",
        "05-mar-2024 14:05",
        "March 5, 2024 2:05 PM",
        "Ma\u0308rz 5, 2024 14:05",
    ],
)
def test_dates_in_words_of_many_languages_are_recognised(text: str) -> None:
    expected = MARCH_5 - (29 * 86_400_000_000 if "fevr" in text else 0)
    assert {read_moment(text, item) for item in select_formats([text])} == {expected}


@pytest.mark.parametrize("text", ["5/3/2024 2:05 p. m.", "5/3/2024 2:05 μ.μ.", "5/3/2024 2:05 odp."])
def test_halves_of_the_day_in_other_languages_leave_open_which_number_is_the_day(text: str) -> None:
    assert MARCH_5 in {read_moment(text, item) for item in select_formats([text])}


def test_a_month_that_two_languages_use_differently_needs_the_language() -> None:
    with pytest.raises(BadTime, match=r"'listopada' is October in Croatian and November in Polish.*%b\{pl\}"):
        compile_format("%d %B %Y").read("5 listopada 2024")
    polish, croatian = (read_moment("5 listopada 2024", f"%d %B{{{code}}} %Y") for code in ("pl", "hr"))
    assert polish - croatian == 31 * 86_400_000_000


def test_every_name_of_every_language_is_read_by_it() -> None:
    for code in list_languages():
        for number, name in enumerate(list_months(code), 1):
            assert read_month(name, code) == read_month(name.upper(), code) == number
            assert read_month(name) in (number, UNKNOWN)
        assert all(read_weekday(name) == 0 for name in list_weekdays(code))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("/Date(1709643900000)/", "a date of .NET in JSON"),
        ("2024-W10", "a week, and no day"),
        ("14:05:00", "a clock without a date"),
        ("Mar  5 14:05:00", "no year"),
        ("2024-03-05 14:05:00 CET", "'CET' names a zone by letters that several zones share"),
        ("2024-03-05T14:05:00\u221201:00", "U+2212"),
        ("45356.58", "a day of a spreadsheet"),
        ("1709643900,5", "a decimal comma"),
        ("638452659000000000", "ticks of .NET"),
        ("133541175000000000", "FILETIME"),
        ("@4000000065e7000000000000", "TAI64"),
    ],
)
def test_spellings_that_are_not_read_are_named(text: str, words: str) -> None:
    assert words in describe_foreign_time(text)
