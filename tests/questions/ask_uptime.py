"""Uptime: failures, repairs, and stops that were planned or that overlap."""

from __future__ import annotations

from itertools import pairwise

from tests.questions.question import Asks, Happened, convert_to_seconds
from tests.questions.slow import count_seconds_where, find_latest

WORK = "Manufacturing and uptime"
DAY = 86_400


@Asks(
    "What is the mean time between failures of each machine, counting the time that it ran?",
    title="Mean time between failures",
    source="MTBF as maintenance engineers define it",
    words="mtbf, reliability, failures, mean time",
    plan="""
        stream machine(key = machine, time = at, unit = iso8601, id = id,
            fields = {state: text}, allowed_lateness = 1h)
        state = latest_event_to_state(machine.state)
        run_time = duration_where(state == "run")
        failures = changed_to(state, "failed")
        mtbf = run_time / failures
        results mtbf
    """,
    events="""
        08:00 m1 state=run
        08:05 m2 state=run
        09:00 m1 state=failed
        09:30 m1 state=run
        10:00 m2 state=idle
        10:15 m1 state=failed
        10:20 m1 state=failed   # the same failure
        09:45 m2 state=failed   # late
        10:30 m1 state=run
        11:00 m2 state=run
        12:00 m1 state=failed
        11:30 m1 state=idle     # late
    """,
)
def ask_mtbf(past: list[Happened], at: float) -> float | None:
    failures, before = 0, None
    for event in past:
        failures += event["state"] == "failed" != before
        before = event["state"]
    return (
        count_seconds_where(past, at, lambda event: event["state"] == "run") / failures if failures else None
    )


@Asks(
    "How long does a repair take on average?",
    title="Mean time to repair",
    source="MTTR as maintenance engineers define it",
    words="mttr, repair, restore, downtime, mean time",
    plan="""
        stream machine(key = machine, time = at, unit = iso8601, id = id,
            fields = {state: text}, allowed_lateness = 1h)
        failed = latest_event_to_state(machine.state) == "failed"
        down_time = value_at(duration_where(failed), when = not failed)
        repair = sequence(steps = {failed: machine.state == "failed", repaired: machine.state != "failed"})
        mttr = down_time / sequence_count(repair, completed)
        results mttr
    """,
    events="""
        08:00 m1 state=run
        08:05 m2 state=run
        09:00 m1 state=failed
        09:30 m1 state=run
        10:00 m2 state=failed
        10:15 m1 state=failed
        10:25 m1 state=idle
        10:10 m2 state=run      # late
        10:30 m1 state=run
        11:00 m2 state=failed
        10:20 m1 state=failed   # late, and nothing new
        11:45 m2 state=run
    """,
)
def ask_mttr(past: list[Happened], at: float) -> float | None:
    repairs: list[float] = []
    since: float | None = None
    for event in past:
        if event["state"] == "failed":
            since = event.at if since is None else since
        elif since is not None:
            repairs.append(event.at - since)
            since = None
    return sum(repairs) / len(repairs) if repairs else None


@Asks(
    "For what share of the last 30 days was a service up, planned maintenance left out?",
    title="Uptime without planned stops",
    source="Prometheus 5438, Sloth 529, uptime-kuma 5590",
    words="uptime, sla, planned downtime, maintenance window, availability",
    plan="""
        stream probe(key = service, time = at, unit = iso8601, id = id,
            fields = {up: bool}, allowed_lateness = 1h)
        stream stop(key = service, time = at, until = end, unit = iso8601, id = id,
            fields = {}, allowed_lateness = 1h)
        expected = not is_during(stop)
        # Unknown while a stop is planned: such time does not count.
        up = when(expected, latest_event_to_state(probe.up))
        uptime = mean_within(up, 30d)
        results uptime
    """,
    events="""
        probe 08:00 web up=true
        probe 08:00 db up=true
        stop 09:00 web end=09:30
        probe 09:10 web up=false
        probe 09:40 web up=true
        probe 10:00 db up=false
        stop 09:50 db end=11:00    # late
        stop 10:20 web end=10:40
        stop 10:30 web end=10:50   # two that overlap
        probe 10:35 web up=false
        probe 11:00 web up=true
        probe 11:20 db up=true
        probe 11:10 db up=false    # late
    """,
)
def ask_uptime(past: list[Happened], at: float) -> float | None:
    begin, known, up = at - 30 * DAY, 0.0, 0.0
    stops = [event for event in past if event.stream == "stop"]
    ends = [end for event in stops if (end := convert_to_seconds(event["end"])) < at]
    for since, until in pairwise(sorted({*(event.at for event in past), *ends, at})):
        state = find_latest([event for event in past if event.at <= since], "up")
        if (
            not any(stop.at <= since < convert_to_seconds(stop["end"]) for stop in stops)
            and state is not None
        ):
            length = max(0.0, until - max(since, begin))
            known, up = known + length, up + length * state
    return up / known if known else None


@Asks(
    "For how long has a machine been stopped, when its stops come as rows with a beginning and an end and overlap?",
    title="Downtime from overlapping stops",
    source="OEE-Designer 9; upptime 287",
    words="union of intervals, overlap, start and end, downtime",
    plan="""
        stream stops(key = machine, time = begin, until = end, unit = iso8601, id = id,
            fields = {reason: text}, allowed_lateness = 1h)
        stopped = is_during(stops)
        downtime = duration_where(stopped)
        results downtime
    """,
    events="""
        08:00 A end=09:00 reason=tool
        08:10 A end=08:50 reason=staff
        08:30 B end=08:31 reason=tool
        08:55 A end=09:20 reason=tool
        09:20 A end=09:25 reason=staff
        09:40 B end=10:40 reason=power
        09:50 B end=10:50 reason=tool
        08:45 B end=09:45 reason=staff   # late
        10:00 A end=10:30 reason=power
        10:05 A end=10:10 reason=power
    """,
)
def ask_downtime(past: list[Happened], at: float) -> float:
    downtime, reached = 0.0, float("-inf")
    for event in past:
        end = min(convert_to_seconds(event["end"]), at)
        downtime += max(0.0, end - max(event.at, reached))
        reached = max(reached, end)
    return downtime
