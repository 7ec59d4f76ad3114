"""Evaluation of a plan on given events in a child with limits; nothing is started or kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from django.contrib.auth.models import User

from timeline_app.web.core.sandboxed_work import Asker, compute, plan_budget
from timeline_app.web.jobs.evaluate import EvaluationQuestion
from timeline_app.web.jobs.packing import KeptPart, pack_files, pack_parts, write_declarations
from timeline_app.web.jobs.rendered import Rendered
from timeline_app.web.jobs.uploads import File
from timeline_app.web.models import Plan
from timeline_app.web.streams.granted_streams import Declarations, load_visible_streams

HINT = "Name fewer nodes or keys, send fewer events, or take a longer `every`."


@dataclass(frozen=True, slots=True)
class EventSource:
    """The events to evaluate on: lists or files by stream, or the parts of a sample."""

    events: Mapping[str, Any]
    files: Mapping[str, File]
    parts: Sequence[KeptPart] | None = None
    mapping: Mapping[str, Any] = field(default_factory=dict)

    def pack(self) -> tuple[dict[str, Any], list[bytes]]:
        """Return the events as arguments of a job."""
        if self.parts is not None:
            parts, blobs = pack_parts(self.parts)
            return {"parts": parts}, blobs
        return pack_files(self.events, self.files, self.mapping)


def evaluate_plan(
    document_and_plan: tuple[object, Plan | None],
    brought: EventSource,
    question: EvaluationQuestion,
    *,
    partly: bool,
    user: User,
    asker: Asker,
) -> Rendered:
    """Return the timelines, the keys, and what was left out.

    If the document belongs to a plan, it may read what that plan reads. With `partly`, nodes with problems are left
    out.
    """
    document, plan = document_and_plan
    pack, blobs = brought.pack()
    header = _build_header(document, load_visible_streams(plan, user), question) | pack | {"partly": partly}
    (answer,) = compute("evaluate", header, blobs, asker=asker, hint=HINT).blobs
    return Rendered(answer)


def compute_expected(
    plan: Plan, parts: Sequence[KeptPart], question: EvaluationQuestion, *, user: User, asker: Asker
) -> list[dict[str, Any]]:
    """Return the plan's present results on a sample, as expectations."""
    pack, blobs = pack_parts(parts)
    header = _build_header(plan.document, load_visible_streams(plan, user), question) | {"parts": pack}
    documents: list[dict[str, Any]] = compute("expect", header, blobs, asker=asker, hint=HINT).header
    return documents


def _build_header(
    document: object, declarations: Declarations, question: EvaluationQuestion
) -> dict[str, Any]:
    return {
        "document": document,
        "known": write_declarations(declarations),
        "question": asdict(question),
        "budget": plan_budget(),
    }
