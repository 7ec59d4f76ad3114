"""Video and advertisement: what viewers saw, waited for, and bought afterwards."""

from __future__ import annotations

from tests.questions.question import Asks, Happened
from tests.questions.slow import count_seconds_where

WORK = "Video and advertisement"


@Asks(
    """For how many seconds did a session rebuffer because of its connection: after it first played, and not within
    five seconds after the viewer sought?""",
    title="Rebuffering that the connection caused",
    source="The questions that this product was first made for (CIRR; the timeline paper, CIDR 2023)",
    words="cirr, buffering, quality of experience, seek, stall",
    plan="""
        stream player(key = session, time = at, unit = iso8601, id = id,
            fields = {state: text, action: text}, allowed_lateness = 1min)
        played = has_existed(player.state == "play")
        seeking = has_existed_within(player.action == "seek", 5s)
        buffering = latest_event_to_state(player.state) == "buffer"
        cirr = duration_where(played and not seeking and buffering)
        results cirr
    """,
    events="""
        10:00:00 s1 state=init
        10:00:01 s1 state=buffer
        10:00:03 s1 state=play
        10:00:05 s2 state=buffer
        10:00:20 s1 action=seek
        10:00:21 s1 state=buffer
        10:00:24 s1 state=play
        10:00:30 s1 state=buffer
        10:00:09 s2 state=play     # late
        10:00:12 s2 state=buffer
        10:00:14 s2 action=seek
        10:00:40 s1 state=play
        10:00:50 s2 state=play
        10:00:33 s1 action=seek    # late: it excuses five of the ten seconds
    """,
)
def ask_rebuffering(past: list[Happened], at: float) -> float:
    played, state, seek, total = False, None, float("-inf"), 0.0
    for event, end in zip(past, [*(event.at for event in past[1:]), at], strict=True):
        state = event["state"] or state
        played = played or state == "play"
        seek = event.at if event["action"] == "seek" else seek
        if played and state == "buffer":
            total += max(0.0, end - max(event.at, seek + 5))
    return total


@Asks(
    "What share of its time since it first played has a session been buffering?",
    title="Rebuffering ratio of a session",
    source="Quality of experience metrics of video players (Conviva, Mux)",
    words="rebuffer percentage, qoe, ratio, share of time",
    plan="""
        stream player(key = session, time = at, unit = iso8601, id = id,
            fields = {state: text}, allowed_lateness = 1min)
        state = latest_event_to_state(player.state)
        played = has_existed(player.state == "play")
        rebuffering = duration_where(played and state == "buffer")
        ratio = rebuffering / duration_where(played)
        results ratio
    """,
    events="""
        10:00:00 s1 state=buffer
        10:00:10 s1 state=play
        10:00:12 s2 state=play
        10:00:30 s1 state=buffer
        10:00:35 s2 state=buffer
        10:00:40 s1 state=play
        10:00:38 s2 state=play    # late
        10:01:00 s2 state=ended
        10:00:50 s1 state=buffer  # late
        10:01:10 s1 state=ended
    """,
)
def ask_rebuffering_ratio(past: list[Happened], at: float) -> float | None:
    first = next((event.at for event in past if event["state"] == "play"), None)
    if first is None or at <= first:
        return None
    since = [event for event in past if event.at >= first]
    return count_seconds_where(since, at, lambda event: event["state"] == "buffer") / (at - first)


@Asks(
    "Who bought a product within half an hour after its advertisement was shown?",
    title="Bought after an advertisement",
    source="The questions that this product was first made for; attribution windows",
    words="attribution, conversion, A then B within, advertisement, sequence",
    plan="""
        stream ad(key = viewer, time = at, unit = iso8601, id = id, fields = {}, allowed_lateness = 30min)
        stream order(key = viewer, time = at, unit = iso8601, id = id,
            fields = {product: text}, allowed_lateness = 30min)
        won = sequence(steps = {seen: ad, bought: order.product == "shoes"}, within = 30min)
        purchases = sequence_count(won, completed)
        results purchases
    """,
    events="""
        ad 10:00 ann
        order 10:05 ann product=socks
        ad 10:10 bob
        order 10:20 ann product=shoes
        order 10:25 ann product=shoes  # no advertisement since the first pair
        ad 10:15 cid
        ad 10:30 ann
        order 10:40 bob product=shoes  # half an hour: too late
        order 10:44 cid product=shoes
        ad 10:35 bob                   # late, and within the run that has expired
        order 10:59 ann product=shoes  # late
        order 11:04 bob product=shoes
    """,
)
def ask_bought_after_ad(past: list[Happened], at: float) -> int:
    purchases, seen = 0, None
    for event in past:
        if seen is not None and event.at - seen >= 1800:
            seen = None
        if event.stream == "ad" and seen is None:
            seen = event.at
        elif event.stream == "order" and event["product"] == "shoes" and seen is not None:
            purchases, seen = purchases + 1, None
    return purchases


@Asks(
    "What share of the videos that were started on each kind of device was watched to the end?",
    title="Completion rate of videos by device",
    source="The questions that this product was first made for",
    words="completion rate, share, group by, device",
    plan="""
        stream playback(key = session, time = at, unit = iso8601, id = id,
            fields = {type: text, device: text}, allowed_lateness = 10min)
        device = latest_event_to_state(playback.device)
        started = aggregate(event_count(playback.type == "start"), sum, by = device)
        completed = aggregate(event_count(playback.type == "complete"), sum, by = device)
        rate = completed / started
        results rate
    """,
    events="""
        10:00 s1 type=start device=tv
        10:01 s2 type=start device=phone
        10:02 s3 type=start device=tv
        10:05 s2 type=complete
        10:06 s2 type=start
        10:20 s1 type=complete
        10:08 s4 type=start device=phone  # late
        10:25 s4 type=complete
        10:30 s5 type=start device=tablet
        10:22 s3 type=start               # late
        10:40 s3 type=complete
    """,
    by_group=True,
)
def ask_completion_rate(past: list[Happened], at: float) -> dict[str, float | None]:
    device = {event.key: event["device"] for event in past if event["device"]}
    rates: dict[str, float | None] = {}
    for name in device.values():
        own_items = [event["type"] for event in past if device[event.key] == name]
        rates[name] = own_items.count("complete") / own_items.count("start")
    return rates


@Asks(
    "How many seconds passed from a viewer's click to the first picture?",
    title="Seconds from click to first picture",
    source="Video startup time (Mux, Conviva)",
    words="startup time, latency, time to first frame, sequence",
    plan="""
        stream player(key = session, time = at, unit = iso8601, id = id,
            fields = {event: text}, allowed_lateness = 1min)
        start = sequence(steps = {click: player.event == "click", picture: player.event == "picture"})
        startup = sequence_duration(start)
        results startup
    """,
    events="""
        10:00:00 s1 event=click
        10:00:01 s2 event=click
        10:00:02.500 s1 event=picture
        10:00:03 s1 event=picture
        10:00:20 s2 event=picture
        10:00:18 s2 event=click      # late: ignored, a click is waiting already
        10:01:00 s1 event=click
        10:01:09 s1 event=picture
        10:01:04 s1 event=picture    # late: the picture came earlier
        10:02:00 s2 event=click
    """,
)
def ask_startup(past: list[Happened], at: float) -> float | None:
    clicked: float | None = None
    startup: float | None = None
    for event in past:
        if event["event"] == "click" and clicked is None:
            clicked = event.at
        elif event["event"] == "picture" and clicked is not None:
            startup, clicked = event.at - clicked, None
    return startup
