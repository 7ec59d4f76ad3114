"""`manage.py alert test`: what an alert would have done, from the shell and in the checks of a pull request."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import orjson
from django.core.management.base import BaseCommand, CommandError, CommandParser

from timeline_app.algebra.events import ARRIVAL
from timeline_app.algebra.kinds import BEGINNING, OPEN, Kind
from timeline_app.evaluate.backtest.back_test import (
    FLAPPING,
    RULE,
    AlertRule,
    arrange_file_events,
    compile_rule,
    list_read_fields,
    run_back_test,
)
from timeline_app.evaluate.backtest.flapping import MAX_STARTS_POSSIBLE, MAX_WINDOW_S, MIN_WINDOW_S
from timeline_app.evaluate.backtest.report import describe_back_test
from timeline_app.evaluate.request import BadRequest, read_instant, read_plan_and_document, read_streams
from timeline_app.evaluate.trial import TooMuch
from timeline_app.plan import BadEvents, Refused
from timeline_app.problems.problem import suggest_nearest
from timeline_app.web.alerts.back_tests import BackTestQuestion, run_test
from timeline_app.web.core.sandboxed_work import Asker
from timeline_app.web.management.acting import add_common, find_actor, find_plan, report_refusals, show

LIMITS = ("incidents", "retracted", "firing", "messages", "duration")
COLUMNS = ("key", "start", "end", "state", "amended")
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Command(BaseCommand):
    """The exit code is 1 after a refusal, or if the alert did not do what was expected."""

    help = (
        "Alerts: test a rule on a node of a plan. PLAN is a file, with files of events in the order in which they came;"
        " or the number or name of a plan, on what came for its streams."
    )
    requires_system_checks: list[str] = []  # noqa: RUF012

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("action", choices=("test",))
        parser.add_argument("plan", help="a file of a plan, or the number or name of a plan")
        parser.add_argument("events", nargs="*", help="of a file: FILE, or NAME=FILE once for each stream")
        parser.add_argument(
            "--node", required=True, metavar="NAME", help="the node; of a bool no limit is needed"
        )
        for name in ("above", "below", "clear"):
            parser.add_argument(f"--{name}", type=float, metavar="NUMBER")
        parser.add_argument(
            "--for", metavar="DURATION", help="how long the limit must be crossed, such as 5min"
        )
        parser.add_argument("--clear-after", metavar="DURATION", help="how long it must be clear")
        parser.add_argument(
            "--key", nargs="+", default=[], metavar="KEY", help="only these keys; * for any text"
        )
        parser.add_argument("--from", dest="start", metavar="TIME", help="only incidents after this time")
        parser.add_argument("--until", dest="end", metavar="TIME", help="only incidents before this time")
        parser.add_argument(
            "--sample", type=int, metavar="NUMBER", help="on a sample, of a plan that is kept here"
        )
        for name, words in (
            ("starts", "a key with more starts within the window flaps; 0: none does"),
            ("window-s", "seconds of event time in which starts are counted"),
        ):
            parser.add_argument(f"--flapping-{name}", type=int, metavar="NUMBER", help=words)
        parser.add_argument(
            "--policy",
            choices=("early", "final"),
            default="early",
            help="whose messages --at-most messages=N counts",
        )
        for name, words in (("at-most", "more"), ("at-least", "fewer")):
            parser.add_argument(
                f"--{name}",
                nargs="+",
                default=[],
                metavar="[WHAT=]N",
                help=f"fail if there are {words}; WHAT is of {', '.join(LIMITS)} (seconds); else incidents",
            )
        parser.add_argument(
            "--expect",
            metavar="FILE",
            help="fail unless these are the incidents: a JSON list of key, start, end and state, as --write makes it",
        )
        parser.add_argument("--write", metavar="FILE", help="write what is found as what is expected")
        add_common(parser)

    def handle(self, *_: Any, **options: Any) -> None:
        """Run the back-test, print the result, and compare it with expectations."""
        limits = [
            (name, *_parse_limit(text, name)) for name in ("at_most", "at_least") for text in options[name]
        ]
        with report_refusals():
            report = _test(options)
        rows = [_describe_row(key["key"], span) for key in report["keys"] for span in key["spans"]]
        if options["json"]:
            self.stdout.write(json.dumps(report, ensure_ascii=False))
        else:
            show(self, [_format_row(row) for row in rows], COLUMNS, as_json=False)
            self.stdout.write(_format_totals(report["totals"]))
        expected = [{name: row[name] for name in ("key", "start", "end", "state")} for row in rows]
        if options["write"]:
            Path(options["write"]).write_text(
                json.dumps(expected, indent=1, ensure_ascii=False) + "\n", "utf-8"
            )
        failures = [*_compare_limits(report["totals"], limits, options["policy"])]
        if options["expect"]:
            failures += _compare_incidents(_read_expected(options["expect"]), expected)
        if failures:
            raise CommandError("\n".join(failures))


def _test(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result of the back-test, from files or from a saved plan."""
    start, end = (
        None if options[name] is None else _read_time(options[name], f"--{flag}")
        for name, flag in (("start", "from"), ("end", "until"))
    )
    params = {name: options[name] for name in RULE if options[name] is not None}
    flapping = {name: _check_flapping(name, options[name]) for name in FLAPPING if options[name] is not None}
    rule = AlertRule(options["node"], params, tuple(options["key"]), **flapping)
    if options["events"]:
        return _test_files(options, rule, start, end)
    user = find_actor(options["who"])
    plan = find_plan(options["plan"], user)
    question = BackTestQuestion(rule, start, end, options["sample"])
    answer = run_test((dict(plan.document), plan), question, user=user, asker=Asker(user.pk))
    document: dict[str, Any] = orjson.loads(bytes(answer))
    return document


