"""What one bool sets and another one resets."""

import numpy as np

from timeline_app.algebra.kinds import TRUE, Ints
from timeline_app.algebra.memories import apply_latch, remember_latch
from timeline_app.algebra.retention import Carried, find_holding
from timeline_app.algebra.timelines import Timelines
from timeline_app.operators.base import Memory, operator
from timeline_app.operators.examples import Example
from timeline_app.operators.pointwise import explain_unknown
from timeline_app.operators.ports import Before, Bool
from timeline_app.operators.reasons import Question, Reason


def _explain(question: Question) -> Reason:
    setting, reset, result = question.look_at_input("set"), question.look_at_input("reset"), question.result
    if result.value is None:
        return explain_unknown(question, setting, reset) or Reason(question.head, (setting, reset))
    ends = f"ends when `{(reset if result.value else setting).node}` is true"
    if reset.value:
        sentence = f"{question.head} because {question.tell(reset)}, and reset wins"
        return Reason(sentence, (reset,), ends=question.ends(f"{ends} and `{reset.node}` is not"))
    if setting.value:
        return Reason(
            f"{question.head} because {question.tell(setting)}", (setting,), ends=question.ends(ends)
        )
    return _explain_memory(question, ends)


def _explain_memory(question: Question, ends: str) -> Reason:
    """Neither of the two is true now: which of them was last."""
    result = question.result
    port, other, verb = ("set", "reset", "set") if result.value else ("reset", "set", "reset")
    last = question.look_at_input(port, at=question.at if result.since is None else result.since)
    quiet = question.look_at_input(other)
    if last.value:
        sentence = f"{question.head} since {question.clock(last.at)}, when `{last.node}` {verb} it"
        sentence += f", and `{quiet.node}` has not been true since"
    elif result.value:
        sentence = f"{question.head} because `{last.node}` has set it, and `{quiet.node}` is false"
    else:
        sentence = f"{question.head} because `{quiet.node}` has not set it"
    return Reason(sentence, (last, quiet), ends=question.ends(ends))


_EXAMPLE = Example(
    """
    start = latest_event_to_state(machine.start)
    stop = latest_event_to_state(machine.stop)
    runs = latch(start, stop)
    """,
    "1 start=false stop=false; 2 start=true; 3 start=false; 6 stop=true; 7 stop=false; 8 start=true",
)


def _read(set: Timelines, reset: Timelines, at: Ints, carried: Carried | None) -> Ints:  # noqa: A002 (the port)
    """Return whether the memory is true."""
    memory = remember_latch(set, reset, carried)
    return np.asarray(memory.value[find_holding(memory, at)] == TRUE, dtype=np.int64)[:, np.newaxis]


@operator(
    "Latch",
    category="timelines",
    example=_EXAMPLE,
    why=_explain,
    memory=Memory(_read),
    synonyms=(
        "flip-flop",
        "set reset",
        "SR",
        "sticky",
        "alarm",
        "acknowledge",
        "toggle",
        "session",
        "between two events",
        "sequence",
        "followed by",
        "start and stop",
    ),
)
def latch(set: Bool, reset: Bool, carried: Before = None) -> Bool:  # noqa: A002 (the port)
    """True from when `set` is true until `reset` is true.

    False where `reset` is true, else true where `set` is true, else as before; false at first. So reset wins where
    both are true. If one of the two is unknown, the value is `not reset and (set or memory)`. Only known values
    change the memory: `reset` that is true, `set` that is true while `reset` is false.
    """
    return apply_latch(set, reset, carried)
