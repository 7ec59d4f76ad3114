"""Two versions of one plan document: what differs, what it is in words, and how two changes become one."""

from timeline_app.plan.versions.difference import Change, Difference, compute_difference
from timeline_app.plan.versions.merge import Conflict, Merged, merge
from timeline_app.plan.versions.words import describe_conflict, format_sentence, group_by_subject

__all__ = [
    "Change",
    "Conflict",
    "Difference",
    "Merged",
    "compute_difference",
    "describe_conflict",
    "format_sentence",
    "group_by_subject",
    "merge",
]
