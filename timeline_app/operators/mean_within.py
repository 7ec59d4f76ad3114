"""The mean over the time just before."""

from timeline_app.algebra.areas import compute_window_mean
from timeline_app.algebra.kinds import Kind
from timeline_app.operators.base import Facts, operator
from timeline_app.operators.examples import Example
from timeline_app.operators.pointwise import explain_unknown
from timeline_app.operators.ports import AnyNumber, Duration, SteadyMeasure
from timeline_app.operators.reasons import Question, Reason
from timeline_app.operators.windowed import explain_unborn
from timeline_app.operators.words import format_length, format_value, join_parts


def _explain(question: Question) -> Reason:
    of, duration = question.look_at_input(), question.params["duration"]
    if not of.born:
        return explain_unborn(question, of)
    values = [value for _, value in of.within(duration) if value is not None]
    if not values:
        return explain_unknown(question, of) or Reason(question.head, (of,))
    if question.result.value is None:
        sentence = f"{question.head} because `{of.node}` is known from this very microsecond on only"
        return Reason(sentence, (of,), ends=question.ends("ends a microsecond later"))
    texts = [format_value(value) for value in dict.fromkeys(values)]
    listed = join_parts([*texts[:3], f"{len(texts) - 3} other values"] if len(texts) > 4 else texts)
    sentence = f"{question.head}, the mean of {listed} in {format_length(duration)}, each weighed by how long it held"
    return Reason(f"{sentence}; {question.tell(of)}", (of,), ends=question.ends(f"changes with `{of.node}`"))


_EXAMPLE = Example(
    """
    temperature = latest_event_to_state(oven.temperature)
    mean = mean_within(temperature, 4s)
    """,
    "1 temperature=2; 3 temperature=4; 8 temperature=1",
)


@operator(
    "Moving average",
    category="timelines",
    example=_EXAMPLE,
    facts_of=lambda *_: Facts(Kind.RATIO, steady=False),
    why=_explain,
    lookback=lambda params: int(params["duration"]),
    by_known=True,
    caption="over {duration}",
    synonyms=(
        "average",
        "rolling average",
        "moving average",
        "avg over time",
        "time weighted",
        "availability",
        "duty",
        "mean",
        "window",
        "last hour",
        "sliding window",
        "rolling mean",
        "share of time",
        "percent of time",
        "ratio of time",
        "smooth",
    ),
)
def mean_within(of: SteadyMeasure, duration: Duration) -> AnyNumber:
    """The mean of the duration before, each value weighed by how long it held.

    Of a bool it is the share of the time for which it was true. Only the known part since birth counts; it is unknown
    where nothing was known, and at the very microsecond at which the known part begins. The result is a ratio, value
    times known seconds over known seconds, kept exact. For bools and numbers that do not climb.
    """
    return compute_window_mean(of, duration)
