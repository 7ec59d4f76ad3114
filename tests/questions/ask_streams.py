"""Streams of events: sessions, patterns, copies, totals, what came in between."""

from __future__ import annotations

from itertools import pairwise

from tests.questions.question import Asks, Happened
from tests.questions.slow import group_by_key

WORK = "Event streams"


@Asks(
    "How many sessions has a user had, when more than half an hour without an event ends one?",
    title="Number of sessions",
    source="ksqlDB 1995, Hazelcast Jet 747, Beam 18677; Flink: session windows",
    words="sessionize, session window, inactivity gap, visits",
    plan="""
        stream view(key = user, time = at, unit = iso8601, id = id, fields = {}, allowed_lateness = 1h)
        active = has_existed_within(view, true, 30min)
        sessions = changed_to(active, true)
        results sessions
    """,
    events="""
        10:00 ann
        10:10 ann
        10:05 bob
        10:50 ann
        11:00 ann
        10:35 bob    # half an hour to the second: the same session still
        11:45 ann
        11:20 ann    # late: joins two sessions
        10:40 bob
        13:00 bob
        13:10 ann
        12:15 ann    # late
    """,
)
def ask_sessions(past: list[Happened], at: float) -> int:
    return 1 + sum(after.at - before.at > 1800 for before, after in pairwise(past))


@Asks(
    "How many pages has the user seen in the session that is on?",
    title="Page views of the current session",
    source="Bytewax 203, Kaskada 297",
    words="session, page views, since, window, current visit",
    plan="""
        stream view(key = user, time = at, unit = iso8601, id = id, fields = {}, allowed_lateness = 1h)
        active = has_existed_within(view, true, 30min)
        views = since(event_count(view), when = active, side = before)
        in_session = when(active, views)
        results in_session
    """,
    events="""
        10:00 ann
        10:10 ann
        10:05 bob
        10:50 ann
        11:00 ann
        10:20 bob
        11:45 ann
        11:20 ann    # late: joins two sessions
        10:40 bob
        13:00 bob
        13:10 ann
        12:10 ann    # late
    """,
)
def ask_views_in_session(past: list[Happened], at: float) -> int | None:
    views, before = 0, past[0].at
    for event in past:
        views = views + 1 if event.at - before <= 1800 else 1
        before = event.at
    return views if at - before < 1800 else None


@Asks(
    "For how many seconds did the user's latest finished session last, from its first event to its last?",
    title="Length of a session",
    source="ksqlDB 1995 (a session ends with its last event); Flink: session windows",
    words="session duration, engagement, session window, length",
    plan="""
        stream view(key = user, time = at, unit = iso8601, id = id, fields = {}, allowed_lateness = 1h)
        active = has_existed_within(view, true, 30min)
        lasted = value_at(duration_in_current_state(active), when = not active, side = before)
        # The half hour of silence is no part of it.
        seconds = lasted - 30min
        results seconds
    """,
    events="""
        10:00 ann
        10:10 ann
        10:05 bob
        10:50 ann
        11:00 ann
        10:20 bob
        11:45 ann
        11:20 ann    # late: joins two sessions
        10:40 bob
        13:00 bob
        13:10 ann
        12:10 ann    # late
    """,
)
def ask_session_length(past: list[Happened], at: float) -> float | None:
    begin, lasted = past[0].at, None
    for before, after in pairwise([*(event.at for event in past), at]):
        if after - before >= 1800:
            begin, lasted = after, before - begin
    return lasted


@Asks(
    "Which orders were paid for and not shipped within two hours?",
    title="A and not B within two hours",
    source="Flink cookbook: alert on a missing event; Flink CEP: notFollowedBy, within",
    words="missing event, A without B, timeout, not followed by, absence",
    plan="""
        stream shop(key = order, time = at, unit = iso8601, id = id,
            fields = {state: text}, allowed_lateness = 1h)
        delivery = sequence(steps = {paid: shop.state == "paid", shipped: shop.state == "shipped"}, within = 2h)
        late = delivery == "expired"
        results late
    """,
    events="""
        08:00 o1 state=created
        08:05 o1 state=paid
        08:10 o2 state=created
        08:20 o2 state=paid
        09:00 o3 state=paid
        10:06 o1 state=shipped
        10:10 o2 state=shipped
        09:50 o3 state=shipped   # late
        10:20 o4 state=paid
        11:00 o5 state=created
        10:30 o4 state=cancelled
        12:30 o5 state=paid
        12:19 o4 state=shipped   # late
    """,
)
def ask_not_shipped(past: list[Happened], at: float) -> bool:
    paid = next((event.at for event in past if event["state"] == "paid"), None)
    if paid is None or at - paid < 7200:
        return False
    return not any(event["state"] == "shipped" and paid < event.at < paid + 7200 for event in past)


