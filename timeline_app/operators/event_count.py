"""How many events there have been."""

from timeline_app.algebra.events import Events
from timeline_app.algebra.kinds import Ints
from timeline_app.algebra.retention import Carried
from timeline_app.algebra.steps import count, ones, total_until
from timeline_app.operators.base import Memory, operator
from timeline_app.operators.examples import Example
from timeline_app.operators.ports import Before, Number, Where
from timeline_app.operators.reasons import Boundary, Question, Reason
from timeline_app.operators.recent_events import select_matching
from timeline_app.operators.words import said
from timeline_app.predicates import Predicate


def _why(question: Question) -> Reason:
    result, where = question.result, question.params.get("where")
    matching = "" if where is None else f"with `{where.text()}`"
    following = f"with the next event {matching}".rstrip()
    ends = question.ends(f"changes {following}", f" {following}")
    if result.since is None and not result.value:
        return Reason(question.nothing(matching), ends=ends)
    count = f"{said(result.value)} {'event' if result.value == 1 else 'events'} {matching}".rstrip()
    if result.since is None:
        return Reason(f"{count} came before events were kept, and none since", ends=ends)
    sentence = f"{count} came by then, the last of them at {question.clock(result.since)}"
    return Reason(sentence, events=(Boundary(result.since, where),), ends=ends)


_EXAMPLE = Example(
    'seeks = event_count(player.action == "seek")',
    "1 action=play; 3 action=seek; 5 action=seek; 6.5 action=pause; 8 action=seek",
)


def _read(events: Events, at: Ints, carried: Carried | None, where: Predicate | None = None) -> Ints:
    """How many there have been."""
    return total_until(events, select_matching(events, where), ones(events), at, carried)


@operator(
    "Count of events",
    category="stream",
    example=_EXAMPLE,
    accumulates=True,
    why=_why,
    memory=Memory(_read),
    synonyms=("counter", "how many", "number of events", "count", "rate", "filter events", "frequency"),
)
def event_count(events: Events, where: Where | None = None, carried: Before = None) -> Number:
    """How many matching events so far, 0 before the first.

    Without a condition every event counts. Events of one instant all count; copies with one id count once.
    """
    return count(events, select_matching(events, where), carried)
