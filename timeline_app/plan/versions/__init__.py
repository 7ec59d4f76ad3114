"""Two versions of one plan document: what differs, what it is in words, and how two changes become one."""

from timeline_app.plan.versions.difference import Change, Difference, difference
from timeline_app.plan.versions.merge import Conflict, Merged, merge
from timeline_app.plan.versions.words import conflict_told, sentence, subjects

__all__ = [
    "Change",
    "Conflict",
    "Difference",
    "Merged",
    "conflict_told",
    "difference",
    "merge",
    "sentence",
    "subjects",
]
