"""Monitoring: alerts that wait, that do not flap, that notice silence, and budgets of errors."""

from __future__ import annotations

from tests.questions.question import Asks, Happened, convert_to_seconds
from tests.questions.slow import find_latest, list_spans

WORK = "Monitoring and alerts"


@Asks(
    "Which hosts have had a load above 90 % for five minutes without a break?",
    title="Above a limit for five minutes",
    source="Prometheus alerting rules: `for: 5m`",
    words="for, sustained, threshold, pending, firing, held",
    plan="""
        stream host(key = host, time = at, unit = iso8601, id = id,
            fields = {load: number}, allowed_lateness = 5min)
        busy = latest_event_to_state(host.load) > 90
        firing = held_for(busy, 5min)
        results firing
    """,
    events="""
        10:00 web1 load=50
        10:00 web2 load=95
        10:01 web1 load=92
        10:02 web2 load=97
        10:05 web1 load=99
        10:04 web2 load=90     # late: no longer above
        10:05 web2 load=91
        10:08 web1 load=40
        10:09 web1 load=95
        10:12 web2 load=10
        10:10 web1 load=20     # late
        10:20 web1 load=93
    """,
)
def ask_busy_for_five_minutes(past: list[Happened], at: float) -> bool:
    since: float | None = None
    for event in past:
        since = (event.at if since is None else since) if event["load"] > 90 else None
    return since is not None and at - since >= 300


@Asks(
    "Alert when the queue is longer than 80, and do not end the alert before it is shorter than 60.",
    title="Alert with hysteresis",
    source="Grafana: recovery threshold of an alert rule",
    words="hysteresis, recovery threshold, flapping, schmitt trigger",
    plan="""
        stream queue(key = queue, time = at, unit = iso8601, id = id,
            fields = {length: number}, allowed_lateness = 5min)
        firing = hysteresis(latest_event_to_state(queue.length), above = 80, below = 60)
        results firing
    """,
    events="""
        10:00 mail length=70
        10:01 mail length=81
        10:02 mail length=79
        10:03 sms length=80
        10:04 mail length=60
        10:05 mail length=59
        10:06 mail length=75
        10:07 sms length=85
        10:05 sms length=90   # late
        10:06 sms length=50   # late
        10:09 mail length=95
        10:10 sms length=65
    """,
)
def ask_hysteresis(past: list[Happened], at: float) -> bool:
    firing = False
    for event in past:
        firing = event["length"] > 80 or (firing and event["length"] >= 60)
    return firing


@Asks(
    "Alert when a host's disk is more than 90 % full for ten minutes, and end it after five minutes below 85 %.",
    title="Alert that waits before it fires and before it ends",
    source="Prometheus alerting rules: `for` and `keep_firing_for`; Grafana: recovery threshold",
    words="pending, keep_firing_for, recovery, clear, delay, flapping, incident",
    plan="""
        stream host(key = host, time = at, unit = iso8601, id = id,
            fields = {disk: number}, allowed_lateness = 5min)
        full = latest_event_to_state(host.disk)
        firing = alert(full, above = 90, clear = 84, for = 10min, clear_after = 5min)
        results firing
    """,
    events="""
        10:00 web1 disk=80
        10:00 db1 disk=95
        10:05 web1 disk=91
        10:08 db1 disk=86      # between the limits
        10:12 web1 disk=83     # too short
        10:20 db1 disk=80
        10:22 web1 disk=97
        10:21 db1 disk=70
        10:23 db1 disk=92      # crossed again within five minutes
        10:30 db1 disk=60
        10:28 web1 disk=50     # late: the ten minutes are not reached
        10:29 web1 disk=93
        10:45 web1 disk=88
        10:50 web1 disk=84
        10:58 web1 disk=84
        11:00 db1 disk=60
    """,
)
def ask_alert(past: list[Happened], at: float) -> bool:
    crossed = firing = False
    since = 0.0
    for event, end in zip(past, [*(event.at for event in past[1:]), at], strict=True):
        now = event["disk"] > 90 or (crossed and event["disk"] > 84)
        crossed, since = now, since if now == crossed else event.at
        wait = 600 if crossed else 300
        ends = end - since if event is past[-1] else end - since - 1e-6
        firing = crossed if ends >= wait else firing
    return firing


@Asks(
    "Which exporters have sent nothing for five minutes?",
    title="Nothing received for five minutes",
    source="Prometheus: `absent_over_time(up[5m])`",
    words="absent, no data, silence, dead man's switch, heartbeat, stale",
    plan="""
        stream exporter(key = instance, time = at, unit = iso8601, id = id,
            fields = {}, allowed_lateness = 5min)
        heard = has_existed_within(exporter, true, 5min)
        absent = not heard
        results absent
    """,
    events="""
        10:00 node1
        10:01 node2
        10:02 node1
        10:04 node1
        10:06 node2       # five minutes to the second
        10:12 node1
        10:08 node1       # late: so it was silent for less
        10:09 node2
        10:20 node2
        10:25 node1
    """,
)
def ask_absent(past: list[Happened], at: float) -> bool:
    return all(at - event.at >= 300 for event in past)


