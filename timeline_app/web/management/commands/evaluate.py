"""`manage.py evaluate PLAN EVENTS`: evaluation of a plan on files."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from timeline_app.algebra.limits import TooFine
from timeline_app.compiler import Compiled
from timeline_app.evaluate.engine import iterate_answers
from timeline_app.evaluate.request import BadRequest, read_events, read_instant, read_plan
from timeline_app.evaluate.spark import SparkFailed, iterate_spark_answers
from timeline_app.evaluate.tables import EventTable
from timeline_app.evaluate.warnings import list_warnings
from timeline_app.evaluate.why import check_question, explain_answer, list_nodes_below
from timeline_app.plan import BadEvents, Problem, Refused
from timeline_app.problems.problem import suggest_nearest

ENGINES = {"local": iterate_answers, "spark": iterate_spark_answers}


class Command(BaseCommand):
    """Prints one JSON line for each node and key, ordered by node then key."""

    help = "Evaluate a plan document on a file of events of any format that is decoded; - is standard input."
    requires_system_checks: list[str] = []  # noqa: RUF012

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("plan", help="a plan, a JSON document or text, that declares its streams")
        parser.add_argument("events", nargs="+", help="FILE, or NAME=FILE once for each stream")
        parser.add_argument("--node", nargs="+", default=[], metavar="NAME", help="only these nodes")
        parser.add_argument("--key", nargs="+", default=[], metavar="KEY", help="only these keys")
        parser.add_argument("--at", metavar="TIME", help="the value at an instant (microseconds or ISO 8601)")
        parser.add_argument(
            "--until",
            metavar="TIME",
            help="up to when time has come, where that is later than the last event (for operators of the calendar)",
        )
        parser.add_argument("--why", action="store_true", help="the reasons for one node, one key and --at")
        parser.add_argument(
            "--mapping",
            nargs="+",
            default=[],
            metavar="FILE",
            help="how fields are renamed, cast and added, a JSON list of rules: FILE, or NAME=FILE for each stream",
        )
        parser.add_argument("--strict", action="store_true", help="refuse where there is a warning")
        parser.add_argument(
            "--engine",
            choices=sorted(ENGINES),
            default="local",
            help="in this process, or through Spark's queries",
        )

    def handle(self, *_: Any, **options: Any) -> None:
        """Read everything, then print the answers, or refuse with all reasons."""
        try:
            compiled, tables, at, until = _prepare(options)
            self._warn(
                list_warnings(compiled, tables, _select_needed_nodes(compiled, options)),
                strict=options["strict"],
            )
        except Refused as refused:
            raise CommandError("\n".join(problem.describe() for problem in refused.problems)) from None
        except BadEvents as bad:
            raise CommandError(
                "\n".join(f"line {item.line}: {item.message}" for item in bad.problems)
            ) from None
        except BadRequest as bad:
            raise CommandError(str(bad)) from None
        self._print_notes(tables)
        engine = explain_answer if options["why"] else ENGINES[options["engine"]]
        try:
            self._print(engine(compiled, tables, options["node"], options["key"], at, until), options["key"])
        except BrokenPipeError:
            # The reader has closed the pipe (`| head`); discard what Python flushes at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        except (SparkFailed, BadRequest, TooFine) as failed:
            raise CommandError(str(failed)) from None

    def _warn(self, warnings: Sequence[Problem], *, strict: bool) -> None:
        if warnings and strict:
            raise Refused(warnings)
        for warning in warnings:
            self.stderr.write(f"warning: {warning.describe()}")

    def _print_notes(self, tables: Mapping[str, EventTable]) -> None:
        """Print how the files were read, where that is not obvious."""
        for name, table in tables.items():
            for note in table.notes:
                self.stderr.write(f"{name}: {note}")

    def _print(self, documents: Iterable[Mapping[str, Any]], keys: list[str]) -> None:
        absent = set(keys)
        for answer in documents:
            absent.discard(answer["key"])
            self.stdout.write(json.dumps(answer, ensure_ascii=False))
        self.stdout.flush()
        for key in sorted(absent):
            self.stderr.write(f"no timeline has the key {key!r}")


def _prepare(
    options: Mapping[str, Any],
) -> tuple[Compiled, dict[str, EventTable], int | None, int | None]:
    """Return the plan, the events, the instant and the end of time, all validated."""
    at, until = (
        None if options[name] is None else read_instant(options[name], f"--{name}")
        for name in ("at", "until")
    )
    compiled = read_plan(options["plan"])
    for name in options["node"]:
        if name not in compiled.names:
            raise BadRequest(f"the plan has no node {name!r}; {suggest_nearest(name, compiled.names)}")
    if options["why"]:
        check_question(options["node"], options["key"], at, options["engine"])
    return compiled, _read_tables(compiled, options), at, until


def _read_tables(compiled: Compiled, options: Mapping[str, Any]) -> dict[str, EventTable]:
    return read_events(
        compiled, options["events"], _select_needed_nodes(compiled, options), options["mapping"]
    )


def _select_needed_nodes(compiled: Compiled, options: Mapping[str, Any]) -> list[str]:
    """Return the names of the nodes that are needed to answer; [] means all."""
    return list(
        dict.fromkeys(below for name in options["node"] for below in list_nodes_below(compiled, name))
    )
