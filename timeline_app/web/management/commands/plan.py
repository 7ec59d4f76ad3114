"""`manage.py plan list|show|run|stop|check|export|import|test`: plans from the shell."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from timeline_app.compiler.placement import PLACEMENTS
from timeline_app.evaluate.exports import Export
from timeline_app.evaluate.plan_tests import STATUSES
from timeline_app.evaluate.request import BadRequest
from timeline_app.plan import BadEvents, Refused
from timeline_app.web.core.audit_context import act_as
from timeline_app.web.core.errors import ApiError, Missing
from timeline_app.web.core.json_documents import refuse_strange
from timeline_app.web.core.search import apply_search
from timeline_app.web.jobs.plans import format_plan, parse_plan_text
from timeline_app.web.management.acting import (
    add_common,
    find_actor,
    find_plan,
    format_problem,
    report_refusals,
    show,
)
from timeline_app.web.models import Plan
from timeline_app.web.plans.checks import find_problems
from timeline_app.web.plans.selectors import describe_plans, plan_of, select_plans
from timeline_app.web.plans.services import create_plan, run_plan, stop_plan
from timeline_app.web.samples.plan_tests import export_tests
from timeline_app.web.streams.granted_streams import load_visible_streams

FAILURE_STATUSES = ("failed", "broken")
ACTIONS = ("list", "show", "run", "stop", "check", "export", "import", "test")
COLUMNS = ("id", "name", "owner", "state", "problems")


class Command(BaseCommand):
    """The exit code is 1 after a refusal, with problems, or if a test failed or is broken."""

    help = "Plans: list (of a search), show, run, stop, check, export, import, and test: by number, name or file."
    requires_system_checks: list[str] = []  # noqa: RUF012

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("action", choices=ACTIONS)
        parser.add_argument(
            "plan",
            nargs="?",
            help="a number or name; list: a search; import: a file; test: also exported tests",
        )
        parser.add_argument("--placement", choices=PLACEMENTS, help="of run; else as it ran last")
        parser.add_argument("--reason", default="", help="of run and stop: why, for the audit")
        parser.add_argument("--text", action="store_true", help="of export: in the text language")
        parser.add_argument("--test", nargs="+", default=[], metavar="NAME", help="only these tests")
        parser.add_argument("--against", metavar="FILE", help="run them against the plan in this file")
        add_common(parser)

    def handle(self, *_: Any, **options: Any) -> None:
        if options["action"] != "list" and not options["plan"]:
            raise CommandError(f"Say which plan to {options['action']}.")
        if options["action"] == "test":
            self.run_tests(options)
            return
        user = find_actor(options["who"])
        with report_refusals(), act_as(reason=options["reason"]):
            getattr(self, f"do_{options['action']}")(user, options)

    def do_list(self, user: User, options: dict[str, Any]) -> None:
        """Print the plans that match a search."""
        result = describe_plans(apply_search(select_plans(user), options["plan"] or "", user), user)
        show(self, [build_list_row(item) for item in result], COLUMNS, options["json"])

    def do_show(self, user: User, options: dict[str, Any]) -> None:
        """Print a plan's state, nodes and problems."""
        self.plan(find_plan(options["plan"], user), user, options["json"])

    def do_run(self, user: User, options: dict[str, Any]) -> None:
        """Run the draft."""
        plan = find_plan(options["plan"], user)
        run_plan(plan=plan, user=user, placement=options["placement"] or plan.placement)
        self.plan(plan, user, options["json"])

    def do_stop(self, user: User, options: dict[str, Any]) -> None:
        """Stop the plan."""
        plan = find_plan(options["plan"], user)
        stop_plan(plan=plan, user=user)
        self.plan(plan, user, options["json"])

    def do_check(self, user: User, options: dict[str, Any]) -> None:
        """Print all problems of the draft."""
        plan = find_plan(options["plan"], user)
        problems = find_problems([(plan.document, load_visible_streams(plan, user))], user)[0]
        if options["json"]:
            self.stdout.write(json.dumps(problems, ensure_ascii=False))
        else:
            for problem in problems:
                self.stdout.write(format_problem(problem))
        if any(problem["severity"] == "error" for problem in problems):
            raise CommandError("The plan cannot run.")

    def do_export(self, user: User, options: dict[str, Any]) -> None:
        """Print the draft as a document, or as text."""
        document = find_plan(options["plan"], user).document
        text = (
            format_plan(document) if options["text"] else json.dumps(document, ensure_ascii=False, indent=2)
        )
        self.stdout.write(text)

    def do_import(self, user: User, options: dict[str, Any]) -> None:
        """Create a plan from a file, a document or text."""
        self.plan(
            create_plan(user=user, name=None, document=read_document(options["plan"])), user, options["json"]
        )

    def plan(self, plan: Plan, user: User, as_json: bool) -> None:
        """Print a plan's current state."""
        [result] = describe_plans([plan_of(plan.pk, user)], user)
        show(self, [result if as_json else build_list_row(result)], COLUMNS, as_json)
        if not as_json and result["nodes"]:
            show(self, result["nodes"], ("name", "digest", "kind", "status"), as_json=False)
        for item in () if as_json else result["problems"]:
            self.stdout.write(format_problem(item))

    def run_tests(self, options: dict[str, Any]) -> None:
        """Run the tests, print each outcome and the counts."""
        statuses = []
        try:
            for name, outcome in run_tests(options["plan"], options["test"], options["against"]):
                statuses.append(outcome["status"])
                self.stdout.write(f"{outcome['status']:<8} {name}")
                if outcome["status"] in FAILURE_STATUSES:
                    self.print_failure(outcome)
        except (BadRequest, BadEvents, Refused, ApiError) as error:
            raise CommandError(str(error)) from None
        counts = {name: statuses.count(name) for name in STATUSES}
        words = (
            ", ".join(f"{count} {name}" for name, count in counts.items() if count) or "there are no tests"
        )
        if any(counts[name] for name in FAILURE_STATUSES):
            raise CommandError(words)
        self.stdout.write(words)

    def print_failure(self, outcome: dict[str, Any]) -> None:
        """Print why a test did not pass."""
        for problem in outcome["problems"]:
            self.stdout.write(
                f"    {problem['message']}" + (f"; {problem['hint']}" if problem["hint"] else "")
            )
        for problem in outcome["differences"]:
            self.stdout.write(f"    {problem['words']}")
        for problem in outcome["warnings"]:
            self.stdout.write(f"    warning: {problem['message']}; {problem['hint']}")
        if (more := outcome["count"] - len(outcome["differences"])) > 0:
            self.stdout.write(f"    and {more:,} more")


