"""Checking plan documents against the declared streams."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import Any

import orjson
from django.contrib.auth.models import User
from django.core.cache import caches

from timeline_app.compiler import Compiled, compile_plan
from timeline_app.plan import Refused, StreamDeclaration
from timeline_app.web.core.errors import PlanRefused, Problem, as_problem, describe_problem
from timeline_app.web.core.permissions import select_readable
from timeline_app.web.core.sandboxed_work import Asker, compile_slot, compute_plan, is_large
from timeline_app.web.jobs.packing import write_declarations
from timeline_app.web.jobs.plans import describe_check
from timeline_app.web.models import Node, Plan
from timeline_app.web.streams.granted_streams import (
    list_unshared_streams,
    load_all_declarations,
    load_visible_streams,
    select_streams_of_owner,
)
from timeline_app.web.streams.selectors import collect_stream_names


def find_problems(
    documents: Iterable[tuple[Any, Mapping[str, StreamDeclaration]]], user: User
) -> list[list[Problem]]:
    """Return the problems of each document on its streams."""
    return [document["problems"] for document in _check_documents(documents, user)]


def _check_documents(
    documents: Iterable[tuple[Any, Mapping[str, StreamDeclaration]]], user: User
) -> list[dict[str, Any]]:
    """Return the check of each document on its streams; unchanged checks come from the cache."""
    checked = [(_hash_check_input(document, streams), document, streams) for document, streams in documents]
    cache = caches["checks"]
    answers: dict[str, dict[str, Any]] = cache.get_many({key for key, _, _ in checked})
    new: dict[str, dict[str, Any]] = {}
    for key, document, streams in checked:
        if key not in answers:
            with compile_slot(document, user.pk):
                answers[key] = new[key] = describe_check(document, streams)
    cache.set_many(new)
    return [answers[key] for key, _, _ in checked]


def _hash_check_input(document: Any, streams: Mapping[str, StreamDeclaration]) -> str:
    """Return a digest of all inputs of a check: the document, its streams, the names of the others."""
    try:
        text = orjson.dumps(document)
    except TypeError:  # numbers of more than 64 bits
        text = json.dumps(document).encode()
    read = [repr(streams[name]) for name in sorted(collect_stream_names(document) & streams.keys())]
    return blake2b("\0".join([*read, "", *streams]).encode() + b"\0" + text, digest_size=32).hexdigest()


def check_document(document: object, user: User, asker: Asker, plan: Plan | None = None) -> dict[str, Any]:
    """Return all problems and the nodes; digests only if the whole plan is valid.

    A node is `known` if it is already computed and the user may read it. With a plan, the document may read what that
    plan reads.
    """
    checked_plan = _check_document(document, load_visible_streams(plan, user), asker)
    digests = {node["digest"] for node in checked_plan["nodes"].values()} - {None}
    readable_nodes = select_readable(Node.objects.filter(digest__in=digests), user)
    readable = set(readable_nodes.values_list("digest", flat=True))
    for node in checked_plan["nodes"].values():
        node["known"] = node["digest"] in readable
    return checked_plan


def _check_document(
    document: object, streams: Mapping[str, StreamDeclaration], asker: Asker
) -> dict[str, Any]:
    if not is_large(document):
        return describe_check(document, streams)
    return dict(compute_plan("check", {"document": document, "known": write_declarations(streams)}, asker))


def compute_digests(
    documents: Iterable[tuple[Any, Mapping[str, StreamDeclaration]]], user: User
) -> list[dict[str, str]]:
    """Return the digests of each document's nodes by name; {} if it has problems."""
    return [
        {name: node["digest"] for name, node in document["nodes"].items() if node["digest"] is not None}
        for document in _check_documents(documents, user)
    ]


def compile_or_refuse(document: dict[str, Any], user: User, plan: Plan) -> Compiled:
    """Return the compiled document of the plan; raise a refusal with all problems."""
    streams = load_visible_streams(plan, user)
    try:
        compiled = compile_plan(document, streams)
    except Refused as refused:
        raise refuse_to_run([as_problem(problem.to_document()) for problem in refused.problems]) from None
    # A document may declare streams for trying it on a file; only streams that exist here have events.
    if unknown := sorted(collect_stream_names(document) - streams.keys()):
        hint = "Declare it: POST /api/streams/."
        words = "nobody declared the stream {!r} here"
        raise refuse_to_run(
            [describe_problem(words.format(name), code="unknown_stream", hint=hint) for name in unknown]
        )
    lent = list_unshared_streams(streams, document)
    return compile_plan(document, streams | _declare_unshared(plan, lent)) if lent else compiled


def _declare_unshared(plan: Plan, lent: list[str]) -> dict[str, StreamDeclaration]:
    """Return streams that the user may not read but the plan's owner may."""
    if missing := sorted(set(lent) - select_streams_of_owner(plan, lent)):
        owner_name = plan.owner_name
        hint = f"Ask the stream's owner to share it with {owner_name}, whose plan this is."
        words = [
            f"the events of the stream {stream!r} are shared neither with you nor with {owner_name}"
            for stream in missing
        ]
        raise refuse_to_run([describe_problem(stream, code="not_shared", hint=hint) for stream in words])
    return load_all_declarations(lent)


def refuse_to_run(problems: list[Problem]) -> PlanRefused:
    """Return the refusal of a plan with these problems."""
    count = sum(problem["severity"] == "error" for problem in problems)
    return PlanRefused(f"The plan has {count} problem{'s' * (count != 1)} and cannot run.", problems=problems)
