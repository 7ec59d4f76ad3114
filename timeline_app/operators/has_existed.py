"""Whether a matching event has ever been."""

from timeline_app.algebra.events import Events
from timeline_app.algebra.steps import ever
from timeline_app.operators.base import Bool, Where, operator


@operator("Has existed", category="stream")
def has_existed(events: Events, where: Where) -> Bool:
    """False, then true for ever from the first matching event.

    A late event that matches and is earlier than the first so far moves the change back.
    """
    return ever(events, where.matches(events.fields))
