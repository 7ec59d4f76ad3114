"""Support and care: calls that wait, beds that are taken."""

from __future__ import annotations

from tests.questions.question import Asks, Happened
from tests.questions.slow import find_latest, group_by_key, list_spans

WORK = "Support and care"


@Asks(
    "How long has the caller waited who has waited longest and is waiting now?",
    title="Longest waiting caller",
    source="Call centres: longest wait in queue",
    words="call centre, queue, waiting, longest, maximum over all",
    plan="""
        stream call(key = call, time = at, unit = iso8601, id = id,
            fields = {state: text}, allowed_lateness = 10min)
        state = latest_event_to_state(call.state)
        waits = state == "waiting"
        waited = when(waits, duration_in_current_state(state))
        longest = aggregate(waited, max, every = 1s)
        results longest
    """,
    events="""
        08:00:00 a state=waiting
        08:00:20 b state=waiting
        08:01:00 a state=talking
        08:01:30 c state=waiting
        08:01:10 b state=waiting   # late, and still waiting
        08:02:00 b state=gone
        08:02:10 c state=talking
        08:03:00 a state=ended
        08:01:50 d state=waiting   # late
        08:02:30 d state=talking
        08:04:00 c state=waiting   # transferred
        08:04:30 c state=ended
    """,
    by_group=True,
    ends="08:04:31",
)
def ask_longest_wait(past: list[Happened], at: float) -> dict[str, float | None]:
    now, waits = at // 1, list[float]()
    for own in group_by_key(past).values():
        since: float | None = None
        for event in own:
            if event.at <= now:
                since = (event.at if since is None else since) if event["state"] == "waiting" else None
        waits += [] if since is None else [now - since]
    return {"*": max(waits) if waits else None}


@Asks(
    "What share of a call was the caller on hold?",
    title="Share of a call on hold",
    source="Call centres: hold time ratio",
    words="on hold, hold time, ratio, call, share of time",
    plan="""
        stream call(key = call, time = at, unit = iso8601, id = id,
            fields = {state: text}, allowed_lateness = 10min)
        state = latest_event_to_state(call.state)
        on_hold = duration_where(state == "hold")
        in_call = duration_where(state == "hold" or state == "talking")
        share = on_hold / in_call
        results share
    """,
    events="""
        08:00:00 a state=waiting
        08:00:30 a state=talking
        08:01:00 b state=talking
        08:01:30 a state=hold
        08:02:30 a state=talking
        08:02:00 b state=hold
        08:01:45 b state=talking   # late
        08:04:00 a state=ended
        08:03:30 a state=hold      # late
        08:05:00 b state=ended
    """,
)
def ask_on_hold(past: list[Happened], at: float) -> float | None:
    spans = [*list_spans(past, at, "state")]
    on_hold = sum(end - begin for state, begin, end in spans if state == "hold")
    in_call = sum(end - begin for state, begin, end in spans if state in ("hold", "talking"))
    return on_hold / in_call if in_call else None


@Asks(
    "What share of the calls was answered within twenty seconds?",
    title="Service level of calls",
    source="Call centres: 80/20 service level",
    words="sla, service level, answered within, share, target",
    plan="""
        stream call(key = call, time = at, unit = iso8601, id = id,
            fields = {state: text}, allowed_lateness = 10min)
        answer = sequence(steps = {rang: call.state == "waiting", talked: call.state == "talking"}, within = 20s)
        in_time = aggregate(answer == "completed", count)
        rang = aggregate(has_existed(call.state == "waiting"), count)
        level = in_time / rang
        results level
    """,
    events="""
        08:00:00 a state=waiting
        08:00:10 b state=waiting
        08:00:15 a state=talking
        08:00:30 b state=talking   # twenty seconds: too late
        08:01:00 c state=waiting
        08:01:10 d state=waiting
        08:01:05 c state=talking   # late
        08:01:40 d state=gone
        08:02:00 a state=ended
        08:02:10 e state=waiting
        08:02:29 e state=talking
    """,
    by_group=True,
)
def ask_service_level(past: list[Happened], at: float) -> dict[str, float | None]:
    answered = []
    for own in group_by_key(past).values():
        begin = own[0].at
        answered.append(any(event["state"] == "talking" and event.at - begin < 20 for event in own))
    return {"*": sum(answered) / len(answered)}


@Asks(
    "What share of the beds of each ward is taken?",
    title="Occupancy of beds by ward",
    source="Hospital boards: bed occupancy",
    words="occupancy, beds, ward, share, capacity, utilisation",
    plan="""
        stream bed(key = bed, time = at, unit = iso8601, id = id,
            fields = {taken: bool, ward: text}, allowed_lateness = 1d)
        taken = latest_event_to_state(bed.taken)
        ward = latest_event_to_state(bed.ward)
        occupancy = aggregate(taken, share, by = ward)
        results occupancy
    """,
    events="""
        2026-03-02T08:00 b1 ward=north taken=true
        2026-03-02T08:00 b2 ward=north taken=false
        2026-03-02T08:10 b3 ward=south taken=false
        2026-03-02T10:00 b2 taken=true
        2026-03-02T12:00 b1 taken=false
        2026-03-02T09:00 b3 taken=true      # late
        2026-03-03T07:00 b3 ward=north      # moved
        2026-03-03T08:00 b4 ward=south
        2026-03-02T20:00 b3 taken=false     # late
        2026-03-03T09:00 b4 taken=true
    """,
    by_group=True,
)
def ask_occupancy(past: list[Happened], at: float) -> dict[str, float | None]:
    beds: dict[str, list[bool]] = {event["ward"]: [] for event in past if event["ward"]}
    for own in group_by_key(past).values():
        if find_latest(own, "taken") is not None:
            beds[find_latest(own, "ward")].append(find_latest(own, "taken"))
    return {ward: sum(taken) / len(taken) if taken else None for ward, taken in beds.items()}


@Asks(
    "Which nurse calls have not been answered for five minutes?",
    title="Call that nobody answers",
    source="Nurse call systems: escalation",
    words="escalation, unanswered, no reaction, alarm, latch",
    plan="""
        stream room(key = room, time = at, unit = iso8601, id = id,
            fields = {event: text}, allowed_lateness = 10min)
        state = latest_event_to_state(room.event)
        calls = state == "call"
        escalate = held_for(calls, 5min)
        results escalate
    """,
    events="""
        08:00 r1 event=call
        08:01 r2 event=call
        08:02 r1 event=call      # rings again
        08:04 r2 event=nurse
        08:07 r1 event=nurse
        08:10 r2 event=call
        08:13 r2 event=nurse     # late
        08:11 r2 event=call      # late
        08:20 r1 event=call
        08:24 r1 event=nurse
        08:30 r2 event=call
    """,
)
def ask_unanswered(past: list[Happened], at: float) -> bool:
    since: float | None = None
    for event in past:
        since = (event.at if since is None else since) if event["event"] == "call" else None
    return since is not None and at - since >= 300
