"""Fraud and security: cards, logins and transfers that come too often, too far apart, or too soon."""

from __future__ import annotations

from tests.questions.question import Asks, Happened

WORK = "Fraud and security"


@Asks(
    "Which cards were used in two countries within one hour?",
    title="Card used in two countries within an hour",
    source="The questions that this product was first made for; rules of impossible travel in card fraud",
    words="impossible travel, velocity, distinct within, location",
    plan="""
        stream payment(key = card, time = at, unit = iso8601, id = id,
            fields = {country: text}, allowed_lateness = 1h)
        countries = values_within(payment.country, 1h, distinct)
        impossible = countries > 1
        results impossible
    """,
    events="""
        08:00 c1 country=DK
        08:10 c2 country=DK
        08:40 c1 country=DK
        09:10 c2 country=SE  # an hour after Denmark, to the second: too late to count
        09:15 c1 country=ES
        08:55 c1 country=DK  # late
        09:20 c3 country=FR
        09:20 c3 country=IT
        10:30 c1 country=ES
        10:05 c2 country=DK
        11:45 c3 country=FR
        10:00 c2 country=SE  # late
        10:40 c1
    """,
)
def ask_two_countries(past: list[Happened], at: float) -> bool:
    return len({event["country"] for event in past if event["country"] and at - event.at < 3600}) > 1


@Asks(
    "How many different cards were tried at a machine within the last ten minutes, and was it more than three?",
    title="Many different cards at one machine",
    source="Threads on distinct counts in windows (ksqlDB 506, Siddhi 213)",
    words="card testing, skimming, distinct count, velocity",
    plan="""
        stream tap(key = machine, time = at, unit = iso8601, id = id,
            fields = {card: text}, allowed_lateness = 10min)
        cards = values_within(tap.card, 10min, distinct)
        suspicious = cards > 3
        results suspicious
    """,
    events="""
        08:00:00 m1 card=A
        08:01:00 m1 card=B
        08:02:00 m1 card=A
        08:02:30 m2 card=A
        08:04:00 m1 card=C
        08:09:59 m1 card=D
        08:12:00 m2 card=B
        08:12:30 m2 card=C
        08:05:00 m2 card=D  # late
        08:12:25 m2 card=D
        08:30:00 m1 card=A
        08:29:00 m1 card=A  # late
    """,
)
def ask_many_cards(past: list[Happened], at: float) -> bool:
    return len({event["card"] for event in past if at - event.at < 600}) > 3


@Asks(
    "Whose password is somebody guessing: more than three failed logins within five minutes?",
    title="Failed logins within five minutes",
    source="Grafana and SIEM rules for brute force",
    words="brute force, velocity, count within, login, password",
    plan="""
        stream login(key = user, time = at, unit = iso8601, id = id,
            fields = {result: text}, allowed_lateness = 5min)
        failures = count_within(login.result == "failed", 5min)
        attacked = failures > 3
        results attacked
    """,
    events="""
        08:00:00 ann result=failed
        08:00:20 ann result=failed
        08:00:50 bob result=ok
        08:01:00 ann result=ok
        08:01:30 ann result=failed
        08:03:00 bob result=failed
        08:04:00 ann result=failed
        08:06:00 bob result=failed
        08:05:00 bob result=failed  # late
        08:07:59 bob result=failed
        08:08:00 bob result=failed
        08:20:00 ann result=failed
        08:06:30 ann result=failed  # late
    """,
)
def ask_failed_logins(past: list[Happened], at: float) -> bool:
    return bool(sum(event["result"] == "failed" and at - event.at < 300 for event in past) > 3)


