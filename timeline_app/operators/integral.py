"""The sum of a number over time."""

from timeline_app.algebra.areas import WIDTH, compute_area, integrate
from timeline_app.algebra.kinds import Ints
from timeline_app.algebra.retention import Carried
from timeline_app.algebra.timelines import Timelines
from timeline_app.operators.base import Memory, operator
from timeline_app.operators.examples import Example
from timeline_app.operators.ports import Before, Number, SteadyNumber
from timeline_app.operators.reasons import Question, Reason
from timeline_app.operators.words import format_value


def _explain(question: Question) -> Reason:
    of = question.look_at_input()
    if not of.born:
        sentence = f"{question.head}: {question.unborn(of)}"
        return Reason(sentence, (of,), ends=question.ends("changes after that"))
    birth = question.clock(of.birth)
    value = format_value(question.result.value)
    total = f"`{of.node}` times seconds since the birth of `{of.key}` at {birth} is {value}"
    if of.value is None:
        now = f"it stands still while `{of.node}` is unknown"
    else:
        now = f"it changes by {format_value(of.value)} each second while {question.tell(of)}"
    ends = question.ends(f"changes otherwise when `{of.node}` changes")
    return Reason(f"{total}; {now}", (of,), ends=ends)


_EXAMPLE = Example(
    """
    power = latest_event_to_state(meter.power)
    energy = integral(power)
    """,
    "1 power=2; 4 power=0; 6 power=3; 8 power=-1",
)


def _read(of: Timelines, at: Ints, carried: Carried | None) -> Ints:
    """Return the integral, in limbs."""
    return compute_area(of, at, carried)


@operator(
    "Integral over time",
    category="timelines",
    example=_EXAMPLE,
    steady=False,
    accumulates=True,
    why=_explain,
    memory=Memory(_read, WIDTH),
    synonyms=(
        "area",
        "energy",
        "volume",
        "riemann sum",
        "accumulate",
        "cumulative",
        "total over time",
        "time weighted sum",
    ),
)
def integral(of: SteadyNumber, carried: Before = None) -> Number:
    """The sum of the value times seconds since birth.

    Climbs (or falls) by the value each second, stands still while it is unknown; 0 before birth. Of a power in watts it
    is the energy in joules; divide by `1h` for watt hours. Takes numbers that do not climb.
    """
    return integrate(of, carried)
