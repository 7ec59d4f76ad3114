"""Shared parts of shell commands: the acting user, refusals, and output."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from timeline_app.web.core.audit_context import act_as
from timeline_app.web.core.errors import ApiError
from timeline_app.web.models import Plan
from timeline_app.web.models.people import AuditEntry
from timeline_app.web.plans.selectors import select_plans


def add_common(parser: CommandParser) -> None:
    """Add the arguments for the acting user and the output format."""
    parser.add_argument("--as", dest="who", metavar="NAME", help="who does it; else the only administrator")
    parser.add_argument("--json", action="store_true", help="for programs")


def find_actor(name: str | None) -> User:
    """Return the person of this name, else the only administrator."""
    if name is not None:
        user = User.objects.filter(username=name, is_active=True).first()
        if user is None:
            raise CommandError(f"Nobody here is called {name[:150]!r}.")
        return user
    admins = list(User.objects.filter(is_superuser=True, is_active=True)[:2])
    if len(admins) != 1:
        problem = "There is no administrator" if not admins else "There are several administrators"
        raise CommandError(f"{problem}: say who does it, --as NAME.")
    return admins[0]


@contextmanager
def report_refusals() -> Iterator[None]:
    """Attribute acts to the shell, and turn refusals into command errors with every problem."""
    try:
        with act_as(AuditEntry.Source.SHELL):
            yield
    except ApiError as why:
        raise CommandError(
            "\n".join([why.message, *(f"  {format_problem(problem)}" for problem in why.problems)])
        ) from None


def format_problem(problem: Mapping[str, Any]) -> str:
    """Return a problem with its place and its hint."""
    subject = (
        ".".join(part for part in (problem["node"], problem["port"]) if part) or problem["field"] or "plan"
    )
    return f"{subject}: {problem['message']}" + (f" {problem['hint']}" if problem["hint"] else "")


def find_plan(which: str, user: User) -> Plan:
    """Return a plan by its number or its name."""
    plans = list(
        select_plans(user).filter(pk=int(which))
        if is_number(which)
        else select_plans(user).filter(name=which)[:3]
    )
    if not plans:
        raise CommandError(f"There is no plan {which[:200]!r} that {user.get_username()} may look at.")
    if len(plans) > 1:
        numbers = ", ".join(str(plan.pk) for plan in plans)
        raise CommandError(f"Several plans are called {which!r}: {numbers}. Say the number.")
    return plans[0]


def is_number(text: str) -> bool:
    """Return whether the text can be the number of a row."""
    return text.isascii() and text.isdigit() and len(text) < 19


def show(
    command: BaseCommand, rows: Sequence[Mapping[str, Any]], columns: Sequence[str], as_json: bool
) -> None:
    """Print a table for people, or one line of JSON per row for programs."""
    if as_json:
        for row in rows:
            command.stdout.write(json.dumps(row, ensure_ascii=False))
        return
    cells = [[str(row[name]) for name in columns] for row in rows]
    widths = [max(len(line[at]) for line in (list(columns), *cells)) for at in range(len(columns))]
    for line in (list(columns), *cells):
        command.stdout.write(
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        )
