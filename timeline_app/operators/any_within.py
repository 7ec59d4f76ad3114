"""Whether something was true in the time just before."""

from timeline_app.algebra.sliding import is_true_within
from timeline_app.operators.base import operator
from timeline_app.operators.examples import Example
from timeline_app.operators.ports import Bool, Duration
from timeline_app.operators.reasons import Question, Reason
from timeline_app.operators.windowed import describe_held, explain_unborn
from timeline_app.operators.words import format_length, format_value


def _explain(question: Question) -> Reason:
    of, duration = question.look_at_input(), question.params["duration"]
    if not of.born:
        return explain_unborn(question, of)
    value = question.result.value
    deciding = [last for last, moment in of.within(duration) if moment is value]
    if value is False:
        sentence = (
            f"{question.head} because `{of.node}` was false throughout the {format_length(duration)} before"
        )
        return Reason(sentence, (of,), ends=question.ends(f"ends when `{of.node}` is true"))
    moment = question.look_at_input(at=deciding[-1])
    after = f", {format_length(duration)} after `{of.node}` was {format_value(value)} last"
    ends = question.ends(
        f"ends {format_length(duration)} after `{of.node}` is no longer {format_value(value)}", after
    )
    return Reason(
        f"{question.head} because {describe_held(question, moment, duration)}", (moment,), ends=ends
    )


_EXAMPLE = Example(
    """
    jammed = latest_event_to_state(player.jammed)
    lately = any_within(jammed, 2s)
    """,
    "1 jammed=false; 3 jammed=true; 4 jammed=false; 5 jammed=true; 6 jammed=false",
)


@operator(
    "Was true within",
    category="timelines",
    example=_EXAMPLE,
    why=_explain,
    lookback=lambda params: int(params["duration"]),
    synonyms=(
        "recently",
        "ever in the last",
        "extend",
        "hold",
        "delay off",
        "timer off",
        "window",
        "last hour",
        "rolling",
        "sliding window",
        "followed by",
    ),
)
def any_within(of: Bool, duration: Duration) -> Bool:
    """True where the input was true at some instant in the duration before.

    A stretch that was true counts until the duration after its end. Where nothing was true it is unknown if some of the
    duration was unknown, else false. Time counts from birth on; before birth it is unknown.
    """
    return is_true_within(of, duration)
