"""The chart types of dashboards, declared once.

The server checks documents by them. `docs/api_types.py` writes them as TypeScript, from which the page's form, its
grid and its charts follow.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Subject = Literal["key", "keys", "nothing"]
"""What a chart shows of a node: one key (or group), many, or nothing, because it has no node."""
DefaultFor = Literal["states", "number", "groups", "sequence"]
"""The nodes for which a chart is proposed: with states, numbers of keys, numbers of groups, or sequences."""
Cells = tuple[int, int]


@dataclass(frozen=True, slots=True)
class ChartType:
    """A chart type; sizes are width and height in cells of the grid."""

    title: str
    meaning: str
    subject: Subject
    size: Cells
    least: Cells
    options: tuple[str, ...] = ()
    most: int = 0
    """The largest number of groups or keys, where `top` is an option."""
    needs_number: bool = False
    needs_operator: str = ""
    """The only operator whose nodes it shows; "": any."""
    default_for: tuple[DefaultFor, ...] = ()


CHART_TYPES: dict[str, ChartType] = {
    "lane": ChartType(
        title="Lane",
        meaning="the states of one key as coloured spans",
        subject="key",
        size=(12, 3),
        least=(3, 2),
        options=("unit", "repeat"),
        default_for=("states",),
    ),
    "line": ChartType(
        title="Line",
        meaning="a number of one key or group over time",
        subject="key",
        size=(6, 6),
        least=(3, 3),
        options=("unit", "low", "high", "repeat"),
        needs_number=True,
        default_for=("number",),
    ),
    "number": ChartType(
        title="Single number",
        meaning="one value in large digits with its change",
        subject="key",
        size=(3, 3),
        least=(2, 2),
        options=("unit", "change", "repeat"),
    ),
    "gauge": ChartType(
        title="Gauge",
        meaning="a number between two bounds",
        subject="key",
        size=(3, 4),
        least=(2, 3),
        options=("unit", "low", "high", "repeat"),
        needs_number=True,
    ),
    "lines": ChartType(
        title="Lines by group",
        meaning="a line for each of the top groups",
        subject="keys",
        size=(6, 6),
        least=(3, 3),
        options=("unit", "low", "high", "top", "order"),
        most=10,
        needs_number=True,
        default_for=("groups",),
    ),
    "stack": ChartType(
        title="Stacked area by group",
        meaning="the top groups, stacked: for sums, not for averages",
        subject="keys",
        size=(6, 6),
        least=(3, 3),
        options=("unit", "low", "high", "top", "order"),
        most=10,
        needs_number=True,
    ),
    "bars": ChartType(
        title="Bars by group",
        meaning="a bar for each of the top groups now",
        subject="keys",
        size=(6, 6),
        least=(3, 3),
        options=("unit", "top", "order"),
        most=50,
        needs_number=True,
    ),
    "table": ChartType(
        title="Table of keys",
        meaning="the top keys, sorted by value",
        subject="keys",
        size=(4, 8),
        least=(3, 3),
        options=("unit", "top", "order", "sparkline"),
        most=50,
    ),
    "states": ChartType(
        title="All keys",
        meaning="a row for each key over time",
        subject="keys",
        size=(12, 8),
        least=(4, 3),
        options=("unit", "sort", "state"),
    ),
    "heat": ChartType(
        title="Heat map",
        meaning="a row for each key over time, darker where the number is greater",
        subject="keys",
        size=(12, 8),
        least=(4, 3),
        options=("unit", "sort"),
        needs_number=True,
    ),
    "grid": ChartType(
        title="Status grid",
        meaning="a cell for each key in the colour of its value now",
        subject="keys",
        size=(6, 5),
        least=(2, 2),
        options=("unit", "sort"),
    ),
    "changes": ChartType(
        title="Event log",
        meaning="the newest changes of all keys, one below the other",
        subject="keys",
        size=(4, 8),
        least=(3, 3),
        options=("unit",),
    ),
    "histogram": ChartType(
        title="Histogram",
        meaning="how many keys have which value now",
        subject="keys",
        size=(6, 5),
        least=(3, 3),
        options=("unit",),
    ),
    "funnel": ChartType(
        title="Funnel",
        meaning="how many keys reached each step of a sequence",
        subject="keys",
        size=(6, 6),
        least=(3, 3),
        options=("count",),
        needs_operator="sequence",
        default_for=("sequence",),
    ),
    "incidents": ChartType(
        title="Incidents",
        meaning="incidents of one alert or all, firing first",
        subject="nothing",
        size=(6, 6),
        least=(3, 3),
        options=("alert", "severity", "incident_state"),
    ),
    "alert_keys": ChartType(
        title="Status of an alert",
        meaning="a cell for each key of an alert: firing, pending or resolved",
        subject="nothing",
        size=(6, 5),
        least=(2, 2),
        options=("alert",),
    ),
    "repair_time": ChartType(
        title="Time to resolve",
        meaning="how long incidents took on average until they ended, or were acknowledged",
        subject="nothing",
        size=(3, 3),
        least=(2, 2),
        options=("alert", "severity", "measure"),
    ),
    "text": ChartType(
        title="Text",
        meaning="your own words, in Markdown",
        subject="nothing",
        size=(4, 4),
        least=(2, 1),
        options=("text",),
    ),
}
OPTIONS: frozenset[str] = frozenset(option for one in CHART_TYPES.values() for option in one.options)


def select_options(chart: dict[str, object]) -> dict[str, object]:
    """Return a chart without the options that its type does not have."""
    own = CHART_TYPES[str(chart["type"])].options
    return {name: value for name, value in chart.items() if name in own or name not in OPTIONS}


def describe_missing(chart: dict[str, object]) -> dict[str, str]:
    """Return what a chart needs and lacks, by field."""
    low, high = chart.get("low"), chart.get("high")
    if isinstance(low, float) and isinstance(high, float) and low >= high:
        return {"high": f"The scale ends at {high:g}, and begins at {low:g}. Give a greater number."}
    if chart["type"] == "text":
        return {} if chart.get("text") else {"text": "A text chart needs words."}
    if chart["type"] == "alert_keys":
        return {} if chart.get("alert") else {"alert": "Give the number of an alert."}
    if CHART_TYPES[str(chart["type"])].subject == "nothing":
        return {}
    needed = {"plan": "Give the number of a plan.", "node": "Give the name of a node of the plan."}
    return {name: text for name, text in needed.items() if not chart[name]}