@Asks(
    "How many different messages has each sender sent, when some of them were delivered twice?",
    title="Count without copies",
    source="Flink cookbook: deduplication by id",
    words="deduplication, duplicates, distinct, exactly once, idempotent, retries",
    plan="""
        stream message(key = sender, time = at, unit = iso8601, id = id, fields = {}, allowed_lateness = 1h)
        messages = event_count(message)
        results messages
    """,
    events="""
        08:00 ann id=1
        08:00 ann id=1
        08:01 bob id=1        # another sender's
        08:02 ann id=2
        08:05 ann id=3
        08:02 ann id=2        # a copy, late
        08:06 bob id=2
        08:07 bob id=3
        08:04 bob id=4        # late
        08:07 bob id=3
        08:09 ann id=4
    """,
)
def ask_without_copies(past: list[Happened], at: float) -> int:
    return len({event["id"] for event in past})


@Asks(
    "How much has each customer spent so far, and all of them per country?",
    title="Running total by group",
    source="Flink SQL: running totals; SUM() OVER (ORDER BY)",
    words="running total, cumulative sum, group by, country",
    plan="""
        stream order(key = customer, time = at, unit = iso8601, id = id,
            fields = {country: text, price: number, quantity: number}, allowed_lateness = 1h)
        spent = event_sum(order.price * order.quantity)
        country = latest_event_to_state(order.country)
        by_country = aggregate(spent, sum, by = country)
        results by_country
    """,
    events="""
        08:00 ann country=DK price=10 quantity=2
        08:10 bob country=SE price=5 quantity=1
        08:20 cid country=DK price=0.1 quantity=3
        08:30 ann price=7 quantity=1
        08:15 bob price=2.5 quantity=2     # late
        08:40 bob country=DK               # moved: takes along what was spent
        08:50 cid price=1 quantity=10
        08:35 cid price=4 quantity=1       # late
        09:00 dan country=SE price=100 quantity=1
        09:10 dan price=-100 quantity=1    # sent back
    """,
    by_group=True,
)
def ask_total_by_country(past: list[Happened], at: float) -> dict[str, float]:
    totals = {event["country"]: 0.0 for event in past if event["country"]}
    for own in group_by_key(past).values():
        country = [event["country"] for event in own if event["country"]][-1]
        totals[country] += sum(event["price"] * event["quantity"] for event in own if event["price"])
    return totals


@Asks(
    "How many pages has a visitor looked at before each purchase, since the one before?",
    title="Events between two purchases",
    source="Kaskada: windows between events, since(purchase)",
    words="between events, since, window, per purchase, feature",
    plan="""
        stream shop(key = visitor, time = at, unit = iso8601, id = id,
            fields = {kind: text}, allowed_lateness = 1h)
        views = event_count(shop.kind == "view")
        since_purchase = since(views, shop.kind == "purchase")
        before_purchase = value_at(since_purchase, shop.kind == "purchase", side = before)
        results before_purchase
    """,
    events="""
        08:00 ann kind=view
        08:01 ann kind=view
        08:02 ann kind=purchase
        08:03 bob kind=purchase
        08:04 bob kind=view
        08:05 ann kind=view
        08:06 ann kind=purchase
        08:04:30 ann kind=view    # late
        08:07 bob kind=view
        08:09 bob kind=purchase
        08:08 bob kind=purchase   # late: two purchases
        08:10 ann kind=view
    """,
)
def ask_between_purchases(past: list[Happened], at: float) -> int | None:
    views, before = 0, None
    for event in past:
        if event["kind"] == "view":
            views += 1
        else:
            views, before = 0, views
    return before


@Asks(
    "Which quote held at each trade, unless it was older than ten seconds?",
    title="The latest quote at each trade",
    source="pandas merge_asof (13695, 61164); RisingWave 25939",
    words="as-of join, merge_asof, tolerance, temporal join, value at",
    plan="""
        stream quote(key = share, time = at, unit = iso8601, id = id,
            fields = {bid: number}, allowed_lateness = 1min)
        stream trade(key = share, time = at, unit = iso8601, id = id, fields = {}, allowed_lateness = 1min)
        fresh = has_existed_within(quote, true, 10s)
        bid = when(fresh, latest_event_to_state(quote.bid))
        at_trade = value_at(bid, trade, true)
        results at_trade
    """,
    events="""
        quote 10:00:00 AB bid=10
        trade 10:00:03 AB
        quote 10:00:04 AB bid=10.5
        trade 10:00:04 AB          # the same instant: the new quote holds
        trade 10:00:20 AB          # too old
        quote 10:00:21 CD bid=7
        trade 10:00:22 CD
        quote 10:00:15 AB bid=11   # late: the trade has a quote after all
        trade 10:00:31 CD          # ten seconds: too old
        trade 10:00:30 AB
        trade 10:00:24 AB          # late
        quote 10:00:40 CD bid=8
    """,
)
def ask_quote_at_trade(past: list[Happened], at: float) -> float | None:
    bid: float | None = None
    trades = [event.at for event in past if event.stream == "trade"]
    for event in past:
        if trades and event.stream == "quote" and trades[-1] - 10 < event.at <= trades[-1]:
            bid = event["bid"]
    return bid
