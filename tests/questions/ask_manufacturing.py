"""Manufacturing: availability of a shift, quality, pieces."""

from __future__ import annotations

from tests.questions.question import Asks, Happened
from tests.questions.slow import find_latest, group_by_key, list_spans

WORK = "Manufacturing and uptime"
DAY = 86_400


@Asks(
    "For what share of the shift, from 6 to 14 o'clock on working days, has the press run so far?",
    title="Availability within a shift",
    source="OEE: availability is run time over planned production time",
    words="oee, availability, shift, working hours, schedule, utilisation",
    plan="""
        stream press(key = press, time = at, unit = iso8601, id = id,
            fields = {running: bool}, allowed_lateness = 1h)
        shift_on = in_schedule(press, "06:00", "14:00", "mon-fri")
        runs = latest_event_to_state(press.running) and shift_on
        run_time = so_far(duration_where(runs), 1d)
        availability = run_time / so_far(duration_where(shift_on), 1d)
        results availability
    """,
    events="""
        2026-03-02T05:00 p1 running=true
        2026-03-02T07:00 p1 running=false
        2026-03-02T07:30 p2 running=true
        2026-03-02T09:00 p1 running=true
        2026-03-02T08:00 p1 running=true      # late
        2026-03-02T15:00 p1 running=false
        2026-03-02T12:00 p2 running=false     # late
        2026-03-03T05:30 p1 running=true
        2026-03-03T06:30 p1 running=false
        2026-03-03T07:00 p2 running=true
        2026-03-03T08:00 p1 running=true
    """,
    ends="2026-03-04T00:00",
)
def ask_availability(past: list[Happened], at: float) -> float | None:
    day = at // DAY * DAY
    begin, end = day + 6 * 3600, min(at, day + 14 * 3600)
    begin = max(begin, past[0].at)
    ran = sum(
        max(0.0, min(until, end) - max(since, begin))
        for running, since, until in list_spans(past, at, "running")
        if running
    )
    return ran / (end - begin) if end > begin else None


@Asks(
    "What share of the pieces of this shift, which begins when a worker signs in, was good?",
    title="Quality since the shift began",
    source="OEE: quality is good count over total count; Kaskada: since()",
    words="oee, quality, yield, scrap, reset, since",
    plan="""
        stream press(key = press, time = at, unit = iso8601, id = id,
            fields = {kind: text, good: bool}, allowed_lateness = 1h)
        good = since(event_count(press.good == true), press.kind == "signed in")
        all = since(event_count(press.kind == "piece"), press.kind == "signed in")
        quality = good / all
        results quality
    """,
    events="""
        06:00 p1 kind="signed in"
        06:10 p1 kind=piece good=true
        06:20 p1 kind=piece good=false
        06:30 p2 kind=piece good=true     # nobody has signed in yet
        06:40 p1 kind=piece good=true
        06:50 p2 kind="signed in"
        06:15 p1 kind=piece good=true     # late
        07:00 p2 kind=piece good=false
        14:00 p1 kind="signed in"
        14:10 p1 kind=piece good=false
        14:20 p1 kind=piece good=true
        07:10 p2 kind=piece good=true     # late
    """,
)
def ask_quality(past: list[Happened], at: float) -> float | None:
    good = pieces = 0
    for event in past:
        if event["kind"] == "signed in":
            good = pieces = 0
        else:
            good, pieces = good + event["good"], pieces + 1
    return good / pieces if pieces else None


@Asks(
    "How many pieces did each press make in the last complete hour?",
    title="Pieces of the last complete hour",
    source="Shop-floor boards: hour by hour",
    words="per hour, hourly, calendar, throughput, production count",
    plan="""
        stream press(key = press, time = at, unit = iso8601, id = id,
            fields = {made: number}, allowed_lateness = 1h)
        pieces = event_sum(press.made)
        last_hour = per(pieces, 1h)
        results last_hour
    """,
    events="""
        08:10 p1 made=5
        08:20 p2 made=3
        08:40 p1 made=4
        09:00 p1 made=7     # belongs to the hour that begins
        09:30 p2 made=1
        08:59 p2 made=2     # late
        09:59 p1 made=1
        10:20 p1 made=6
        11:05 p2 made=4
        10:50 p2 made=9     # late
        11:30 p1 made=1
    """,
    ends="12:00",
)
def ask_last_hour(past: list[Happened], at: float) -> float | None:
    hour = at // 3600 * 3600
    if past[0].at >= hour:
        return None
    return float(sum(event["made"] for event in past if hour - 3600 <= event.at < hour))


@Asks(
    "How many machines of each line are running now?",
    title="Machines that run, by line",
    source="Shop-floor boards; OEE dashboards",
    words="count by group, how many, now, line, status board",
    plan="""
        stream machine(key = machine, time = at, unit = iso8601, id = id,
            fields = {state: text, line: text}, allowed_lateness = 1h)
        runs = latest_event_to_state(machine.state) == "run"
        running = aggregate(runs, count, by = latest_event_to_state(machine.line))
        results running
    """,
    events="""
        08:00 m1 state=run line=A
        08:01 m2 state=run line=A
        08:02 m3 state=stop line=B
        08:10 m1 state=stop
        08:20 m3 state=run
        08:05 m2 state=stop         # late
        08:30 m1 state=run line=B   # moved to the other line
        08:15 m2 state=run          # late
        08:40 m4 state=run
        08:50 m4 line=B
        09:00 m3 state=stop
    """,
    by_group=True,
)
def ask_running(past: list[Happened], at: float) -> dict[str, int]:
    running = {event["line"]: 0 for event in past if event["line"]}
    for own in group_by_key(past).values():
        if (line := find_latest(own, "line")) and find_latest(own, "state") == "run":
            running[line] += 1
    return running
