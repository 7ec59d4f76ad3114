"""An operator that needs more memory than there is, by mistake; `field` says which process dies.

`worker`: the Python worker, by a MemoryError. `server`: the whole Spark server, killed as the kernel kills the largest
process when the machine has no memory left.
"""

import os
import resource
import signal
from contextlib import suppress

import numpy as np
import psutil

from timeline_app.algebra.events import Events
from timeline_app.algebra.kinds import Ints, Mask
from timeline_app.algebra.retention import select_last
from timeline_app.algebra.steps import order_by_value, track_latest
from timeline_app.operators.base import Facts, operator
from timeline_app.operators.examples import Example
from timeline_app.operators.ports import Field, State
from timeline_app.operators.reasons import Question, Reason

_EXAMPLE = Example("eaten = hungry(player.worker)", "1 worker=a; 2 worker=b")


def _why(question: Question) -> Reason:
    return Reason(f"{question.head} because it was eaten")


def _eat(victim: str) -> None:
    """Run out of memory, but only inside Spark: evaluators and examples are spared."""
    parents = [parent for parent in psutil.Process().parents() if parent.name() == "java"]
    if not parents:
        return
    if victim == "server":
        with suppress(ProcessLookupError):
            os.kill(parents[0].pid, signal.SIGKILL)
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (psutil.Process().memory_info().vms + 2**26, hard))
    np.ones(2**34, np.int64)


def _keeps(events: Events, at: Ints, field: str) -> Mask:
    """Return the event with the value."""
    return select_last(events, order_by_value(events, events.fields[field]), at)


@operator(
    "Hungry",
    category="stream",
    example=_EXAMPLE,
    why=_why,
    keeps=_keeps,
    facts_of=lambda _, params, kind: Facts(kind(params["field"])),
)
def hungry(events: Events, field: Field) -> State:
    """Return the field's latest value, given enough memory."""
    _eat(field)
    return track_latest(events, events.fields[field])
