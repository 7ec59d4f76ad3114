"""The figures of the operators' examples, in Plotly's JSON: rows on one axis of seconds, the result at the bottom."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from docs.operators_examples import SECOND, Lane, Point, Shown, format_seconds, format_value
from docs.page_colours import LIGHT, VALUES, VARIABLES, colour_texts, pair_colours
from timeline_app.algebra.events import ARRIVAL

Spec = dict[str, Any]
Pieces = Iterator[tuple[Point, float, float]]

WIDTH, LEFT, RIGHT, TOP, BOTTOM, GAP = 780, 170, 52, 12, 40, 14
EVENTS, UNLABELLED, ROW, NUMBER = 42, 24, 30, 78
LABEL, LEVEL = 6.4, 14
"""The width of a letter of a label, the height of a line of labels; two lines find room in a row of `EVENTS`."""
LETTER = 0.56
"""The width of a letter of a span, by the size of its type."""
TICKS, MAX_TICKS = (1, 2, 5, 10, 15, 30, 60), 18
"""Seconds between two ticks, and how many ticks are drawn at most."""
FAR = 10
"""What changes so many times later than the last event is left out."""
INK, FAINT, RULE, WASH, GROUND = (
    VARIABLES[name][0] for name in ("ink", "faint", "rule", "accent-wash", "surface")
)
TRUE, FALSE, UNKNOWN, LINE = (str(LIGHT[name]) for name in ("yes", "no", "unknown", "line"))
DARK_INK, LIGHT_INK = "#1b232d", "#fefefe"
"""What is written on the colour of a value: each a colour of its own, since in the dark theme both are dark."""
OTHERS, DASHES = (LINE, VALUES[2], VALUES[5]), ("solid", "dash", "dot")
DARK = pair_colours() | dict.fromkeys((DARK_INK, LIGHT_INK), VARIABLES["ground"][1])
"""Each colour of a picture as it is in the page's dark theme."""
FONT = "system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif"


@dataclass(frozen=True)
class Axis:
    """Where the axis of time ends, in seconds; its ticks; whether events are labelled with their fields."""

    end: float
    ticks: Spec
    labelled: bool = True


def build_figure(example: Shown, axis: Axis | None = None) -> Spec:
    """The figure of an example in Plotly's JSON: a row of events, one for each input, one for the result."""
    axis = axis or Axis(_end(example), {"dtick": _tick(_end(example)), "ticksuffix": " s"})
    end = axis.end
    keys = list(dict.fromkeys(event["key"] for event in example.events))
    labels = place_labels(example.events, (WIDTH - LEFT - RIGHT) / end) if axis.labelled else []
    events = EVENTS + LEVEL * max(0, max(label.level for label in labels) - 1) if labels else UNLABELLED
    heights = [len(keys) * events, *(_compute_height(lane) for lane in example.lanes)]
    height = TOP + sum(heights) + GAP * (len(heights) - 1) + BOTTOM
    domains = _compute_domains(heights, height - TOP - BOTTOM)
    colours = _Colours(_iterate_texts(example.lanes))
    data = [_build_event_ticks(example.events, keys, labels, events if labels else EVENTS)]
    axes = {"yaxis": _build_rows_axis(domains[0], keys)}
    notes = [_build_title("events", "", domains[0], len(keys), result=False)]
    for place, lane in enumerate(example.lanes, 2):
        result, domain = lane is example.lanes[-1], domains[place - 1]
        draw = _build_lines if lane.kind == "number" else _build_spans
        traces, axes[f"yaxis{place}"] = draw(lane, end, domain, colours)
        if axis.labelled:
            traces = [_fit_text(trace, (WIDTH - LEFT - RIGHT) / end) for trace in traces]
        data += [{**trace, "yaxis": f"y{place}"} for trace in traces]
        notes.append(_build_title(lane.node, lane.kind, domain, len(lane.keys), result=result))
    layout = {
        "width": WIDTH, "height": height, "showlegend": False, "barmode": "overlay", "paper_bgcolor": GROUND,
        "plot_bgcolor": "rgba(0,0,0,0)", "margin": {"l": LEFT, "r": RIGHT, "t": TOP, "b": BOTTOM, "pad": 0},
        "font": {"family": FONT, "size": 12, "color": INK}, "annotations": notes, "xaxis": _time_axis(axis),
        "shapes": [_build_background(domains[-1], height)], "uniformtext": {"minsize": 10, "mode": "hide"}, **axes,
    }  # fmt: skip
    return {"data": data, "layout": layout}