def build_list_row(document: dict[str, Any]) -> dict[str, Any]:
    """Return a plan as a row of a list."""
    entry = {name: document[name] for name in ("id", "name", "owner")}
    state = "running" if document["running"] else "stopped"
    return entry | {"state": state, "problems": len(document["problems"])}


def read_document(name: str) -> dict[str, Any]:
    """Return the plan in a file: a JSON document, or text."""
    try:
        text = Path(name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError, ValueError) as why:
        raise CommandError(f"{name} cannot be read: {why}") from None
    if not text.lstrip().startswith("{"):
        return parse_plan_text(text)
    try:
        result = json.loads(text)
    except (ValueError, RecursionError) as why:
        raise CommandError(f"{name} is no JSON: {why}") from None
    refuse_strange(result)
    return dict(result)


def run_tests(plan: str, names: list[str], against: str | None) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the outcome of each test."""
    export = export_stored_tests(int(plan)) if plan.isascii() and plan.isdigit() else Export.read(plan)
    for name, outcome in (export.against(against) if against else export).run(names):
        yield (
            name,
            outcome.document()
            | {
                "problems": [problem.to_document() for problem in outcome.problems],
                "warnings": [warning.to_document() for warning in outcome.warnings],
            },
        )


def export_stored_tests(number: int) -> Export:
    """Return the tests of a plan of this installation."""
    plan = Plan.objects.filter(pk=number).first()
    if plan is None:
        raise Missing(f"There is no plan {number}.", code="unknown_plan")
    result = export_tests(plan, None)
    return Export(result["plan"], result["samples"], result["tests"])
