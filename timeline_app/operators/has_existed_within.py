"""Whether a matching event has been in the time just before."""

from timeline_app.algebra.events import Events
from timeline_app.algebra.steps import within
from timeline_app.operators.base import Bool, Duration, Where, operator


@operator("Has existed within", category="stream")
def has_existed_within(events: Events, where: Where, duration: Duration) -> Bool:
    """True for the duration from each matching event on, else false.

    True on the union of [t, t + duration) over the matching events. The end may lie in the future; it stands until
    an event revises it.
    """
    return within(events, where.matches(events.fields), duration)