def _end(example: Shown) -> float:
    """Where the axis ends: a little after the last thing that happens."""
    points = [point for lane in example.lanes for points in lane.keys.values() for point in points]
    last = max(event["t"] for event in example.events)
    times = [point["t"] / SECOND for point in points if point["t"] is not None]
    return float(int(max([last, *(time for time in times if time <= last * FAR)])) + 2)


def _tick(end: float) -> int:
    """Seconds between two ticks, so that they can be read."""
    return next(step for step in TICKS if end / step <= MAX_TICKS)


def _compute_height(lane: Lane) -> int:
    return NUMBER if lane.kind == "number" else ROW * len(lane.keys)


def _compute_domains(heights: Sequence[int], total: int) -> list[tuple[float, float]]:
    items, top = [], float(total)
    for height in heights:
        items.append(((top - height) / total, top / total))
        top -= height + GAP
    return items


class _Colours:
    """The colour of each value of a picture, as the page has it."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = colour_texts(texts)

    def find_colour(self, value: Any) -> str:
        if value is None or isinstance(value, bool):
            return {None: GROUND, True: TRUE, False: FALSE}[value]
        return self._texts[str(value)]

    def find_known(self, text: str) -> str | None:
        """The colour of a text that is told by a span as well, as that of a group."""
        return self._texts.get(text)


def _iterate_texts(lanes: Sequence[Lane]) -> Iterator[str]:
    """The texts that are told by spans."""
    for lane in lanes:
        if lane.kind != "number":
            values = (point["value"] for points in lane.keys.values() for point in points)
            yield from (value for value in values if isinstance(value, str))


def _cut_pieces(points: Sequence[Point], end: float) -> Pieces:
    """Each piece with its beginning and end in seconds, cut at the ends of the axis."""
    starts = [0.0 if point["t"] is None else point["t"] / SECOND for point in points]
    for point, start, stop in zip(points, starts, [*starts[1:], end], strict=True):
        if stop > start:
            yield point, start, stop


@dataclass(frozen=True)
class Label:
    """What is written at an event: from where to where in pixels of its row, and how many lines above the tick."""

    text: str
    start: float
    end: float
    level: int


def _build_event_ticks(
    events: Sequence[Mapping[str, Any]], keys: Sequence[str], labels: Sequence[Label], height: float
) -> Spec:
    """One tick for each event, its label above; a row of a key is so many pixels high."""
    rows = {key: len(keys) - (1 - 0.16 * EVENTS / height) - place for place, key in enumerate(keys)}
    texts = [label.text + "<br> " * label.level for label in labels] or [""] * len(events)
    style = {"symbol": "line-ns-open", "size": 9, "line": {"width": 2, "color": INK}, "color": INK}
    return {
        "type": "scatter", "mode": "markers+text", "x": [event["t"] for event in events],
        "y": [rows[event["key"]] for event in events], "text": texts, "textposition": "top right",
        "textfont": {"size": 11, "color": FAINT}, "cliponaxis": False, "marker": style,
    }  # fmt: skip


def place_labels(events: Sequence[Mapping[str, Any]], second: float) -> list[Label]:
    """The fields of each event, each on the lowest line on which it runs into no other; a second is so many pixels."""
    labels: list[Label] = []
    taken: dict[tuple[str, int], float] = {}
    for event in reversed(events):
        text = ", ".join(_format_field(*item) for item in event.items() if item[0] not in ("key", "t"))
        start = event["t"] * second
        end = start + LABEL * (len(text) + 1)
        level = next(
            level for level in range(len(events)) if end <= taken.get((event["key"], level), math.inf)
        )
        taken[event["key"], level] = start
        labels.append(Label(text, start, end, level))
    return labels[::-1]


def _format_field(name: str, value: Any) -> str:
    """A field of an event; when it arrived in seconds, as on the axis."""
    return f"arrived {format_seconds(value)} s" if name == ARRIVAL else f"{name} {format_value(value)}"


def _build_spans(
    lane: Lane, end: float, domain: tuple[float, float], colours: _Colours
) -> tuple[list[Spec], Spec]:
    """Bars, one row for each key; what is unknown is hatched."""
    rows = list(lane.keys)
    traces = []
    for row, key in enumerate(rows):
        for point, start, stop in _cut_pieces(lane.keys[key], end):
            value = point["value"]
            traces.append(
                _build_bar(value, (start, stop), len(rows) - row - 0.5, 0.86, colours.find_colour(value))
            )
    return traces, _build_rows_axis(domain, rows)


def _build_bar(
    value: Any, span: tuple[float, float], row: float, thick: float, colour: str, text: str | None = None
) -> Spec:
    hatch = {"shape": "/", "fgcolor": UNKNOWN, "bgcolor": GROUND, "size": 6, "solidity": 0.22}
    shape = {"pattern": hatch} if value is None else {}
    return {
        "type": "bar", "orientation": "h", "base": [span[0]], "x": [span[1] - span[0]], "y": [row], "width": [thick],
        "marker": {"color": colour, "line": {"width": 1 if value is None else 0, "color": UNKNOWN}, **shape},
        "text": ["" if value is None else format_value(value) if text is None else text], "textposition": "inside",
        "insidetextanchor": "middle", "textangle": 0, "constraintext": "none",
        "textfont": {"color": _choose_ink(colour), "size": 12},
    }  # fmt: skip


def _fit_text(bar: Spec, second: float) -> Spec:
    """With a smaller type where its text would leave the bar; a second is so many pixels."""
    if bar["type"] != "bar" or bar["text"] == [""]:
        return bar
    [text], [length] = bar["text"], bar["x"]
    size = int(length * second / (LETTER * max(1, len(text))))
    return {**bar, "textfont": {**bar["textfont"], "size": max(10, min(12, size))}}


def _choose_ink(colour: str) -> str:
    """Black or white, whichever is read better."""
    if colour in (GROUND, FALSE):
        return INK
    red, green, blue = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    return DARK_INK if 0.2126 * red**2.2 + 0.7152 * green**2.2 + 0.0722 * blue**2.2 > 0.22 else LIGHT_INK


def _build_lines(
    lane: Lane, end: float, domain: tuple[float, float], colours: _Colours
) -> tuple[list[Spec], Spec]:
    """Numbers with their real slopes; one line for each key, dashed from the second on."""
    sampled = {key: _sample_lines(points, end) for key, points in lane.keys.items()}
    known = [value for _, values in sampled.values() for value in values if value is not None]
    low, high = min(known, default=0.0), max(known, default=1.0)
    room = (high - low or 1.0) * (0.18 if len(sampled) == 1 else 0.3)
    low, high = low - room, high + room
    traces = []
    if len(sampled) == 1:
        [points] = lane.keys.values()
        unknown = [
            (start, stop)
            for point, start, stop in _cut_pieces(points, end)
            if _compute_value(point, 0) is None
        ]
        traces = [_build_bar(None, span, (low + high) / 2, high - low, GROUND) for span in unknown]
    for place, (key, corners) in enumerate(sampled.items()):
        name = key if len(sampled) > 1 else ""
        traces.append(
            _build_line(name, *corners, colours.find_known(key) or OTHERS[place % 3], DASHES[place % 3])
        )
    ticks = {
        "showticklabels": True, "side": "right", "nticks": 4, "tickfont": {"size": 11, "color": FAINT},
        "ticks": "outside", "ticklen": 6, "tickcolor": "rgba(0,0,0,0)", "showgrid": True, "gridcolor": RULE,
    }  # fmt: skip
    return traces, {**_build_axis(domain, (low, high)), **ticks}


def _build_line(key: str, times: list[float], values: list[float | None], colour: str, dash: str) -> Spec:
    last = max((index for index, value in enumerate(values) if value is not None), default=0)
    return {
        "type": "scatter", "mode": "lines+text", "x": times, "y": values, "connectgaps": False, "cliponaxis": False,
        "line": {"color": colour, "width": 2.2, "dash": dash, "simplify": False}, "textposition": "top left",
        "text": [key if index == last else "" for index in range(len(times))],
        "textfont": {"color": colour, "size": 12},
    }  # fmt: skip


def _sample_lines(points: Sequence[Point], end: float) -> tuple[list[float], list[float | None]]:
    """The corners of the lines; of a ratio, which is a curve, many points."""
    times: list[float] = []
    values: list[float | None] = []
    for point, start, stop in _cut_pieces(points, end):
        steps = 40 if point.get("num") else 1
        moments = [start + (stop - start) * step / steps for step in range(steps + 1)]
        times += moments
        values += [_compute_value(point, moment - start) for moment in moments]
    return times, values


def _compute_value(point: Point, after: float) -> float | None:
    """The value some seconds after the beginning of a piece."""
    if point.get("num") is not None:
        over, under = (float(point[part]["value"] + point[part]["slope"] * after) for part in ("num", "den"))
        return over / under if under else None
    return None if point.get("value") is None else float(point["value"] + point["slope"] * after)


def _build_axis(domain: tuple[float, float], span: tuple[float, float]) -> Spec:
    return {
        "domain": list(domain), "range": list(span), "anchor": "x", "zeroline": False, "showline": False, "ticks": "",
        "fixedrange": True,
    }  # fmt: skip


def _build_rows_axis(domain: tuple[float, float], rows: Sequence[str]) -> Spec:
    several = len(rows) > 1
    middles = [len(rows) - row - 0.5 for row in range(len(rows))]
    font = {"size": 11, "color": FAINT}
    labels = {"tickvals": middles, "ticktext": list(rows), "ticklabelstandoff": 5, "tickfont": font}
    return {**_build_axis(domain, (0, len(rows))), "showgrid": False, "showticklabels": several, **labels}


def _time_axis(axis: Axis) -> Spec:
    return {
        "range": [0, axis.end], "anchor": "free", "position": 0, "gridcolor": RULE, "zeroline": False,
        "showline": False, "ticks": "", "tickfont": {"size": 11, "color": FAINT},
        "fixedrange": True, "layer": "below traces", **axis.ticks,
    }  # fmt: skip


def _build_title(name: str, kind: str, domain: tuple[float, float], keys: int, *, result: bool) -> Spec:
    told_kind = f"<br><span style='font-size:10px;color:{FAINT}'>{kind}</span>" if kind else ""
    return {
        "xref": "paper", "x": 0, "yref": "paper", "y": sum(domain) / 2, "xanchor": "right", "yanchor": "middle",
        "xshift": -34 if keys > 1 and kind != "number" else -10, "showarrow": False, "align": "right",
        "text": f"{f'<b>{name}</b>' if result else name}{told_kind}",
    }  # fmt: skip


def _build_background(domain: tuple[float, float], height: int) -> Spec:
    room = 6 / (height - TOP - BOTTOM)
    return {
        "type": "rect", "xref": "paper", "yref": "paper", "layer": "below", "line": {"width": 0}, "fillcolor": WASH,
        "x0": -(LEFT - 6) / (WIDTH - LEFT - RIGHT), "x1": 1 + (RIGHT - 6) / (WIDTH - LEFT - RIGHT),
        "y0": domain[0] - room, "y1": domain[1] + room,
    }  # fmt: skip