@Asks(
    "Which links flap: more than four changes between up and down within fifteen minutes?",
    title="Flapping",
    source="Nagios and Prometheus: `changes(up[15m]) > 4`",
    words="flapping, unstable, number of changes, changes within",
    plan="""
        stream link(key = link, time = at, unit = iso8601, id = id,
            fields = {state: text}, allowed_lateness = 15min)
        changes = changed_to(latest_event_to_state(link.state))
        changes_within = changes - shift(changes, 15min)
        flapping = changes_within > 4
        results flapping
    """,
    events="""
        10:00 l1 state=up
        10:02 l1 state=down
        10:03 l1 state=down
        10:04 l1 state=up
        10:05 l2 state=up
        10:06 l1 state=down
        10:08 l2 state=down
        10:10 l2 state=up
        10:09 l1 state=up    # late
        10:13 l2 state=down
        10:14 l2 state=up
        10:12 l2 state=up    # late
        10:30 l1 state=down
    """,
)
def ask_flapping(past: list[Happened], at: float) -> bool:
    changes, before = [], None
    for event in past:
        if event["state"] != before:
            changes.append(event.at)
        before = event["state"]
    return sum(at - change < 900 for change in changes) > 4


@Asks(
    "Is more than a fifth of the requests of the last ten minutes failed?",
    title="Error ratio of the last ten minutes",
    source="Prometheus: `rate(errors[10m]) / rate(requests[10m])`",
    words="error rate, ratio, 5xx, failures, availability",
    plan="""
        stream request(key = service, time = at, unit = iso8601, id = id,
            fields = {status: number}, allowed_lateness = 10min)
        failed = count_within(request.status >= 500, 10min)
        all = count_within(request, true, 10min)
        too_many = failed / all > 0.2
        results too_many
    """,
    events="""
        10:00 shop status=200
        10:01 shop status=200
        10:02 shop status=500
        10:03 pay status=200
        10:04 shop status=404
        10:05 shop status=200
        10:06 pay status=503
        10:04 pay status=200   # late
        10:05 pay status=201   # late
        10:07 pay status=200
        10:11 shop status=502
        10:30 pay status=200
    """,
)
def ask_error_ratio(past: list[Happened], at: float) -> bool | None:
    recent = [event["status"] >= 500 for event in past if at - event.at < 600]
    return sum(recent) / len(recent) > 0.2 if recent else None


@Asks(
    """Does a service burn its error budget fast: more than 20 % failed within the last hour, and still within the
    last five minutes?""",
    title="Error budget burns in two windows",
    source="Google SRE workbook: multiwindow burn-rate alerts",
    words="burn rate, slo, error budget, multiwindow",
    plan="""
        stream request(key = service, time = at, unit = iso8601, id = id,
            fields = {status: number}, allowed_lateness = 10min)
        in_hour = values_within(if(request.status >= 500, 1, 0), 1h, mean)
        lately = values_within(if(request.status >= 500, 1, 0), 5min, mean)
        burning = in_hour > 0.2 and lately > 0.2
        results burning
    """,
    events="""
        10:00 shop status=200
        10:10 shop status=200
        10:20 shop status=500
        10:21 shop status=503
        10:22 pay status=500
        10:23 shop status=200
        10:30 pay status=200
        10:50 shop status=200
        10:29 pay status=500   # late
        10:55 shop status=500
        10:58 pay status=200
        11:21 shop status=500
    """,
)
def ask_burn_rate(past: list[Happened], at: float) -> bool | None:
    shares = []
    for window in (3600, 300):
        recent = [event["status"] >= 500 for event in past if at - event.at < window]
        shares.append(sum(recent) / len(recent) > 0.2 if recent else None)
    return False if False in shares else None if None in shares else True


@Asks(
    "Which servers are down outside their announced maintenance?",
    title="Down outside maintenance",
    source="Alertmanager silences; uptime-kuma 5590",
    words="silence, maintenance window, mute, planned",
    plan="""
        stream probe(key = server, time = at, unit = iso8601, id = id,
            fields = {up: bool}, allowed_lateness = 1h)
        stream maintenance(key = server, time = begin, until = end, unit = iso8601, id = id,
            fields = {}, allowed_lateness = 1h)
        down = not latest_event_to_state(probe.up)
        planned = is_during(maintenance)
        alarm = down and not planned
        results alarm
    """,
    events="""
        probe 10:00 web up=true
        probe 10:00 db up=true
        maintenance 10:30 web end=11:00
        probe 10:20 web up=false
        probe 10:40 db up=false
        probe 10:50 db up=true
        probe 11:10 web up=true
        maintenance 10:45 db end=12:00   # late
        probe 11:20 db up=false
        probe 12:10 db up=true
        maintenance 11:05 web end=11:08  # late
        probe 12:15 web up=false
    """,
)
def ask_down_outside_maintenance(past: list[Happened], at: float) -> bool | None:
    up = find_latest(past, "up")
    planned = any(event.stream == "maintenance" and at < convert_to_seconds(event["end"]) for event in past)
    return False if planned else None if up is None else not up


@Asks(
    "For how many seconds was a disk more than 80 % full within the last hour?",
    title="Seconds above a limit within the last hour",
    source="Grafana threads on time above a threshold",
    words="time above threshold, rolling, window, seconds in state",
    plan="""
        stream disk(key = disk, time = at, unit = iso8601, id = id,
            fields = {used: number}, allowed_lateness = 1h)
        full = latest_event_to_state(disk.used) > 80
        seconds_full = duration_where(full)
        in_last_hour = seconds_full - shift(seconds_full, 1h)
        results in_last_hour
    """,
    events="""
        10:00 d1 used=70
        10:10 d1 used=85
        10:15 d2 used=90
        10:40 d1 used=79
        10:50 d1 used=81
        10:55 d1 used=80
        10:45 d2 used=60   # late
        11:15 d2 used=95
        11:30 d1 used=99
        11:20 d2 used=10   # late
        12:00 d1 used=50
    """,
)
def ask_seconds_above(past: list[Happened], at: float) -> float:
    spans = list_spans(past, at, "used")
    return sum(max(0.0, end - max(begin, at - 3600)) for used, begin, end in spans if used > 80)
