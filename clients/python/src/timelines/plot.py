"""Timelines as Plotly figures that hide nothing: unknown is hatched, what is provisional is seen to be."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from timelines.timeline import Span, Timeline, Value
from timelines.times import Time, moment

try:
    import plotly.graph_objects as go
except ImportError as why:
    raise ImportError("plot() needs Plotly: pip install timelines-client[plot]") from why

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

UNKNOWN = "#9aa0a6"
BOOLS = {True: "#1b7f5c", False: "#c9ced6"}
PALETTE = ("#3266c2", "#b85c00", "#7b4fb5", "#0b7285", "#a3336f", "#5c6b00", "#8a4b2a", "#4a5568")
"""A value has the same colour everywhere, told by the value alone."""


def build_figure(timeline: Timeline, start: Time | None = None, end: Time | None = None) -> Figure:
    """Spans of bools and texts, lines of numbers and ratios."""
    spans = list(timeline.spans(start, end))
    drawn = (
        build_state_bars(timeline, spans) if timeline.kind in ("bool", "text") else build_number_lines(spans)
    )
    figure = go.Figure(drawn)
    low, high = timeline.window(start, end)
    figure.update_xaxes(type="date", range=[moment(low), moment(high)])
    figure.update_layout(
        title=escape_text(timeline.key),
        barmode="overlay",
        template="plotly_white",
        height=220 + 140 * (not is_strip(timeline)),
    )
    if timeline.final_until is not None and low < timeline.final_until < high:
        figure.add_vline(x=moment(timeline.final_until), line_dash="dot", line_color=UNKNOWN)
    return figure


def is_strip(timeline: Timeline) -> bool:
    """Whether a strip is enough."""
    return timeline.kind in ("bool", "text")


def build_state_bars(timeline: Timeline, spans: Sequence[Span]) -> list[Any]:
    """A bar for each span; one entry of the legend for each value, final and provisional."""
    groups: dict[tuple[str, bool], list[Span]] = {}
    for span in spans:
        groups.setdefault((repr(span.value), span.provisional), []).append(span)
    return [
        build_bars(timeline, spans_of_value, provisional)
        for (_, provisional), spans_of_value in sorted(groups.items())
    ]


def build_bars(timeline: Timeline, spans: Sequence[Span], provisional: bool) -> Any:
    """The bars of one value."""
    value = spans[0].value
    pattern = "x" if value is None else "/" if provisional else ""
    marker = {
        "color": choose_colour(value),
        "pattern": {"shape": pattern, "fgopacity": 0.5},
        "line": {"width": 0},
    }
    return go.Bar(
        name=escape_text(format_value(value)) + (" (provisional)" if provisional else ""),
        orientation="h",
        y=[escape_text(timeline.key)] * len(spans),
        base=[moment(span.start) for span in spans],
        x=[(span.end - span.start) / 1000 for span in spans],
        marker=marker,
        opacity=0.55 if provisional else 1.0,
        customdata=[[f"{span.seconds:,.3f} s", moment(span.start), moment(span.end)] for span in spans],
        hovertemplate="%{customdata[1]} – %{customdata[2]}<br>%{customdata[0]}<extra>%{fullData.name}</extra>",
    )


def build_number_lines(spans: Sequence[Span]) -> list[Any]:
    """A line with its real slope, dotted where it is provisional, and a hatched stretch where it is unknown."""
    numbers = [span for span in spans if isinstance(span.value, int | float)]
    drawn: list[Any] = []
    for provisional in (False, True):
        x: list[Any] = []
        y: list[Value] = []
        for span in numbers:
            if span.provisional is provisional:
                x += [moment(span.start), moment(span.end), None]
                y += [span.value, span.last, None]
        if x:
            line = {"color": PALETTE[0], "dash": "dot" if provisional else "solid"}
            name = "provisional" if provisional else "final"
            drawn.append(go.Scatter(x=x, y=y, mode="lines", line=line, name=name))
    heights = [
        float(number)
        for span in numbers
        for number in (span.value, span.last)
        if isinstance(number, int | float)
    ]
    low, high = (min(heights), max(heights)) if heights else (0.0, 1.0)
    high = high if high > low else low + 1.0
    return drawn + [build_hatching(span, low, high) for span in spans if span.value is None]


def build_hatching(span: Span, low: float, high: float) -> Any:
    """A stretch of which nothing is known."""
    start, end = moment(span.start), moment(span.end)
    return go.Scatter(
        x=[start, start, end, end],
        y=[low, high, high, low],
        fill="toself",
        mode="none",
        fillcolor="rgba(154, 160, 166, 0.15)",
        fillpattern={"shape": "x", "fgcolor": UNKNOWN},
        name="unknown",
        showlegend=False,
    )


def choose_colour(value: Value) -> str:
    """The colour of a state."""
    if value is None:
        return UNKNOWN
    if isinstance(value, bool):
        return BOOLS[value]
    return PALETTE[blake2b(str(value).encode(), digest_size=1).digest()[0] % len(PALETTE)]


def escape_text(text: str) -> str:
    """A text as Plotly is to be told it: it reads tags and entities as markup, and what stands between $ as TeX.

    >>> literal("a<b & $c")
    'a&lt;b &amp; &#36;c'
    """
    for sign, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("$", "&#36;")):
        text = text.replace(sign, entity)
    return text


def format_value(value: Value) -> str:
    """A value in words."""
    return "unknown" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
