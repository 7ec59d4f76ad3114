"""Devices and vehicles: silence, places, lifts, chargers, batteries."""

from __future__ import annotations

from tests.questions.question import Asks, Happened
from tests.questions.slow import find_latest, group_by_key, list_spans

WORK = "Devices and vehicles"
DAY, HOUR = 86_400, 3_600
MIDNIGHTS = (24 * DAY + 23 * HOUR, 25 * DAY + 23 * HOUR, 26 * DAY + 23 * HOUR, 27 * DAY + 22 * HOUR)
"""In Berlin, 26 to 29 March at the end of the day: the last one after the clocks were put forward."""


@Asks(
    "For how long has a device been silent?",
    title="Seconds since the last message",
    source="IoT platforms: device offline alerts (ThingsBoard, Azure IoT)",
    words="silence, offline, last seen, heartbeat, time since",
    plan="""
        stream device(key = device, time = at, unit = iso8601, id = id,
            fields = {}, allowed_lateness = 10min)
        silent = time_since(device, true)
        results silent
    """,
    events="""
        08:00 d1
        08:01 d2
        08:02 d1
        08:10 d2
        08:05 d1   # late
        08:20 d1
        08:30 d2
        08:25 d2   # late, and changes nothing after the half hour
        08:31 d1
        09:00 d2
    """,
)
def ask_silent(past: list[Happened], at: float) -> float:
    return at - past[-1].at


@Asks(
    "Which lorries have stood inside the depot for more than half an hour?",
    title="Dwell time in a geofence",
    source="Geofencing in fleet management (AWS Location, ThingsBoard)",
    words="geofence, dwell, inside, zone, position",
    plan="""
        stream lorry(key = lorry, time = at, unit = iso8601, id = id,
            fields = {x: number, y: number}, allowed_lateness = 10min)
        # The depot: a square of two kilometres around its gate.
        distance = latest_event_to_state(max(abs(lorry.x - 10), abs(lorry.y - 20)))
        inside = distance <= 1
        waits = held_for(inside, 30min)
        results waits
    """,
    events="""
        08:00 l1 x=4 y=20
        08:10 l1 x=9.5 y=20.5
        08:12 l2 x=10 y=21
        08:20 l1 x=10.2 y=19.5
        08:40 l1 x=10 y=20
        08:30 l2 x=10 y=21.5     # late: it left
        08:50 l2 x=11 y=19
        09:00 l1 x=15 y=20
        08:35 l1 x=11.5 y=20     # late: it left for five minutes
        09:30 l2 x=10 y=20
        09:35 l2 x=0 y=0
    """,
)
def ask_dwell(past: list[Happened], at: float) -> bool:
    since: float | None = None
    for event in past:
        is_inside = abs(event["x"] - 10) <= 1 and abs(event["y"] - 20) <= 1
        since = (event.at if since is None else since) if is_inside else None
    return since is not None and at - since >= 1800


@Asks(
    "How long did people wait for the lift the last time that they called it?",
    title="Waiting time for a lift",
    source="Lift monitoring (CIBSE: average waiting time)",
    words="elevator, lift, call, arrival, response time",
    plan="""
        stream lift(key = lift, time = at, unit = iso8601, id = id,
            fields = {event: text}, allowed_lateness = 1min)
        ride = sequence(steps = {called: lift.event == "call", arrived: lift.event == "arrive"})
        waited = sequence_duration(ride)
        results waited
    """,
    events="""
        08:00:00 north event=call
        08:00:12 north event=call     # pressed again
        08:00:30 north event=arrive
        08:01:00 south event=arrive   # nobody called
        08:01:10 south event=call
        08:02:00 north event=call
        08:02:45 north event=arrive
        08:01:55 north event=call     # late: called earlier
        08:03:10 south event=arrive
        08:02:50 south event=arrive   # late
        08:05:00 south event=call
    """,
)
def ask_lift(past: list[Happened], at: float) -> float | None:
    called: float | None = None
    waited: float | None = None
    for event in past:
        if event["event"] == "call":
            called = event.at if called is None else called
        elif called is not None:
            waited, called = event.at - called, None
    return waited


@Asks(
    "For how many seconds has a charger been occupied by a car that does not charge?",
    title="Occupied but not charging",
    source="EV charging: idle fees (OCPP statuses SuspendedEV and Finishing)",
    words="ev charger, idle, occupied, blocked, overstay, ocpp",
    plan="""
        stream charger(key = charger, time = at, unit = iso8601, id = id,
            fields = {car: bool, kw: number}, allowed_lateness = 1h)
        occupied = latest_event_to_state(charger.car)
        charges = latest_event_to_state(charger.kw) > 0
        blocked = occupied and not charges
        seconds = duration_where(blocked)
        results seconds
    """,
    events="""
        08:00 c1 car=false kw=0
        08:10 c1 car=true
        08:11 c1 kw=11
        08:15 c2 car=true kw=22
        09:00 c1 kw=0
        09:30 c1 car=false
        09:10 c2 kw=0            # late
        10:00 c2 car=false
        09:20 c1 kw=11           # late: it charged on
        09:25 c1 kw=0
        10:10 c1 car=true
        10:20 c2 car=true
    """,
)
def ask_blocked(past: list[Happened], at: float) -> float:
    total = 0.0
    for event, end in zip(past, [*(event.at for event in past[1:]), at], strict=True):
        so_far = [other for other in past if other.at <= event.at]
        if find_latest(so_far, "car") and find_latest(so_far, "kw") == 0:
            total += end - event.at
    return total


