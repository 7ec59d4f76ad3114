"""Orders and subscriptions: promises, revenue, churn, best sellers."""

from __future__ import annotations

from datetime import UTC, datetime

from tests.questions.question import MONDAY, Asks, Happened
from tests.questions.slow import find_latest, group_by_key

WORK = "Orders and subscriptions"
DAY = 86_400


@Asks(
    "Which deliveries are on their way for longer than was promised?",
    title="Delivery later than promised",
    source="Delivery services: late orders against the promised time",
    words="late, promise, eta, delivery, overdue, deadline",
    plan="""
        stream delivery(key = order, time = at, unit = iso8601, id = id,
            fields = {state: text, promised_minutes: number}, allowed_lateness = 1h)
        on_its_way = latest_event_to_state(delivery.state) != "delivered"
        promised = latest_event_to_state(delivery.promised_minutes * 60)
        takes = time_since(delivery, not delivery.promised_minutes is missing)
        late = takes > promised and on_its_way
        results late
    """,
    events="""
        12:00 o1 state=ordered promised_minutes=30
        12:05 o2 state=ordered promised_minutes=20
        12:20 o1 state=cooked
        12:26 o2 state=cooked
        12:30 o2 state=delivered
        12:28 o1 state=delivered                      # late: it came in time
        12:40 o3 state=ordered promised_minutes=15
        12:50 o3 state=cooked
        12:45 o3 state=ordered promised_minutes=40    # late: a new promise
        13:26 o3 state=delivered
        13:30 o4 state=ordered promised_minutes=1
    """,
)
def ask_late_delivery(past: list[Happened], at: float) -> bool:
    promise = [event for event in past if event["promised_minutes"] is not None][-1]
    return bool(past[-1]["state"] != "delivered" and at - promise.at > promise["promised_minutes"] * 60)


@Asks(
    "Which share of each depot's parcels took more than a day from order to door?",
    title="Share of slow deliveries",
    source="Stack Overflow: difference of two timestamp columns; dbt: lead time; Kaskada: seconds_between",
    words="lead time, duration between two columns, datediff, time to deliver, two timestamps in a row",
    plan="""
        stream parcel(key = depot, time = delivered, unit = iso8601, id = id, allowed_lateness = 1d)
        slow = event_count(time - parcel.ordered > 1d)
        share = slow / event_count(parcel)
        results share
    """,
    events="""
        08:00 north ordered=2026-03-01T09:30:00Z
        08:10 north ordered=2026-03-01T08:00:00Z
        08:20 south ordered=2026-03-02T07:00:00Z
        08:30 north ordered=2026-02-27T08:00:00+01:00
        08:25 north ordered=2026-03-01T08:25:00Z      # a day to the microsecond
        08:40 south                                   # nobody knows
        08:50 south ordered=2026-03-01T20:00:00Z
        08:35 south ordered=2026-02-28                # late
        09:00 north ordered=2026-03-02T08:30:00Z
        09:10 south ordered=2026-03-01T09:09:59.999Z
    """,
)
def ask_slow_deliveries(past: list[Happened], at: float) -> float:
    slow = 0
    for event in past:
        try:
            ordered = datetime.fromisoformat(event["ordered"] or "")
        except ValueError:
            continue
        ordered = ordered if ordered.tzinfo else ordered.replace(tzinfo=UTC)
        slow += (MONDAY - ordered).total_seconds() + event.at > 86_400
    return slow / len(past)


@Asks(
    "What is the monthly recurring revenue of each plan now?",
    title="Monthly recurring revenue by plan",
    source="Subscription metrics (Stripe, ChartMogul): MRR",
    words="mrr, recurring revenue, subscriptions, sum by group, saas",
    plan="""
        stream subscription(key = customer, time = at, unit = iso8601, id = id,
            fields = {plan: text, price: number}, allowed_lateness = 1d)
        price = latest_event_to_state(subscription.price)
        plan = latest_event_to_state(subscription.plan)
        mrr = aggregate(price, sum, by = plan)
        results mrr
    """,
    events="""
        2026-03-02T08:00 ann plan=basic price=10
        2026-03-02T09:00 bob plan=pro price=40
        2026-03-03T08:00 cid plan=basic price=10
        2026-03-05T08:00 ann plan=pro price=40
        2026-03-04T08:00 bob plan=pro price=35.5  # late
        2026-03-06T08:00 cid price=0              # cancelled
        2026-03-07T08:00 dan plan=basic price=12
        2026-03-06T20:00 cid plan=pro price=20    # late: came back
        2026-03-08T08:00 bob price=0
        2026-03-09T08:00 dan price=0
    """,
    by_group=True,
)
def ask_mrr(past: list[Happened], at: float) -> dict[str, float]:
    revenue = {event["plan"]: 0.0 for event in past if event["plan"]}
    for own in group_by_key(past).values():
        revenue[find_latest(own, "plan")] += find_latest(own, "price")
    return revenue


