"""`manage.py plan test PLAN`: the tests of a plan, for people and for checks of changes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from timeline_app.local.exports import Export
from timeline_app.local.request import BadRequest
from timeline_app.plan import BadEvents, Refused
from timeline_app.web.errors import ApiError, Missing
from timeline_app.web.models import Plan
from timeline_app.web.selectors.plan_tests import exported


class Command(BaseCommand):
    """Says of each test what became of it; the exit code is 1 unless all passed."""

    help = "Run the tests of a plan: by its number, or from a file that was exported with its samples."
    requires_system_checks: list[str] = []  # noqa: RUF012

    def add_arguments(self, parser: CommandParser) -> None:
        """What to do, with which plan."""
        parser.add_argument("action", choices=["test"])
        parser.add_argument("plan", help="the number of a plan, or a file of exported tests")
        parser.add_argument("--test", nargs="+", default=[], metavar="NAME", help="only these tests")
        parser.add_argument("--against", metavar="FILE", help="run them against the plan in this file")

    def handle(self, *_: Any, **options: Any) -> None:
        """Run, tell, and count."""
        statuses = []
        try:
            for name, outcome in outcomes(options["plan"], options["test"], options["against"]):
                statuses.append(outcome["status"])
                self.stdout.write(f"{outcome['status']:<8} {name}")
                if outcome["status"] != "passed":
                    self.tell(outcome)
        except (BadRequest, BadEvents, Refused, ApiError) as wrong:
            raise CommandError(str(wrong)) from None
        counts = {name: statuses.count(name) for name in ("passed", "failed", "broken")}
        words = (
            ", ".join(f"{count} {name}" for name, count in counts.items() if count) or "there are no tests"
        )
        if counts["passed"] < len(statuses):
            raise CommandError(words)
        self.stdout.write(words)

    def tell(self, outcome: dict[str, Any]) -> None:
        """Why it did not pass."""
        for one in outcome["problems"]:
            self.stdout.write(f"    {one['message']}" + (f"; {one['cure']}" if one["cure"] else ""))
        for one in outcome["differences"]:
            self.stdout.write(f"    {one['words']}")
        if (more := outcome["count"] - len(outcome["differences"])) > 0:
            self.stdout.write(f"    and {more:,} more")


def outcomes(plan: str, names: list[str], against: str | None) -> Iterator[tuple[str, dict[str, Any]]]:
    """What becomes of the tests, one by one."""
    export = kept(int(plan)) if plan.isascii() and plan.isdigit() else Export.read(plan)
    for name, outcome in (export.against(against) if against else export).run(names):
        yield name, outcome.document() | {"problems": [one.to_document() for one in outcome.problems]}


def kept(number: int) -> Export:
    """The tests of a plan of this installation."""
    plan = Plan.objects.filter(pk=number).first()
    if plan is None:
        raise Missing(f"There is no plan {number}.", code="unknown_plan")
    found = exported(plan, None)
    return Export(found["plan"], found["samples"], found["tests"])
