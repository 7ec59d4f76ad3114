"""How fast a query is, by the reports on its batches."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from workers.spark.progress import RETAINED_REPORTS, Rates, Report, find_first

BEGUN = datetime(2026, 1, 1, tzinfo=UTC)


def build_report(number: int, milliseconds: int, *, made: bool = True) -> Report:
    moment = BEGUN + timedelta(seconds=30 * number)
    return Report(moment, number, 100, milliseconds, (number,), 0, 0, made)


def test_the_first_batch_of_a_run_says_nothing_of_how_long_the_others_take() -> None:
    waits, first = build_report(0, 0, made=False), build_report(0, 28_000)
    assert find_first([waits, first]) == first
    assert Rates.compute([first], None, first).batch_ms == 0
    both = [first, build_report(1, 900)]
    assert Rates.compute(both, None, find_first(both)).batch_ms == 900
    assert Rates.compute([build_report(1, 900), build_report(2, 500)], BEGUN, first).batch_ms == 700


def test_it_could_do_no_less_than_it_does() -> None:
    rates = Rates.compute([build_report(0, 28_000), build_report(1, 900)], None, build_report(0, 28_000))
    assert rates.processed >= rates.read > 0


def test_where_the_first_batch_is_not_known_any_more_all_count() -> None:
    assert find_first([build_report(number, 500) for number in range(RETAINED_REPORTS)]) is None