@Asks(
    "What does a charging point owe: energy times the price that held when it was delivered?",
    title="Cost of energy at a changing price",
    source="EV charging and dynamic tariffs (Home Assistant energy costs)",
    words="cost, tariff, price, energy, kwh, product",
    plan="""
        stream charger(key = charger, time = at, unit = iso8601, id = id,
            fields = {kw: number}, allowed_lateness = 1h)
        stream tariff(key = charger, time = at, unit = iso8601, id = id,
            fields = {price: number}, allowed_lateness = 1h)
        kw = latest_event_to_state(charger.kw)
        price = latest_event_to_state(tariff.price)
        cost = integral(kw * price) / 3600
        results cost
    """,
    events="""
        tariff 08:00 c1 price=0.30
        charger 08:10 c1 kw=11
        charger 08:15 c2 kw=22       # no price is known yet: costs nothing
        tariff 08:30 c2 price=0.25
        tariff 09:00 c1 price=0.45
        charger 09:30 c1 kw=0
        charger 09:00 c2 kw=0
        charger 08:45 c2 kw=11       # late
        tariff 08:50 c1 price=0.20   # late
        charger 10:00 c1 kw=7.5
        tariff 10:20 c1 price=0
    """,
)
def ask_cost(past: list[Happened], at: float) -> float:
    total, kw, price = 0.0, None, None
    for event, end in zip(past, [*(event.at for event in past[1:]), at], strict=True):
        kw = event["kw"] if event["kw"] is not None else kw
        price = event["price"] if event["price"] is not None else price
        if kw is not None and price is not None:
            total += kw * price * (end - event.at) / 3600
    return total


@Asks(
    "How many chargers of each site are free now?",
    title="Free chargers by site",
    source="EV charging: availability (OCPI)",
    words="availability, free, count by group, occupancy, site",
    plan="""
        stream charger(key = charger, time = at, unit = iso8601, id = id,
            fields = {status: text, site: text}, allowed_lateness = 1h)
        free = latest_event_to_state(charger.status) == "free"
        site = latest_event_to_state(charger.site)
        free_by_site = aggregate(free, count, by = site)
        results free_by_site
    """,
    events="""
        08:00 c1 site=harbour status=free
        08:01 c2 site=harbour status=free
        08:02 c3 site=station status=charging
        08:10 c1 status=charging
        08:20 c3 status=free
        08:12 c2 status=broken    # late
        08:30 c2 status=free
        08:40 c4 status=free      # nobody knows where
        08:45 c4 site=station
        08:35 c1 status=free      # late
        09:00 c3 status=charging
    """,
    by_group=True,
)
def ask_free(past: list[Happened], at: float) -> dict[str, int]:
    free = {event["site"]: 0 for event in past if event["site"]}
    for own in group_by_key(past).values():
        if (site := find_latest(own, "site")) and find_latest(own, "status") == "free":
            free[site] += 1
    return free


@Asks(
    "Which batteries have lost more than 20 points of their charge within an hour?",
    title="Fast fall of a battery",
    source="IoT: battery drain alerts",
    words="battery, drain, fall, drop, rate of change, decrease",
    plan="""
        stream device(key = device, time = at, unit = iso8601, id = id,
            fields = {charge: number}, allowed_lateness = 10min)
        charge = latest_event_to_state(device.charge)
        lost = max_within(charge, 1h) - charge
        drained = lost > 20
        results drained
    """,
    events="""
        08:00 d1 charge=100
        08:10 d2 charge=50
        08:30 d1 charge=90
        08:50 d1 charge=79
        08:40 d2 charge=52
        09:15 d2 charge=31
        09:10 d2 charge=35     # late
        09:31 d1 charge=75
        08:55 d1 charge=85     # late
        10:00 d2 charge=100
        10:20 d1 charge=60
    """,
)
def ask_drained(past: list[Happened], at: float) -> bool:
    charge = find_latest(past, "charge")
    within = [value for value, _, end in list_spans(past, at, "charge") if end > at - 3600]
    return bool(max([charge, *within]) - charge > 20)


@Asks(
    "How full was the emptiest battery of each site when the last day ended there?",
    title="Emptiest battery at midnight",
    source="Energy storage: state of charge at the end of the day; TimescaleDB: time_bucket with a time zone",
    words="battery, state of charge, end of day, midnight, snapshot, daily, local time, summer time",
    plan="""
        stream battery(key = battery, time = at, unit = iso8601, id = id,
            fields = {site: text, charge: number}, allowed_lateness = 1h)
        charge = latest_event_to_state(battery.charge)
        site = latest_event_to_state(battery.site)
        emptiest = aggregate(charge, min, by = site, every = 1d, zone = "Europe/Berlin")
        results emptiest
    """,
    events="""
        2026-03-27T20:00 b1 site=north charge=80
        2026-03-27T21:00 b2 site=north charge=60
        2026-03-27T22:30 b3 site=south charge=90
        2026-03-27T22:10 b2 charge=55            # late
        2026-03-28T09:00 b1 charge=20
        2026-03-28T22:59 b2 charge=35
        2026-03-28T23:00 b3 charge=70            # at midnight
        2026-03-28T22:40 b1 charge=40            # late
        2026-03-29T12:00 b2 charge=90
        2026-03-29T21:59 b1 charge=65            # an hour less: summer time has begun
        2026-03-29T22:30 b3 charge=10
        2026-03-30T08:00 b2 charge=15
    """,
    by_group=True,
    ends="2026-03-30T08:01",
)
def ask_emptiest(past: list[Happened], at: float) -> dict[str, float | None]:
    sites = dict.fromkeys(event["site"] for event in past if event["site"])
    midnight = max(time for time in MIDNIGHTS if time <= at)
    then = group_by_key([event for event in past if event.at <= midnight]).values()
    charges = [(find_latest(own, "site"), find_latest(own, "charge")) for own in then]
    return {site: min((charge for place, charge in charges if place == site), default=None) for site in sites}
