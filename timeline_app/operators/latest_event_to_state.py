"""The latest value of a field."""

from timeline_app.algebra.events import Events
from timeline_app.algebra.steps import latest
from timeline_app.operators.base import Facts, Field, State, operator


@operator(
    "Latest event to state", category="stream", facts=lambda _, params, kind: Facts(kind(params["field"]))
)
def latest_event_to_state(events: Events, field: Field) -> State:
    """The field's latest value; unknown before the first.

    An event without the field changes nothing. Where two events of one key at the same time both have it, the one
    with the greatest id wins; with no ids, the greatest value.
    """
    return latest(events, events.fields[field])
