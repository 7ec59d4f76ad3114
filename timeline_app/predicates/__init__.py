"""Predicates over the fields of events: `player_state == "play" and not cdn in ("CDN1", "CDN2")`."""

from timeline_app.predicates.parser import PredicateError, field_spans, is_unicode, parse
from timeline_app.predicates.tree import Predicate

__all__ = ["Predicate", "PredicateError", "field_spans", "is_unicode", "parse"]
