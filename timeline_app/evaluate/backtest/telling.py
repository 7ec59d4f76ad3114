"""When receivers are notified of incidents, and of what."""

from __future__ import annotations

from timeline_app.algebra.kinds import SECOND

PENDING, FIRING, RESOLVED, RETRACTED = "pending", "firing", "resolved", "retracted"
FLAPPING, SETTLED = "flapping", "settled"
"""The state of an incident that stands for its flapping key, and the news when the key has settled."""
NOT_NOTIFIED = ""
"""The state of an incident without a notification."""
GROUP_WINDOW_S = 30
"""After a message of an alert, changes are collected for this long into one message."""
MAX_AGE_US = 3_600 * SECOND
"""No notification is sent for an incident that became known this long after its end."""
Told = tuple[str, int, int]
"""The state of an incident and its span as receivers know them, or should."""


def choose_change(sent: Told, now: Told, known_at: int) -> str:
    """Return a message's news of an incident that became known at an instant; empty for none."""
    (state_told, start_told, end_told), (state, start, end) = sent, now
    if FLAPPING in (state, state_told):
        return "" if state == state_told else FLAPPING if state == FLAPPING else SETTLED
    if state_told == state:
        moved = start_told != start or (state == RESOLVED and end_told != end)
        return "amended" if moved and state != RETRACTED else ""
    if state_told == NOT_NOTIFIED:
        is_old = state == RESOLVED and known_at - end > MAX_AGE_US
        return "" if is_old or state in (PENDING, RETRACTED) else state
    return "reopened" if state == FIRING and state_told == RESOLVED else state
