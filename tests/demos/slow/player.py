"""Connection-induced rebuffering: the seconds between `buffer` and the next state, less what lies behind a seek."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

from tests.demos.slow.reading import SECOND, Answers, Event, Line, list_values, read

CALM = 5 * SECOND
FOREVER = 10**18
Span = tuple[int, int]


def compute_answers(text: str) -> Answers:
    """Of every session, and of every CDN."""
    sessions = read(text, "session_id")
    spans = {name: find_rebuffering(events) for name, events in sessions.items()}
    cdns = {name: list_cdn_stays(events) for name, events in sessions.items()}
    return {
        "cirr": {name: build_lines(span) for name, span in spans.items()},
        "cirr_by_cdn": {
            cdn: sum_over_cdn(cdn, spans, cdns)
            for cdn in sorted({item for c in cdns.values() for *_, item in c})
        },
    }


def find_rebuffering(events: list[Event]) -> list[Span]:
    """From when to when a session rebuffered."""
    states = list_values(events, "player_state")
    plays = [time for time, state in states if state == "play"]
    seeks = [event["t"] for event in events if event.get("user_action") == "seek"]
    spans: list[Span] = []
    for index, (start, state) in enumerate(states):
        if state != "buffer" or not plays:
            continue
        end = states[index + 1][0] if index + 1 < len(states) else FOREVER
        spans += subtract_seeks([(max(start, plays[0]), end)], seeks)
    return [(start, end) for start, end in spans if start < end]


def subtract_seeks(spans: list[Span], seeks: list[int]) -> list[Span]:
    """Spans less the five seconds after each seek."""
    for seek in seeks:
        cut = [(start, min(end, seek)) for start, end in spans]
        cut += [(max(start, seek + CALM), end) for start, end in spans]
        spans = sorted((start, end) for start, end in cut if start < end)
    return spans


def build_lines(spans: list[Span]) -> list[Line]:
    """Climbing by a second a second in the spans, level between them."""
    lines: list[Line] = [(None, Fraction(0), 0)]
    spent = 0
    for start, end in spans:
        lines.append((start, Fraction(spent, SECOND), 1))
        spent += end - start
        if end < FOREVER:
            lines.append((end, Fraction(spent, SECOND), 0))
    return lines


def list_cdn_stays(events: list[Event]) -> list[tuple[int, int, str]]:
    """From when to when a session was on which CDN."""
    cdns = list_values(events, "cdn")
    ends = [time for time, _ in cdns[1:]] + [FOREVER]
    return [(start, end, cdn) for (start, cdn), end in zip(cdns, ends, strict=True)]


def sum_over_cdn(
    cdn: str, spans: dict[str, list[Span]], cdns: dict[str, list[tuple[int, int, str]]]
) -> list[Line]:
    """The seconds of all sessions that are on a CDN: `offset + slope · now`, which changes at instants."""
    offset: Counter[int] = Counter()
    slope: Counter[int] = Counter()
    for name, stays in cdns.items():
        for enter, leave in ((enter, leave) for enter, leave, where in stays if where == cdn):
            earlier = sum(min(end, enter) - start for start, end in spans[name] if start < enter)
            offset[enter] += earlier
            offset[leave] -= earlier + sum(
                min(end, leave) - max(start, enter)
                for start, end in spans[name]
                if start < leave and end > enter
            )
            for start, end in spans[name]:
                first, last = max(start, enter), min(end, leave)
                if first < last:
                    slope[first] += 1
                    offset[first] -= first
                    slope[last] -= 1
                    offset[last] += last
    return draw_lines(offset, slope)


def draw_lines(offset: Counter[int], slope: Counter[int]) -> list[Line]:
    """The line that these changes make, told only where it bends or jumps."""
    lines: list[Line] = [(None, Fraction(0), 0)]
    base = climb = 0
    for now in sorted(offset.keys() | slope.keys()):
        if now == FOREVER or offset[now] == slope[now] == 0:
            continue
        base, climb = base + offset[now], climb + slope[now]
        lines.append((now, Fraction(base + climb * now, SECOND), climb))
    return lines