@Asks(
    "What share of those who have ever subscribed has cancelled?",
    title="Share of customers who have cancelled",
    source="Subscription metrics (Stripe, ChartMogul): churn",
    words="churn, cancelled, share, customers, retention",
    plan="""
        stream subscription(key = customer, time = at, unit = iso8601, id = id,
            fields = {state: text}, allowed_lateness = 1d)
        subscribed = has_existed(subscription.state == "active")
        cancelled = latest_event_to_state(subscription.state) == "cancelled"
        churned = aggregate(cancelled, count)
        all = aggregate(subscribed, count)
        churn = churned / all
        results churn
    """,
    events="""
        2026-03-02T08:00 ann state=trial
        2026-03-02T09:00 bob state=active
        2026-03-03T08:00 ann state=active
        2026-03-04T08:00 bob state=cancelled
        2026-03-05T08:00 cid state=active
        2026-03-04T12:00 bob state=active      # late: changed his mind
        2026-03-06T08:00 cid state=cancelled
        2026-03-07T08:00 dan state=trial
        2026-03-05T20:00 ann state=cancelled   # late
        2026-03-08T08:00 dan state=active
    """,
    by_group=True,
)
def ask_churn(past: list[Happened], at: float) -> dict[str, float | None]:
    own = group_by_key(past).values()
    subscribed = [events for events in own if any(event["state"] == "active" for event in events)]
    churned = sum(events[-1]["state"] == "cancelled" for events in own)
    return {"*": churned / len(subscribed) if subscribed else None}


@Asks(
    "How many pieces of the product that sells best were sold within the last day?",
    title="Best seller of the last day",
    source="Flink cookbook: top-N by key",
    words="top, best seller, ranking, maximum over groups, leaderboard",
    plan="""
        stream sale(key = product, time = at, unit = iso8601, id = id,
            fields = {pieces: number}, allowed_lateness = 1d)
        sold = sum_within(sale.pieces, 1d)
        best = aggregate(sold, max, every = 1min)
        results best
    """,
    events="""
        2026-03-02T08:00 tea pieces=3
        2026-03-02T09:00 rum pieces=1
        2026-03-02T10:00 rum pieces=4
        2026-03-02T12:00 tea pieces=1
        2026-03-02T11:00 tea pieces=5     # late
        2026-03-03T07:00 rum pieces=2
        2026-03-03T08:00 tea pieces=1
        2026-03-02T20:00 soap pieces=6    # late
        2026-03-03T10:30 rum pieces=1
        2026-03-03T11:30 soap pieces=1
    """,
    by_group=True,
    ends="2026-03-03T11:31",
)
def ask_best_seller(past: list[Happened], at: float) -> dict[str, float]:
    now = at // 60 * 60
    recent = [event for event in past if now - DAY < event.at <= now]
    totals = [sum(event["pieces"] for event in own) for own in group_by_key(recent).values()]
    return {"*": float(max(totals, default=0))}


@Asks(
    "Which articles have had fewer than five pieces in stock for an hour?",
    title="Stock below a limit for an hour",
    source="Stock keeping: reorder point",
    words="stock, inventory, reorder, below, running sum",
    plan="""
        stream stock(key = article, time = at, unit = iso8601, id = id,
            fields = {change: number}, allowed_lateness = 1h)
        pieces = event_sum(stock.change)
        short = pieces < 5
        reorder = held_for(short, 1h)
        results reorder
    """,
    events="""
        08:00 tea change=10
        08:10 tea change=-4
        08:20 rum change=3
        08:30 tea change=-2
        09:00 rum change=4
        08:50 rum change=-1    # late
        09:20 tea change=-1
        09:40 rum change=-3
        09:10 tea change=2     # late
        10:30 tea change=-1
        11:00 rum change=20
    """,
)
def ask_reorder(past: list[Happened], at: float) -> bool:
    pieces, since = 0, None
    for event in past:
        pieces += event["change"]
        since = (event.at if since is None else since) if pieces < 5 else None
    return since is not None and at - since >= 3600
