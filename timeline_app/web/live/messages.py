"""Messages from live pages."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from timeline_app.web.core.query_parameters import is_event_time

TYPES = ("subscribe", "rank", "unsubscribe", "watch", "unwatch", "attend", "leave", "bell", "ping")
ORDERS = ("most", "least")
MAX_RANKED_ROWS = 50
MIN_CHART_PIXELS, MAX_CHART_PIXELS = 10, 10_000
"""The width of a chart."""
MAX_PLAN_NUMBER = 2**63 - 1
MAX_SELECTED_NODES = 50
DIGEST = re.compile(r"[0-9A-Za-z_-]{1,64}")


class BadMessage(Exception):
    """A refused message; `id` is the client's own, `plan` one that it may not read."""

    def __init__(self, code: str, message: str, name: str | None = None, plan: int | None = None) -> None:
        super().__init__(message)
        self.code, self.id, self.plan = code, name, plan


@dataclass(frozen=True)
class PageMessage:
    """A parsed message."""

    type: str
    id: str = ""
    node: str = ""
    key: str = ""
    since: int | None = None
    points: int | None = None
    detail: tuple[int, int] | None = None
    plan: int = 0
    selected: tuple[str, ...] = ()
    top: int = 0
    order: str = ""
    at: int | None = None


def parse_message(message: Any) -> PageMessage:
    """Parse a message; raise `BadMessage`."""
    kind = message.get("type") if isinstance(message, dict) else None
    if kind not in TYPES:
        raise BadMessage("bad_message", f'Send an object with "type": one of {", ".join(TYPES)}.')
    if kind in ("watch", "unwatch", "leave"):
        return PageMessage(kind, plan=read_value(message, "plan", is_plan, "the number of a plan"))
    if kind == "attend":
        return PageMessage(
            kind,
            plan=read_value(message, "plan", is_plan, "the number of a plan"),
            selected=tuple(
                read_value(
                    message,
                    "selected",
                    is_selection,
                    f"a list of at most {MAX_SELECTED_NODES} names of nodes",
                )
            ),
        )
    if kind in ("bell", "ping"):
        return PageMessage(kind)
    name = read_value(
        message, "id", lambda value: is_text(value, 200), "a text of 1 to 200 characters, chosen by you"
    )
    if kind == "unsubscribe":
        return PageMessage(kind, name)
    node = read_value(
        message, "node", lambda value: is_text(value, 64) and bool(DIGEST.fullmatch(value)), "a digest"
    )
    if kind == "rank":
        return parse_ranking(message, name, node)
    return PageMessage(
        kind,
        name,
        node=node,
        key=read_value(message, "key", lambda value: is_text(value, 1024), "a text of 1 to 1024 characters"),
        since=read_value(message, "from", is_instant, "null or microseconds since the epoch"),
        points=read_value(
            message,
            "points",
            is_chart_width,
            f"null or a whole number from {MIN_CHART_PIXELS} to {MAX_CHART_PIXELS}",
        ),
        detail=parse_detail(message),
    )


def parse_detail(message: dict[str, Any]) -> tuple[int, int] | None:
    """Return the range that is shown in detail, if any."""
    detail = read_value(message, "detail", is_time_range, "null or [from, to], microseconds since the epoch")
    return None if detail is None else (detail[0], detail[1])


def parse_ranking(message: dict[str, Any], name: str, node: str) -> PageMessage:
    """Parse a request for the keys with the greatest or least values, now or at an instant."""
    return PageMessage(
        "rank",
        name,
        node=node,
        top=read_value(message, "top", is_row_count, f"a whole number from 1 to {MAX_RANKED_ROWS}"),
        order=read_value(message, "order", lambda value: value in ORDERS, " or ".join(ORDERS)),
        at=read_value(message, "at", is_instant, "null or microseconds since the epoch"),
    )


def read_value(message: dict[str, Any], name: str, fits: Callable[[Any], bool], kind: str) -> Any:
    """Return one value of a message."""
    value = message.get(name)
    if not fits(value):
        message_id = message.get("id")
        raise BadMessage(
            "bad_message", f'"{name}" must be {kind}.', message_id if isinstance(message_id, str) else None
        )
    return value


def is_text(value: Any, max_chars: int) -> bool:
    return isinstance(value, str) and 0 < len(value) <= max_chars


def is_plan(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value <= MAX_PLAN_NUMBER


def is_selection(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) <= MAX_SELECTED_NODES
        and all(is_text(item, 100) for item in value)
    )


def is_instant(value: Any) -> bool:
    return value is None or (isinstance(value, int) and not isinstance(value, bool) and is_event_time(value))


def is_chart_width(value: Any) -> bool:
    return value is None or (
        isinstance(value, int)
        and not isinstance(value, bool)
        and MIN_CHART_PIXELS <= value <= MAX_CHART_PIXELS
    )


def is_time_range(value: Any) -> bool:
    if value is None:
        return True
    is_pair = (
        isinstance(value, list) and len(value) == 2 and None not in value and all(map(is_instant, value))
    )
    return is_pair and value[0] < value[1]


def is_row_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= MAX_RANKED_ROWS
