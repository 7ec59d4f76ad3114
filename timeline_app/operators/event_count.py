"""How many events there have been."""

from timeline_app.algebra.events import Events
from timeline_app.algebra.instants import select_qualifying, share_births
from timeline_app.algebra.kinds import Ints
from timeline_app.algebra.retention import Carried
from timeline_app.algebra.steps import compute_total, count, make_ones
from timeline_app.algebra.timelines import Timelines
from timeline_app.operators.base import Memory, operator
from timeline_app.operators.examples import Example
from timeline_app.operators.instants import (
    derive_accumulating_facts,
    describe_counted,
    explain_while,
    omit_defaults,
    select_matching,
)
from timeline_app.operators.ports import Before, Bool, Number, Side, Where
from timeline_app.operators.reasons import Boundary, Question, Reason
from timeline_app.operators.words import format_value
from timeline_app.predicates import Predicate


def _explain(question: Question) -> Reason:
    result, where = question.result, question.params.get("where")
    matching = (("" if where is None else f"with `{where.text()}`") + describe_counted(question)).strip()
    following = f"with the next event {matching}".rstrip()
    ends = question.ends(f"changes {following}", f" {following}")
    if result.since is None and not result.value:
        return Reason(question.nothing(matching), ends=ends)
    count = f"{format_value(result.value)} {'event' if result.value == 1 else 'events'} {matching}".rstrip()
    if result.since is None:
        return Reason(f"{count} came before events were kept, and none since", ends=ends)
    while_words, because = explain_while(question, result.since)
    sentence = f"{count} came by then, the last of them at {question.clock(result.since)}{while_words}"
    return Reason(sentence, because, (Boundary(result.since, where),), ends)


_EXAMPLE = Example(
    'seeks = event_count(player.action == "seek")',
    "1 action=play; 3 action=seek; 5 action=seek; 6.5 action=pause; 8 action=seek",
)


def _read(
    events: Events,
    at: Ints,
    carried: Carried | None,
    where: Predicate | None = None,
    while_: Timelines | None = None,
    side: str = "before",
) -> Ints:
    """Return how many there have been."""
    counts = select_qualifying(events, select_matching(events, where), while_, side)
    return compute_total(events, counts, make_ones(events), at, carried)


@operator(
    "Count of events",
    category="stream",
    example=_EXAMPLE,
    accumulates=True,
    why=_explain,
    facts_of=derive_accumulating_facts,
    canonical=omit_defaults("side", "before"),
    memory=Memory(_read),
    synonyms=("counter", "how many", "number of events", "count", "rate", "filter events", "frequency"),
)
def event_count(
    events: Events,
    where: Where | None = None,
    while_: Bool | None = None,
    side: Side = "before",
    carried: Before = None,
) -> Number:
    """How many matching events so far, 0 before the first.

    Without a condition every event counts. Events of one instant all count; copies with one id count once. With
    `while`, a bool, only those count at whose instant it is true: just before the event, or, with `side = at`, with all
    that the events of that instant have changed.
    """
    counts = select_qualifying(events, select_matching(events, where), while_, side)
    return share_births(count(events, counts, carried), while_)
