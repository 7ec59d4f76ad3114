"""Predicates over the fields of events: `player_state == "play" and not cdn in ("CDN1", "CDN2")`."""

from timeline_app.predicates.binding import ClockedStream, StreamClock
from timeline_app.predicates.builder import PredicateError, is_unicode
from timeline_app.predicates.expressions import Expression, WrongKind
from timeline_app.predicates.parser import find_field_spans, parse, parse_expression
from timeline_app.predicates.tree import Predicate

__all__ = [
    "ClockedStream", "Expression", "Predicate", "PredicateError", "StreamClock", "WrongKind",
    "find_field_spans", "is_unicode", "parse", "parse_expression",
]  # fmt: skip
