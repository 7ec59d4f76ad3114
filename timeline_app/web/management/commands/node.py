"""`manage.py node list|peek|why|restart`: nodes from the shell, with the same permissions as on the page."""

from __future__ import annotations

import json
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from timeline_app.evaluate.request import BadRequest, read_instant
from timeline_app.web.core.search import apply_search
from timeline_app.web.management.acting import add_common, find_actor, find_plan, report_refusals, show
from timeline_app.web.models import Node
from timeline_app.web.nodes.actions import restart_node
from timeline_app.web.nodes.freshness import classify_finality, read_known_until
from timeline_app.web.nodes.selectors import describe_nodes, get_node, select_nodes
from timeline_app.web.nodes.timelines import peek
from timeline_app.web.nodes.why import explain_value

MIN_DIGEST_CHARS = 6


class Command(BaseCommand):
    """A node is given by the beginning of its digest, or as PLAN/NAME."""

    help = "Nodes: list (of a search), peek and why of a key, restart."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("action", choices=["list", "peek", "why", "restart"])
        parser.add_argument(
            "which", nargs="?", help="list: a search; else a digest's beginning, or PLAN/NAME"
        )
        parser.add_argument("--key", help="of peek and why")
        parser.add_argument("--at", help="an instant (microseconds or ISO 8601)")
        parser.add_argument("--reason", default="", help="of restart: why, for the audit")
        add_common(parser)

    def handle(self, *_: Any, **options: Any) -> None:
        user = find_actor(options["who"])
        with report_refusals():
            if options["action"] == "list":
                self.rows(user, options)
            else:
                getattr(self, options["action"])(find_node(options["which"], user), user, options)

    def rows(self, user: User, options: dict[str, Any]) -> None:
        """Print the nodes that match a search."""
        chosen = describe_nodes(apply_search(select_nodes(user), options["which"] or "", user), user)
        rows = [
            {
                "digest": item["digest"] if options["json"] else item["digest"][:12],
                "operator": item["operator"],
                "names": ", ".join(sorted({use["name"] for use in item["users"] if use["name"]})),
                "owner": item["owner"],
                "state": item["status"]["words"],
            }
            for item in chosen
        ]
        show(self, rows, ("digest", "operator", "names", "owner", "state"), options["json"])

    def peek(self, node: Node, _user: User, options: dict[str, Any]) -> None:
        """Print the timeline of a key, all of it or at an instant."""
        key, at = require_option(options, "key"), parse_at_option(options)
        answer = peek(node, key, start=at, end=None if at is None else at + 1)
        if answer is None:
            raise CommandError(f"Nothing is known of the key {key!r}.")
        answer |= read_known_until(node)
        if at is not None:
            worth = classify_finality(at, answer["final_until"], answer["known_until"])
            answer |= {
                "standing": worth,
                "points": [point | {"standing": worth} for point in answer["points"]],
            }
        if options["json"]:
            self.stdout.write(json.dumps(answer, ensure_ascii=False))
            return
        columns = [
            name for name in ("t", "value", "slope", "num", "den", "standing") if name in answer["points"][0]
        ]
        show(self, answer["points"], columns, as_json=False)
        if answer["truncated"]:
            self.stderr.write(
                "There are more points than are shown. Ask for an instant with --at, or use REST."
            )

    def why(self, node: Node, user: User, options: dict[str, Any]) -> None:
        """Print why a key has its value at an instant."""
        key, at = require_option(options, "key"), parse_at_option(options)
        if at is None:
            raise CommandError("Say when: --at TIME.")
        answer = explain_value(node.digest, key, at, user, plan=None, name=None)
        if options["json"]:
            self.stdout.write(json.dumps(answer, ensure_ascii=False))
            return
        for link in answer["chain"]:
            self.stdout.write(f"{link['node']}: {link['sentence']}")

    def restart(self, node: Node, user: User, options: dict[str, Any]) -> None:
        """Restart the node."""
        restart_node(node=node, user=user, reason=options["reason"])
        self.stdout.write(f"{node} starts again.")


def find_node(which: str | None, user: User) -> Node:
    """Return the node that the argument names."""
    if not which:
        raise CommandError("Say which node: the beginning of its digest, or PLAN/NAME.")
    if "/" in which:
        plan, _, name = which.rpartition("/")
        use = find_plan(plan, user).uses.filter(name=name).select_related("node").first()
        if use is None:
            raise CommandError(f"The plan runs no node {name[:200]!r}.")
        return get_node(use.node.digest, user)
    if len(which) < MIN_DIGEST_CHARS:
        raise CommandError(f"Give at least {MIN_DIGEST_CHARS} characters of the digest.")
    matches = list(select_nodes(user).filter(digest__startswith=which)[:2])
    if len(matches) != 1:
        raise CommandError(
            f"{'No node' if not matches else 'More than one node'} has a digest that begins {which[:64]!r}."
        )
    return matches[0]


def require_option(options: dict[str, Any], name: str) -> str:
    """Return an option that this action needs."""
    if not options[name]:
        raise CommandError(f"Say which {name}: --{name} {name.upper()}.")
    return str(options[name])


def parse_at_option(options: dict[str, Any]) -> int | None:
    """Return the value of `--at`, if given."""
    try:
        return None if options["at"] is None else read_instant(options["at"])
    except BadRequest as bad:
        raise CommandError(str(bad)) from None
