"""Time series: counters, averages, gaps, changes, outliers."""

from __future__ import annotations

import itertools
from fractions import Fraction
from statistics import mean, pstdev

from tests.questions.question import Asks, Happened
from tests.questions.slow import find_latest, list_spans

WORK = "Time series"


@Asks(
    "For how many seconds has each battery been charging?",
    title="Time in a state",
    source="TimescaleDB: state_agg, duration_in()",
    words="state_agg, duration in state, time in state, total",
    plan="""
        stream battery(key = battery, time = at, unit = iso8601, id = id,
            fields = {state: text}, allowed_lateness = 1h)
        state = latest_event_to_state(battery.state)
        charging = duration_where(state == "charging")
        results charging
    """,
    events="""
        08:00 b1 state=idle
        08:10 b1 state=charging
        08:20 b2 state=charging
        08:40 b1 state=full
        08:35 b2 state=charging
        08:30 b1 state=idle       # late
        08:50 b2 state=full
        09:00 b1 state=charging
        08:45 b2 state=idle       # late
        09:20 b1 state=charging
        09:30 b1 state=full
    """,
)
def ask_charging(past: list[Happened], at: float) -> float:
    return sum(end - begin for state, begin, end in list_spans(past, at, "state") if state == "charging")


@Asks(
    "What is the average temperature of the last ten minutes, each reading weighted by how long it held?",
    title="Time-weighted average",
    source="TimescaleDB: time_weight('LOCF')",
    words="time_weight, weighted mean, moving average, locf, irregular",
    plan="""
        stream sensor(key = sensor, time = at, unit = iso8601, id = id,
            fields = {celsius: number}, allowed_lateness = 10min)
        celsius = latest_event_to_state(sensor.celsius)
        average = mean_within(celsius, 10min)
        results average
    """,
    events="""
        08:00 s1 celsius=20
        08:01 s1 celsius=30
        08:02 s2 celsius=-5
        08:05 s1 celsius=10
        08:03 s1 celsius=24    # late
        08:06 s2 celsius=5.5
        08:12 s1 celsius=11
        08:10 s2 celsius=0     # late
        08:30 s1 celsius=12
        08:40 s2 celsius=-1
    """,
)
def ask_weighted_average(past: list[Happened], at: float) -> float | None:
    spans = [(value, max(begin, at - 600), end) for value, begin, end in list_spans(past, at, "celsius")]
    inside = [(value, end - begin) for value, begin, end in spans if end > begin]
    known = sum(length for _, length in inside)
    return sum(value * length for value, length in inside) / known if known else None


@Asks(
    "How much has a counter grown since it was last reset, and what has it counted since then?",
    title="Growth since the last reset of a counter",
    source="TimescaleDB: counter_agg; Spark 55828 (counter_diff); Prometheus: resets()",
    words="counter reset, counter_agg, increase, delta, resets",
    plan="""
        stream meter(key = meter, time = at, unit = iso8601, id = id,
            fields = {reading: number}, allowed_lateness = 1h)
        reading = latest_event_to_state(meter.reading)
        is_reset = reading < previous_value(reading)
        at_reset = value_at(reading, when = is_reset)
        grown = reading - at_reset
        results grown
    """,
    events="""
        08:00 m1 reading=10
        08:10 m1 reading=25
        08:20 m1 reading=3
        08:30 m1 reading=7
        08:05 m2 reading=100
        08:15 m2 reading=100
        08:35 m2 reading=140
        08:25 m2 reading=4      # late: it was reset in between
        08:40 m1 reading=9
        08:50 m1 reading=1
        08:45 m1 reading=30     # late
        09:00 m1 reading=1.5
    """,
)
def ask_growth(past: list[Happened], at: float) -> float | None:
    at_reset: float | None = None
    before = past[0]["reading"]
    for event in past:
        if event["reading"] < before:
            at_reset = event["reading"]
        before = event["reading"]
    return None if at_reset is None else float(before - at_reset)


