"""A plan on some events, at once, in a child with limits; nothing is started and nothing kept."""

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

CURE = "Name fewer nodes or keys, send fewer events, or take a longer `every`."


@dataclass(frozen=True, slots=True)
class Brought:
    """The events to evaluate on: sent along as lists or files by stream, or the parts of a sample."""

    events: Mapping[str, Any]
    files: Mapping[str, File]
    parts: Sequence[KeptPart] | None = None
    mapping: Mapping[str, Any] = field(default_factory=dict)

    def packed(self) -> tuple[dict[str, Any], list[bytes]]:
        """As a job is given them."""
        if self.parts is not None:
            parts, blobs = pack_parts(self.parts)
            return {"parts": parts}, blobs
        return pack_files(self.events, self.files, self.mapping)


def evaluate_plan(
    asked: tuple[object, Plan | None],
    brought: Brought,
    question: EvaluationQuestion,
    *,
    partly: bool,
    user: User,
    asker: Asker,
) -> Rendered:
    """What the nodes say, which keys there are, and what was left out.

    Where the document is a plan's, what that one reads is known. With `partly` nodes with problems are left out.
    """
    document, plan = asked
    packed, blobs = brought.packed()
    header = _build_header(document, load_visible_streams(plan, user), question) | packed | {"partly": partly}
    (answer,) = compute("evaluate", header, blobs, asker=asker, cure=CURE).blobs
    return Rendered(answer)


def compute_expected(
    plan: Plan, parts: Sequence[KeptPart], question: EvaluationQuestion, *, user: User, asker: Asker
) -> list[dict[str, Any]]:
    """What the plan says of a sample now, as what is expected."""
    packed, blobs = pack_parts(parts)
    header = _build_header(plan.document, load_visible_streams(plan, user), question) | {"parts": packed}
    documents: list[dict[str, Any]] = compute("expect", header, blobs, asker=asker, cure=CURE).header
    return documents


def _build_header(document: object, known: Declarations, question: EvaluationQuestion) -> dict[str, Any]:
    return {
        "document": document,
        "known": write_declarations(known),
        "question": asdict(question),
        "budget": plan_budget(),
    }
