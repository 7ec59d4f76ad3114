"""Checking plan documents against the declared streams."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User

from timeline_app.compiler import Compiled, compile_plan
from timeline_app.plan import Refused, check
from timeline_app.web.errors import PlanRefused, Problem, as_problem, problem
from timeline_app.web.models import Node
from timeline_app.web.selectors.streams import declarations, streams_of


def check_document(document: object, user: User) -> dict[str, Any]:
    """All problems, and what is known of each node; digests only where the whole plan is right."""
    streams = declarations(user)
    checked = check(document, streams)
    names = compile_plan(document, streams).names if checked.ok else {}
    known = set(Node.objects.filter(digest__in=set(names.values())).values_list("digest", flat=True))
    return {
        "ok": checked.ok,
        "problems": [as_problem(one.to_document()) for one in checked.problems],
        "nodes": {
            name: {
                "kind": facts.kind.value,
                "digest": names.get(name),
                "known": names.get(name) in known,
            }
            for name, facts in checked.nodes.items()
        },
    }


def compiled_or_refused(document: dict[str, Any], user: User) -> Compiled:
    """What the document computes, or all its problems."""
    streams = declarations(user)
    try:
        compiled = compile_plan(document, streams)
    except Refused as refused:
        raise refusal([as_problem(one.to_document()) for one in refused.problems]) from None
    # A document may declare streams of its own, to be tried out on a file; only those known here have events.
    if unknown := sorted(streams_of(document) - streams.keys()):
        cure = "Declare it: POST /api/streams/."
        words = "nobody declared the stream {!r} here"
        raise refusal([problem(words.format(name), code="unknown_stream", cure=cure) for name in unknown])
    return compiled


def refusal(problems: list[Problem]) -> PlanRefused:
    """The plan cannot run, for these reasons."""
    wrong = sum(one["severity"] == "error" for one in problems)
    return PlanRefused(f"The plan has {wrong} problem{'s' * (wrong != 1)} and cannot run.", problems=problems)