@Asks(
    "How much has a counter counted in all, over every reset?",
    title="Total of a counter over all its resets",
    source="TimescaleDB: counter_agg, delta; Prometheus: increase() over a whole life; Home Assistant: utility meter",
    words="counter_agg, delta, increase, total increasing, utility meter, resets, energy, odometer",
    plan="""
        stream meter(key = meter, time = at, unit = iso8601, id = id,
            fields = {reading: number}, allowed_lateness = 1h)
        counted = increase(latest_event_to_state(meter.reading))
        results counted
    """,
    events="""
        08:00 m1 reading=10
        08:10 m1 reading=25
        08:20 m1 reading=3      # reset
        08:30 m1 reading=7
        08:05 m2 reading=100
        08:15 m2 reading=100
        08:35 m2 reading=140
        08:25 m2 reading=4      # late: it was reset in between
        08:40 m1
        08:50 m1 reading=1.5    # reset
        08:45 m1 reading=30     # late
        09:00 m1 reading=2
    """,
)
def ask_counted(past: list[Happened], at: float) -> float:
    counted, before = 0.0, None
    for event in past:
        reading = event["reading"]
        if reading is None:
            continue
        if before is not None:
            counted += reading - before if reading >= before else reading
        before = reading
    return counted


@Asks(
    "How much did a counter count in each hour, although it was reset in between?",
    title="Increase of a counter in each hour",
    source="Prometheus: increase(counter[1h]); TimescaleDB: counter_agg by time_bucket; InfluxDB: increase()",
    words="increase, rate, hourly, counter, resets, consumption, bucket",
    plan="""
        stream meter(key = meter, time = at, unit = iso8601, id = id,
            fields = {reading: number}, allowed_lateness = 1h)
        counted = increase(latest_event_to_state(meter.reading))
        hourly = per(counted, 1h)
        results hourly
    """,
    events="""
        08:10 m1 reading=10
        08:40 m1 reading=25
        08:50 m1 reading=3      # reset
        08:20 m2 reading=100
        09:00 m1 reading=7      # of the hour that begins
        09:30 m1 reading=9
        09:20 m2 reading=120
        08:55 m2 reading=110    # late
        10:10 m1 reading=2      # reset
        10:15 m2 reading=121
        11:05 m1 reading=2
    """,
    ends="11:30",
)
def ask_hourly_increase(past: list[Happened], at: float) -> float | None:
    hour = at // 3600 * 3600
    if past[0].at >= hour:
        return None
    counted, before = 0.0, None
    for event in past:
        reading = event["reading"]
        if before is not None and hour - 3600 <= event.at < hour:
            counted += reading - before if reading >= before else reading
        before = reading
    return counted


@Asks(
    "How many metres has each rider climbed so far?",
    title="Metres climbed",
    source="Strava and Garmin: elevation gain; Stack Overflow: sum of positive differences",
    words="elevation gain, ascent, sum of positive differences, altitude, rises",
    plan="""
        stream ride(key = rider, time = at, unit = iso8601, id = id,
            fields = {altitude: number}, allowed_lateness = 10min)
        climbed = increase(latest_event_to_state(ride.altitude), falls = ignore)
        results climbed
    """,
    events="""
        08:00 r1 altitude=100
        08:05 r1 altitude=140.5
        08:10 r1 altitude=90
        08:08 r1 altitude=150   # late
        08:15 r1 altitude=95
        08:01 r2 altitude=-2
        08:06 r2 altitude=3
        08:11 r2 altitude=3
        08:16 r2 altitude=1
        08:20 r1 altitude=95.5
        08:22 r2 altitude=7
    """,
)
def ask_climbed(past: list[Happened], at: float) -> float:
    pairs = itertools.pairwise(past)
    return float(sum(max(later["altitude"] - event["altitude"], 0.0) for event, later in pairs))


@Asks(
    "How often was a counter reset within the last hour?",
    title="Resets of a counter within an hour",
    source="Prometheus: resets(counter[1h])",
    words="resets, restart, counter, how often, crash loop",
    plan="""
        stream meter(key = meter, time = at, unit = iso8601, id = id,
            fields = {reading: number}, allowed_lateness = 1h)
        reading = latest_event_to_state(meter.reading)
        # A fall; a reading after it that falls again is at the next fall, too.
        resets = changed_to(reading < previous_value(reading), true)
        within = resets - shift(resets, 1h)
        results within
    """,
    events="""
        08:00 m1 reading=10
        08:10 m1 reading=2
        08:20 m1 reading=5
        08:05 m2 reading=100
        08:30 m1 reading=1
        08:40 m2 reading=120
        08:35 m2 reading=130    # late: so there was a fall
        08:50 m2 reading=125
        08:55 m2 reading=3
        09:10 m1 reading=4
        08:45 m1 reading=2      # late
        10:00 m2 reading=9
    """,
)
def ask_resets(past: list[Happened], at: float) -> int:
    falls, before = [], past[0]["reading"]
    for event in past:
        if event["reading"] < before:
            falls.append(event.at)
        before = event["reading"]
    return sum(at - fall < 3600 for fall in falls)