@Asks(
    "Who spends more than 1,000 within a day?",
    title="More than a limit spent within a day",
    source="Fraud velocity rules (count and sum within a window), as in Flink's fraud detection walkthrough",
    words="velocity, sum within, spending limit, amount",
    plan="""
        stream payment(key = card, time = at, unit = iso8601, id = id,
            fields = {amount: number}, allowed_lateness = 1d)
        spent = sum_within(payment.amount, 1d)
        over_limit = spent > 1000
        results over_limit
    """,
    events="""
        2026-03-02T08:00 c1 amount=400
        2026-03-02T09:00 c2 amount=900
        2026-03-02T12:00 c1 amount=500
        2026-03-02T20:00 c1 amount=100
        2026-03-03T07:59 c1 amount=0.5
        2026-03-03T09:00 c2 amount=900   # exactly one day later
        2026-03-03T10:00 c2 amount=-850  # paid back
        2026-03-02T23:00 c2 amount=100   # late
        2026-03-03T12:00 c3 amount=1000
        2026-03-03T12:00 c3 amount=0.01
    """,
)
def ask_spent_in_a_day(past: list[Happened], at: float) -> bool:
    return bool(sum(event["amount"] for event in past if at - event.at < 86_400) > 1000)


@Asks(
    "Was money moved within ten minutes of a change of password, before the new one was confirmed?",
    title="Transfer soon after a change of password",
    source="Account takeover rules; Flink CEP: A then B, not C in between",
    words="account takeover, pattern, A then B without C, sequence",
    plan="""
        stream bank(key = account, time = at, unit = iso8601, id = id,
            fields = {action: text}, allowed_lateness = 10min)
        taken = sequence(
            steps = {changed: bank.action == "password", moved: bank.action == "transfer"},
            within = 10min, not = [bank.action == "confirmed"])
        alarm = taken == "completed"
        results alarm
    """,
    events="""
        08:00 a1 action=login
        08:01 a1 action=password
        08:02 a2 action=password
        08:04 a2 action=confirmed
        08:06 a1 action=transfer
        08:05 a2 action=transfer
        08:30 a1 action=password
        08:40 a1 action=transfer   # ten minutes: too late to be suspicious
        08:50 a3 action=transfer
        08:51 a3 action=password
        08:59 a3 action=transfer
        08:55 a3 action=confirmed  # late
    """,
)
def ask_transfer_after_password(past: list[Happened], at: float) -> bool | None:
    changed: float | None = None
    alarm = False
    for event in past:
        if changed is not None and event.at - changed >= 600:
            changed = None
        if event["action"] == "password" and changed is None:
            changed, alarm = event.at, False
        elif changed is not None and event["action"] == "confirmed":
            changed = None
        elif changed is not None and event["action"] == "transfer":
            changed, alarm = None, True
    return alarm


@Asks(
    "What is the longest time that an account has been in a risky state?",
    title="Longest time in a risky state",
    source="The questions that this product was first made for",
    words="longest, maximum duration, worst, time in state",
    plan="""
        stream account(key = account, time = at, unit = iso8601, id = id,
            fields = {risk: text}, allowed_lateness = 1h)
        risky = latest_event_to_state(account.risk) == "high"
        for_so_long = duration_in_current_state(risky)
        calm = not risky
        ended = value_at(for_so_long, when = calm, side = before)
        longest = running_max(ended)
        results longest
    """,
    events="""
        08:00 a1 risk=high
        08:05 a2 risk=low
        08:10 a1 risk=low
        08:20 a2 risk=high
        08:30 a1 risk=high
        08:29 a1 risk=high  # late: the second stretch began earlier
        08:31 a1 risk=low
        08:50 a2 risk=low
        08:35 a2 risk=high  # late
        08:55 a2 risk=high
        08:57 a2 risk=low
        09:00 a1 risk=high
    """,
)
def ask_longest_risky(past: list[Happened], at: float) -> float | None:
    since: float | None = None
    longest: float | None = None
    for event in past:
        if event["risk"] == "high" and since is None:
            since = event.at
        elif event["risk"] != "high" and since is not None:
            longest = max(longest or 0, event.at - since)
            since = None
    return longest
