"""Work on what somebody sent, in a child process with limits of memory, processor time, wall clock and answer.

A fork server, a small process that has imported what the work needs, forks one child for each piece of work. It starts
with the first piece, ends with the process that started it, and is started again where it was killed.
"""

from timeline_app.evaluate.sandbox.client import Cancelled, Interrupted, Sandbox
from timeline_app.evaluate.sandbox.limits import LimitExceeded, Limits
from timeline_app.evaluate.sandbox.messages import JobMessage
from timeline_app.evaluate.sandbox.turns import NoTurn, Turns

__all__ = ["Cancelled", "Interrupted", "JobMessage", "LimitExceeded", "Limits", "NoTurn", "Sandbox", "Turns"]