@Asks(
    "What is the latest reading of each sensor, but nothing where it is older than ten minutes?",
    title="Latest value unless it is stale",
    source="TimescaleDB: time_bucket_gapfill and locf; Prometheus: staleness",
    words="stale, last observation carried forward, gap, missing data, expiry",
    plan="""
        stream sensor(key = sensor, time = at, unit = iso8601, id = id,
            fields = {value: number}, allowed_lateness = 10min)
        fresh = has_existed_within(not sensor.value is missing, 10min)
        value = when(fresh, latest_event_to_state(sensor.value))
        results value
    """,
    events="""
        08:00 s1 value=1
        08:05 s1 value=2
        08:06 s2 value=7
        08:20 s1 value=3
        08:12 s1 value=2.5   # late: closes the gap
        08:16 s2             # says nothing of its value
        08:21 s2 value=8
        08:18 s2 value=7.5   # late
        08:40 s1 value=4
        08:45 s2
    """,
)
def ask_latest_unless_stale(past: list[Happened], at: float) -> float | None:
    recent = [event for event in past if at - event.at < 600]
    value = find_latest(recent, "value")
    return None if value is None else float(value)


@Asks(
    "How much warmer is it than an hour ago?",
    title="Change since an hour ago",
    source="Prometheus: delta(x[1h]), offset 1h; Grafana threads",
    words="delta, difference, offset, trend, compared with",
    plan="""
        stream sensor(key = sensor, time = at, unit = iso8601, id = id,
            fields = {celsius: number}, allowed_lateness = 1h)
        now = latest_event_to_state(sensor.celsius)
        change = now - shift(now, 1h)
        results change
    """,
    events="""
        08:00 s1 celsius=10
        08:20 s1 celsius=12
        08:30 s2 celsius=-2
        08:50 s1 celsius=15
        09:10 s1 celsius=14
        08:40 s1 celsius=13    # late
        09:20 s2 celsius=1
        09:40 s2 celsius=2
        09:00 s2 celsius=0     # late
        10:30 s1 celsius=10
    """,
)
def ask_change(past: list[Happened], at: float) -> float | None:
    before = find_latest([event for event in past if event.at <= at - 3600], "celsius")
    return None if before is None else float(find_latest(past, "celsius") - before)


@Asks(
    "Which readings lie outside three standard deviations of the last hour?",
    title="Outside three standard deviations of the last hour",
    source="The questions that this product was first made for; Flink and Grafana threads on anomalies",
    words="anomaly, outlier, z-score, three sigma, deviation",
    plan="""
        stream sensor(key = sensor, time = at, unit = iso8601, id = id,
            fields = {value: number}, allowed_lateness = 10min)
        usual = values_within(sensor.value, 1h, mean)
        spread = values_within(sensor.value, 1h, deviation)
        distance = absolute(latest_event_to_state(sensor.value) - usual)
        outside = distance > spread * 3
        results outside
    """,
    events="""
        08:00 s1 value=20
        08:02 s1 value=21
        08:04 s1 value=20
        08:06 s1 value=19
        08:08 s1 value=20
        08:10 s1 value=21
        08:12 s1 value=20
        08:05 s1 value=20     # late
        08:14 s1 value=20
        08:16 s1 value=21
        08:18 s1 value=19
        08:20 s2 value=5
        08:22 s1 value=60     # far outside
        08:24 s1 value=20
        08:25 s2 value=50     # of two values none can be
        08:40 s1 value=80     # no longer so far: the spread has grown
        08:21 s1 value=20     # late
        10:00 s1 value=20
    """,
)
def ask_outliers(past: list[Happened], at: float) -> bool | None:
    hour = [Fraction(event["value"]) for event in past if at - event.at < 3600]
    if len(hour) < 2:
        return None
    return bool(abs(hour[-1] - mean(hour)) > 3 * pstdev(hour))
