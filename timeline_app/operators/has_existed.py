"""Whether a matching event has ever been."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from timeline_app.algebra.events import Events
from timeline_app.algebra.instants import select_qualifying, share_births
from timeline_app.algebra.kinds import Ints, Mask
from timeline_app.algebra.retention import select_first
from timeline_app.algebra.steps import turn_true
from timeline_app.operators.base import Make, operator
from timeline_app.operators.examples import Example
from timeline_app.operators.instants import derive_bool_facts, describe_counted, explain_while, omit_defaults
from timeline_app.operators.ports import Bool, Side, Where
from timeline_app.operators.reasons import Boundary, Question, Reason
from timeline_app.predicates import Predicate


def _explain(question: Question) -> Reason:
    result, where = question.result, question.params["where"]
    matching = f"with `{where.text()}`{describe_counted(question)}"
    if not result.value:
        ends = question.ends(f"ends with the first event {matching}", f" with the first event {matching}")
        return Reason(question.nothing(matching), ends=ends)
    if result.since is None:
        return Reason(f"an event {matching} came before events were kept", ends="never ends")
    while_words, because = explain_while(question, result.since)
    first = f"the first event with `{where.text()}`{while_words}"
    sentence = f"`{question.op}` became true at {question.clock(result.since)}, with {first}"
    ends = "never ends; an earlier event could only move its beginning"
    return Reason(sentence, because, (Boundary(result.since, where),), ends)


_EXAMPLE = Example(
    'played = has_existed(player.state == "play")',
    "1 state=start; 3 state=play; 6 state=stop; 8 state=play",
)


def _expand(make: Make, inputs: Mapping[str, tuple[str, ...]], params: Mapping[str, Any]) -> str | None:
    """With `while`, a count of such events that is greater than 0: it need not ask again what was before."""
    if not inputs:
        return None
    return make("greater_than", {"of": (make("event_count", inputs, **params),)}, value=0.0)


def _select_kept(events: Events, at: Ints, where: Predicate, **_: Any) -> Mask:
    """Return the first that matched."""
    return select_first(events, np.flatnonzero(where.matches(events)), at)


@operator(
    "Ever happened",
    category="stream",
    example=_EXAMPLE,
    why=_explain,
    facts_of=derive_bool_facts,
    canonical=omit_defaults("side", "before"),
    keeps=_select_kept,
    made_of=_expand,
    synonyms=("exists", "once", "ever", "seen", "filter events"),
)
def has_existed(events: Events, where: Where, while_: Bool | None = None, side: Side = "before") -> Bool:
    """False, then true for ever from the first matching event.

    A late event that matches and is earlier than the first so far moves the change back. With `while`, a bool, only
    events count at whose instant it is true: just before the event, or, with `side = at`, with all that the events of
    that instant have changed.
    """
    return share_births(
        turn_true(events, select_qualifying(events, where.matches(events), while_, side)), while_
    )
