"""Plans: streams, events at the door, documents, checks. Refusals are values, and come all at once."""

from timeline_app.events.declaration import StreamDeclaration
from timeline_app.events.validate import BadEvents, EventBatch, LineProblem
from timeline_app.plan.check import Checked, NodeFacts, check
from timeline_app.problems.problem import Problem, Refused

__all__ = [
    "BadEvents", "Checked", "EventBatch", "LineProblem", "NodeFacts", "Problem", "Refused", "StreamDeclaration",
    "check",
]  # fmt: skip
