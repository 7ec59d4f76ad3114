"""Smart home: lights, doors, heating, energy."""

from __future__ import annotations

from tests.questions.question import Asks, Happened
from tests.questions.slow import find_latest, list_spans

WORK = "Smart home"
DAY = 86_400


@Asks(
    "For how many seconds has the light been on today?",
    title="Time on today",
    source="Home Assistant: history_stats, type: time, start: today_at()",
    words="history_stats, on time today, since midnight, calendar day",
    plan="""
        stream light(key = room, time = at, unit = iso8601, id = id,
            fields = {on: bool}, allowed_lateness = 1h)
        seconds_on = duration_where(latest_event_to_state(light.on))
        today = so_far(seconds_on, 1d, zone = "Europe/Copenhagen")
        results today
    """,
    events="""
        2026-03-02T16:00 hall on=true
        2026-03-02T16:30 hall on=false
        2026-03-02T20:00 attic on=true
        2026-03-02T22:00 hall on=true      # until after midnight in Copenhagen, 23:00 by this clock
        2026-03-03T00:30 hall on=false
        2026-03-02T22:30 hall on=false     # late
        2026-03-02T22:45 hall on=true
        2026-03-03T06:00 hall on=true
        2026-03-03T07:00 hall on=false
        2026-03-03T06:30 attic on=false
        2026-03-03T05:00 attic on=true     # late, and nothing new
        2026-03-03T20:00 hall on=true
    """,
    ends="2026-03-03T23:00",
)
def ask_on_today(past: list[Happened], at: float) -> float:
    midnight = (at + 3600) // DAY * DAY - 3600
    spans = list_spans(past, at, "on")
    return sum(max(0.0, end - max(begin, midnight)) for on, begin, end in spans if on)


@Asks(
    "How often has each door been opened today?",
    title="Openings today",
    source="Home Assistant: history_stats, type: count",
    words="history_stats, count of openings, how often, calendar day",
    plan="""
        stream door(key = door, time = at, unit = iso8601, id = id,
            fields = {state: text}, allowed_lateness = 1h)
        openings = changed_to(latest_event_to_state(door.state), "open")
        today = so_far(openings, 1d)
        results today
    """,
    events="""
        2026-03-02T08:00 front state=open
        2026-03-02T08:01 front state=open      # still the same opening
        2026-03-02T08:02 front state=closed
        2026-03-02T09:00 back state=closed
        2026-03-02T18:00 front state=open
        2026-03-02T23:59 back state=open
        2026-03-02T18:05 front state=closed
        2026-03-02T12:00 back state=open       # late, so the one at midnight is a second
        2026-03-02T12:05 back state=closed
        2026-03-03T00:00 front state=open      # belongs to the new day
        2026-03-03T07:00 back state=closed
        2026-03-03T07:10 back state=open
    """,
    ends="2026-03-04T00:00",
)
def ask_openings_today(past: list[Happened], at: float) -> int:
    openings, before = 0, None
    for event in past:
        is_new = event["state"] == "open" and before != "open"
        openings += is_new and event.at >= at // DAY * DAY
        before = event["state"]
    return openings


@Asks(
    "For what share of the last hour was the heating on?",
    title="Share of the last hour that something was on",
    source="Home Assistant: history_stats, type: ratio",
    words="history_stats, ratio, percentage, duty cycle, rolling",
    plan="""
        stream heating(key = room, time = at, unit = iso8601, id = id,
            fields = {on: bool}, allowed_lateness = 1h)
        on = latest_event_to_state(heating.on)
        share = mean_within(on, 1h)
        results share
    """,
    events="""
        08:00 bath on=true
        08:15 bath on=false
        08:20 hall on=false
        08:30 bath on=true
        08:50 hall on=true
        08:40 bath on=false   # late
        09:10 hall on=false
        09:30 bath on=true
        09:00 hall on=false   # late
        09:45 bath on=false
        10:30 hall on=true
        12:00 bath on=false
    """,
)
def ask_share_of_hour(past: list[Happened], at: float) -> float | None:
    spans = [(on, max(begin, at - 3600), end) for on, begin, end in list_spans(past, at, "on")]
    known = sum(max(0.0, end - begin) for _, begin, end in spans)
    return sum(max(0.0, end - begin) for on, begin, end in spans if on) / known if known else None


@Asks(
    "Is a window still open after ten minutes although the heating is on?",
    title="Window left open while the heating is on",
    source="Home Assistant automations: a state trigger with `for:`",
    words="left open, door, window, heating, for ten minutes, both",
    plan="""
        stream window(key = room, time = at, unit = iso8601, id = id,
            fields = {open: bool}, allowed_lateness = 10min)
        stream heating(key = room, time = at, unit = iso8601, id = id,
            fields = {on: bool}, allowed_lateness = 10min)
        open = held_for(latest_event_to_state(window.open), 10min)
        wasted = open and latest_event_to_state(heating.on)
        results wasted
    """,
    events="""
        window 08:00 bath open=true
        heating 08:02 bath on=true
        heating 08:03 hall on=false
        window 08:05 hall open=true
        window 08:11 bath open=false
        window 08:20 bath open=true
        heating 08:20 hall on=true
        window 08:26 bath open=true
        window 08:25 bath open=false   # late: it was shut for a minute
        window 08:30 hall open=false
        heating 08:34 bath on=false
        heating 08:40 bath on=true
    """,
)
def ask_window_left_open(past: list[Happened], at: float) -> bool | None:
    since: float | None = None
    known = False
    for event in past:
        if event.stream == "window":
            known = True
            since = (event.at if since is None else since) if event["open"] else None
    left, heating = since is not None and at - since >= 600, find_latest(past, "on")
    if (known and not left) or heating is False:
        return False
    return True if left and heating else None


