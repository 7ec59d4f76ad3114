"""How long something has been true."""

from timeline_app.algebra.kinds import Ints
from timeline_app.algebra.retention import Carried, take_microunits
from timeline_app.algebra.states import measure_time_true
from timeline_app.algebra.timelines import Timelines
from timeline_app.operators.base import Memory, operator
from timeline_app.operators.examples import Example
from timeline_app.operators.ports import Before, Bool, Number
from timeline_app.operators.reasons import Question, Reason
from timeline_app.operators.words import format_value


def _explain(question: Question) -> Reason:
    result, of = question.result, question.look_at_input()
    if not of.born:
        return Reason(
            f"{question.head}: {question.unborn(of)}", (of,), ends=question.ends("changes after that")
        )
    stretches = sum(since <= question.at and point[1] is True for since, point in of.pieces_since_birth())
    times = "once" if stretches == 1 else f"{stretches} times"
    total = (
        f"`{of.node}` has been true {times} by then, for {format_value(result.value)} s in all"
        if stretches
        else (f"`{of.node}` has not been true since the birth of `{of.key}` at {question.clock(of.birth)}")
    )
    now = "it climbs while" if of.value else "it stands still while"
    ends = question.ends(f"{'climbs on until' if of.value else 'changes when'} `{of.node}` changes")
    return Reason(f"{total}; {now} {question.tell(of)}", (of,), ends=ends)


_EXAMPLE = Example(
    """
    buffering = latest_event_to_state(player.buffering)
    buffered = duration_where(buffering)
    """,
    "1 buffering=true; 3 buffering=false; 6 buffering=true; 8 buffering=false",
)


def _read(of: Timelines, at: Ints, carried: Carried | None) -> Ints:
    """Return how many microseconds it has been true."""
    return take_microunits(measure_time_true(of, carried), at)


@operator(
    "Time while true",
    category="timelines",
    example=_EXAMPLE,
    steady=False,
    accumulates=True,
    why=_explain,
    memory=Memory(_read),
    synonyms=(
        "time in state",
        "uptime",
        "how long",
        "downtime",
        "seconds",
        "total time",
        "time spent",
        "duration",
    ),
)
def duration_where(of: Bool, carried: Before = None) -> Number:
    """Total seconds for which the input has been true since the key's first event.

    Climbs with slope 1 while it is true, flat otherwise (also while it is unknown); 0 before birth.
    """
    return measure_time_true(of, carried)
