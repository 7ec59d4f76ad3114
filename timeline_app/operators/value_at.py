"""What a timeline said at the latest of some instants."""

from collections.abc import Mapping

from timeline_app.algebra.events import Events
from timeline_app.algebra.instants import sample_at_instants, share_births
from timeline_app.algebra.kinds import Kind
from timeline_app.algebra.retention import Carried
from timeline_app.algebra.timelines import Timelines
from timeline_app.operators.base import Facts, Memory, operator
from timeline_app.operators.examples import Example
from timeline_app.operators.instants import InstantWords, get_seen_moment, omit_defaults, select_instants
from timeline_app.operators.ports import Anything, Before, Bool, Side, Where
from timeline_app.operators.reasons import Question, Reason
from timeline_app.predicates import Predicate


def _derive_facts(inputs: Mapping[str, Facts], *_: object) -> Facts:
    kind = inputs["of"].kind
    return Facts(Kind.NUMBER if kind.is_line else kind)


def _explain(question: Question) -> Reason:
    result, instants = question.result, InstantWords(question)
    ends = question.ends(f"may change {instants.next}")
    if result.since is None and result.value is None:
        return Reason(f"{question.head} because {instants.none}", instants.because(question.at), ends=ends)
    if result.since is None:
        sentence = f"{question.head}, as `{question.wires['of'][0]}` was before events were kept"
        return Reason(sentence, ends=ends)
    of = get_seen_moment(question, result.since)
    happened = instants.happened(result.since, of.at)
    sentence = f"{question.head} because `{of.node}` was that {happened}, and no later one has changed it"
    return Reason(sentence, (of, *instants.because(result.since)), instants.events(result.since), ends)


_EXAMPLE = Example(
    """
    state = latest_event_to_state(player.state)
    at_seek = value_at(state, player.action == "seek", side = before)
    """,
    "1 state=init; 3 state=play; 4 action=seek; 6 action=seek state=buffer; 8 action=seek",
)


def _apply(
    of: Timelines,
    carried: Carried | None,
    side: str = "at",
    events: Events | None = None,
    where: Predicate | None = None,
    when: Timelines | None = None,
) -> Timelines:
    of = share_births(of, events, when)
    return sample_at_instants(of, select_instants(events, where, when, of.birth, carried), side, carried)


@operator(
    "Value at an instant",
    category="timelines",
    example=_EXAMPLE,
    facts_of=_derive_facts,
    why=_explain,
    one_of=("stream", "when"),
    canonical=omit_defaults("side", "at"),
    memory=Memory.from_function(_apply),
    synonyms=("sample", "snapshot", "as of", "point in time", "lookup", "sample and hold", "trigger"),
)
def value_at(
    of: Anything,
    events: Events | None = None,
    where: Where | None = None,
    when: Bool | None = None,
    side: Side = "at",
    carried: Before = None,
) -> Anything:
    """The value of the input at the latest matching event, held until the next one.

    Or when `when`, a bool, became true last: from birth on, and at birth if it is true there. Unknown before the first
    such instant, and where the input was unknown there. With `side = at` it is what the input says from that instant
    on, the event itself included; with `before` what it said just before. Of a number that climbs it is the number at
    that instant, which stands still.
    """
    return _apply(of, carried, side, events, where, when)
