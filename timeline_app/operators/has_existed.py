"""Whether a matching event has ever been."""

import numpy as np

from timeline_app.algebra.events import Events
from timeline_app.algebra.kinds import Ints, Mask
from timeline_app.algebra.retention import first_until
from timeline_app.algebra.steps import ever
from timeline_app.operators.base import operator
from timeline_app.operators.examples import Example
from timeline_app.operators.ports import Bool, Where
from timeline_app.operators.reasons import Boundary, Question, Reason
from timeline_app.predicates import Predicate


def _why(question: Question) -> Reason:
    result, where = question.result, question.params["where"]
    matching = f"with `{where.text()}`"
    if not result.value:
        ends = question.ends(f"ends with the first event {matching}", f" with the first event {matching}")
        return Reason(question.nothing(matching), ends=ends)
    if result.since is None:
        return Reason(f"an event {matching} came before events were kept", ends="never ends")
    sentence = (
        f"`{question.op}` became true at {question.clock(result.since)}, with the first event {matching}"
    )
    ends = "never ends; an earlier event could only move its beginning"
    return Reason(sentence, events=(Boundary(result.since, where),), ends=ends)


_EXAMPLE = Example(
    'played = has_existed(player.state == "play")',
    "1 state=start; 3 state=play; 6 state=stop; 8 state=play",
)


def _keeps(events: Events, at: Ints, where: Predicate) -> Mask:
    """The first that matched."""
    return first_until(events, np.flatnonzero(where.matches(events)), at)


@operator(
    "Ever happened",
    category="stream",
    example=_EXAMPLE,
    why=_why,
    keeps=_keeps,
    synonyms=("exists", "once", "ever", "seen", "filter events"),
)
def has_existed(events: Events, where: Where) -> Bool:
    """False, then true for ever from the first matching event.

    A late event that matches and is earlier than the first so far moves the change back.
    """
    return ever(events, where.matches(events))
