"""Plans: streams, events at the door, documents, checks. Refusals are values, and come all at once."""

from timeline_app.plan.check import Checked, NodeFacts, check
from timeline_app.plan.events import BadEvents, EventBatch, LineProblem
from timeline_app.plan.problems import Problem, Refused
from timeline_app.plan.stream import StreamDeclaration

__all__ = [
    "BadEvents", "Checked", "EventBatch", "LineProblem", "NodeFacts", "Problem", "Refused", "StreamDeclaration",
    "check",
]  # fmt: skip