@Asks(
    "Where was the fridge warmer than 8 °C or colder than 2 °C for more than ten minutes?",
    title="Out of range for ten minutes",
    source="Home Assistant and cold-chain rules",
    words="out of range, temperature, cold chain, fridge, alarm",
    plan="""
        stream fridge(key = fridge, time = at, unit = iso8601, id = id,
            fields = {celsius: number}, allowed_lateness = 10min)
        celsius = latest_event_to_state(fridge.celsius)
        out_of_range = celsius > 8 or celsius < 2
        alarm = held_for(out_of_range, 10min)
        results alarm
    """,
    events="""
        08:00 kitchen celsius=5
        08:02 kitchen celsius=9
        08:04 cellar celsius=1.5
        08:06 cellar celsius=2
        08:08 kitchen celsius=1   # too cold now; still out of range
        08:13 kitchen celsius=8
        08:10 cellar celsius=12
        08:20 cellar celsius=11
        08:15 cellar celsius=8    # late
        08:30 kitchen celsius=8.5
        08:45 cellar celsius=3
    """,
)
def ask_out_of_range(past: list[Happened], at: float) -> bool:
    since: float | None = None
    for event in past:
        is_out = not 2 <= event["celsius"] <= 8
        since = (event.at if since is None else since) if is_out else None
    return since is not None and at - since >= 600


@Asks(
    "How much energy, in watt-hours, has a plug delivered, when it reports its power now and then?",
    title="Energy from power",
    source="Home Assistant: Riemann sum integral (core 92404); openHAB 4439",
    words="integral, kWh, watt-hours, riemann sum, area under the curve",
    plan="""
        stream plug(key = plug, time = at, unit = iso8601, id = id,
            fields = {watts: number}, allowed_lateness = 1h)
        watts = latest_event_to_state(plug.watts)
        watt_hours = integral(watts) / 3600
        results watt_hours
    """,
    events="""
        08:00 boiler watts=0
        08:10 boiler watts=1000
        08:11 boiler watts=0
        08:12 lamp watts=9.5
        08:30 boiler watts=2000
        08:20 lamp watts=0       # late
        08:40 boiler watts=500.25
        09:00 lamp watts=9.5
        08:35 boiler watts=1000  # late
        09:30 boiler watts=0
        11:00 lamp watts=0
    """,
)
def ask_energy(past: list[Happened], at: float) -> float:
    return float(sum(watts * (end - begin) for watts, begin, end in list_spans(past, at, "watts"))) / 3600


@Asks(
    "What is the highest current that each phase has carried within the last hour?",
    title="Highest value of the last hour",
    source="Home Assistant: statistics with max_age (core 16595)",
    words="rolling maximum, peak, max within, sliding window",
    plan="""
        stream phase(key = phase, time = at, unit = iso8601, id = id,
            fields = {amperes: number}, allowed_lateness = 1h)
        amperes = latest_event_to_state(phase.amperes)
        highest = max_within(amperes, 1h)
        results highest
    """,
    events="""
        08:00 L1 amperes=3
        08:20 L1 amperes=16
        08:21 L1 amperes=4
        08:30 L2 amperes=7
        08:50 L2 amperes=2
        08:45 L2 amperes=12   # late
        09:10 L1 amperes=5
        09:25 L1 amperes=1
        09:30 L2 amperes=2
        09:00 L1 amperes=9    # late
        11:00 L2 amperes=3
    """,
)
def ask_highest(past: list[Happened], at: float) -> float:
    within = [amperes for amperes, _, end in list_spans(past, at, "amperes") if end > at - 3600]
    return float(max([find_latest(past, "amperes"), *within]))


@Asks(
    "Which lights are on though nobody has moved in the room for fifteen minutes?",
    title="On though nobody is there",
    source="Home Assistant blueprints for motion lights",
    words="motion, presence, no movement, lights off, idle",
    plan="""
        stream light(key = room, time = at, unit = iso8601, id = id,
            fields = {on: bool}, allowed_lateness = 15min)
        stream motion(key = room, time = at, unit = iso8601, id = id, fields = {}, allowed_lateness = 15min)
        moved = has_existed_within(motion, true, 15min)
        forgotten = latest_event_to_state(light.on) and not moved
        results forgotten
    """,
    events="""
        light 08:00 hall on=true
        motion 08:00 hall
        motion 08:05 bath
        light 08:06 bath on=true
        motion 08:10 hall
        light 08:28 bath on=false
        light 08:30 hall on=false
        motion 08:16 bath          # late
        light 08:40 hall on=true
        light 08:45 bath on=true
        motion 08:50 hall
        motion 08:35 hall          # late
    """,
)
def ask_forgotten_light(past: list[Happened], at: float) -> bool | None:
    moved = any(event.stream == "motion" and at - event.at < 900 for event in past)
    on = find_latest(past, "on")
    return False if moved or on is False else on
