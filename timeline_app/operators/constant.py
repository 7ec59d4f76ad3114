"""A value that never changes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from timeline_app.algebra.events import Events
from timeline_app.algebra.kinds import Ints, Mask, Scalar
from timeline_app.algebra.steps import build_unchanging
from timeline_app.operators.base import Facts, operator
from timeline_app.operators.examples import Example
from timeline_app.operators.ports import State, Value
from timeline_app.operators.reasons import Question, Reason
from timeline_app.operators.words import format_value
from timeline_app.predicates.tree import get_kind


def _derive_facts(_: object, params: Mapping[str, Any], __: object) -> Facts:
    return Facts(get_kind(params["value"]))


def _explain(question: Question) -> Reason:
    return Reason(f"`{question.op}` is always {format_value(question.params['value'])}", ends="never ends")


_EXAMPLE = Example("limit = constant(player, 2.5)", "1 bitrate=3; 5 bitrate=2")


def _select_kept(events: Events, at: Ints, value: Scalar) -> Mask:  # noqa: ARG001 (it depends on no event)
    """None."""
    return np.zeros(events.size, dtype=bool)


@operator(
    "Constant",
    category="stream",
    example=_EXAMPLE,
    facts_of=_derive_facts,
    why=_explain,
    keeps=_select_kept,
    synonyms=("number", "literal", "fixed value", "target", "limit", "threshold"),
)
def constant(events: Events, value: Value) -> State:
    """A value that never changes, for each key of the stream.

    It holds since ever, also before the first event of a key. A duration is written as its number of seconds.
    """
    assert isinstance(value, bool | float | str)
    return build_unchanging(events, get_kind(value), value)
