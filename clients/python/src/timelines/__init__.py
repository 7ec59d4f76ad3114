"""Streams, plans and live timelines, from Python."""

from timelines.boards import Dashboard
from timelines.client import Client
from timelines.errors import (
    Ambiguous,
    ApiError,
    Conflict,
    Missing,
    NotAllowed,
    Problem,
    RateLimited,
    Silent,
    TimelinesError,
    Unreachable,
)
from timelines.live import Live, Update
from timelines.nodes import Node
from timelines.plans import Plan
from timelines.samples import Sample
from timelines.streams import Pushed, Sender, Stream
from timelines.timeline import Line, Point, Span, Timeline

__all__ = [
    "Ambiguous",
    "ApiError",
    "Client",
    "Conflict",
    "Dashboard",
    "Line",
    "Live",
    "Missing",
    "Node",
    "NotAllowed",
    "Plan",
    "Point",
    "Problem",
    "Pushed",
    "RateLimited",
    "Sample",
    "Sender",
    "Silent",
    "Span",
    "Stream",
    "Timeline",
    "TimelinesError",
    "Unreachable",
    "Update",
]