def _test_files(
    options: Mapping[str, Any], rule: AlertRule, start: int | None, end: int | None
) -> dict[str, Any]:
    try:
        drawn, drawing = read_plan_and_document(options["plan"])
        if rule.node not in drawn.names:
            raise BadRequest(f"the plan has no node {rule.node!r}; {suggest_nearest(rule.node, drawn.names)}")
        compiled, digest = compile_rule(drawing, {}, rule)
        if compiled.table[digest].facts.kind is not Kind.BOOL:
            raise BadRequest(f"{rule.node!r} is no bool, and an alert needs one; give --above or --below")
        fields = {
            name: tuple(sorted({*names, ARRIVAL}))
            for name, names in list_read_fields(compiled, digest).items()
        }
        tables = read_streams(compiled, options["events"], fields)
        arrivals = {name: arrange_file_events(table) for name, table in tables.items()}
        test = run_back_test(compiled, digest, arrivals, rule.keys, rule.flapping)
    except Refused as refused:
        raise CommandError("\n".join(problem.describe() for problem in refused.problems)) from None
    except BadEvents as bad:
        raise CommandError("\n".join(f"line {item.line}: {item.message}" for item in bad.problems)) from None
    except (BadRequest, TooMuch) as bad:
        raise CommandError(str(bad)) from None
    return describe_back_test(test, BEGINNING if start is None else start, OPEN if end is None else end)


def _check_flapping(name: str, number: int) -> int:
    least, most = (0, MAX_STARTS_POSSIBLE) if name == "flapping_starts" else (MIN_WINDOW_S, MAX_WINDOW_S)
    if not least <= number <= most:
        raise CommandError(f"--{name.replace('_', '-')} {number}: give a number from {least} to {most:,}.")
    return number


def _read_time(text: str, name: str) -> int:
    try:
        return read_instant(text, name)
    except BadRequest as bad:
        raise CommandError(str(bad)) from None


def _parse_limit(text: str, option: str) -> tuple[str, float]:
    name, _, number = text.rpartition("=")
    try:
        amount = float(number)
    except ValueError:
        amount = -1
    if (name or "incidents") not in LIMITS or not amount >= 0:
        flag = option.replace("_", "-")
        raise CommandError(f"--{flag} {text}: write N or WHAT=N; WHAT is one of {', '.join(LIMITS)}.")
    return name or "incidents", amount


def _compare_limits(
    totals: Mapping[str, Any], limits: Sequence[tuple[str, str, float]], policy: str
) -> Iterator[str]:
    for kind, name, amount in limits:
        value = totals["messages"][policy] if name == "messages" else totals[name]
        if name == "duration":
            value /= 1_000_000
        if (value > amount) if kind == "at_most" else (value < amount):
            bound = kind.replace("_", " ")
            yield f"{name}: {value:,g}, and {bound} {amount:,g} are expected."


def _read_expected(name: str) -> list[dict[str, Any]]:
    try:
        rows = json.loads(Path(name).read_text("utf-8"))
        return [{field: row[field] for field in ("key", "start", "end", "state")} for row in rows]
    except OSError as why:
        raise CommandError(f"{name}: cannot be read ({why.strerror}).") from None
    except (ValueError, KeyError, TypeError):
        words = "not a JSON list of incidents with key, start, end and state; --write makes one"
        raise CommandError(f"{name}: {words}.") from None


def _compare_incidents(expected: list[dict[str, Any]], incidents: list[dict[str, Any]]) -> Iterator[str]:
    for row in expected:
        if row not in incidents:
            yield f"missing: {_format_line(row)}"
    for row in incidents:
        if row not in expected:
            yield f"not expected: {_format_line(row)}"


def _describe_row(key: str, span: Mapping[str, Any]) -> dict[str, Any]:
    times = {name: None if span[name] is None else _format_time(span[name]) for name in ("start", "end")}
    return {"key": key, **times, "state": span["state"], "amended": span["amended"]}


def _format_row(row: Mapping[str, Any]) -> dict[str, Any]:
    cells = {"start": row["start"] or "since ever", "end": row["end"] or "-"}
    return {**row, **cells, "amended": "amended" if row["amended"] else ""}


def _format_line(row: Mapping[str, Any]) -> str:
    return f"{row['key']} {row['start'] or 'since ever'} to {row['end'] or 'open'}, {row['state']}"


def _format_time(micros: int) -> str:
    return (EPOCH + timedelta(microseconds=micros)).isoformat().replace("+00:00", "Z")


def _format_totals(totals: Mapping[str, Any]) -> str:
    sent = totals["messages"]
    return (
        f"{totals['incidents']:,} incidents of {totals['keys']:,} keys, {totals['retracted']:,} retracted,"
        f" {totals['amended']:,} amended; messages: {sent['early']:,} early, {sent['final']:,} final"
    )
