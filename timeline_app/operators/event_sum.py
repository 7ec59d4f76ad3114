"""The running sum of a field."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from timeline_app.algebra.events import Events
from timeline_app.algebra.kinds import Kind
from timeline_app.algebra.steps import summed
from timeline_app.operators.base import Facts, Field, Number, Where, WrongInputs, operator


def _facts(_: object, params: Mapping[str, Any], kind: Callable[[str], Kind]) -> Facts:
    field = params["field"]
    if kind(field) is not Kind.NUMBER:
        cure = f"declare {field} as number in the stream, or choose a field that is one"
        raise WrongInputs("field", f"{field} is {kind(field).value}; only numbers have a sum", cure)
    return Facts(Kind.NUMBER)


@operator("Event sum", category="stream", facts=_facts)
def event_sum(events: Events, field: Field, where: Where | None = None) -> Number:
    """The running sum of a number over the matching events, 0 before the first.

    An event without the field adds nothing. Exact: rounded once, whatever the order of arrival.
    """
    every = np.ones(events.size, dtype=bool)
    return summed(events, events.fields[field], every if where is None else where.matches(events.fields))
