"""Product analytics: funnels, active users, retention."""

from __future__ import annotations

from tests.questions.question import Asks, Happened
from tests.questions.slow import group_by_key

WORK = "Product analytics"
DAY = 86_400
STEPS = ("visit", "signup", "purchase")


def count_steps(own: list[Happened], limit: float) -> tuple[int, float, float]:
    """How many steps of its first run a user has taken, and when the first and the last of them."""
    reached, begin, last = 0, 0.0, 0.0
    for event in own:
        if reached and event.at - begin >= limit:
            break
        if reached < len(STEPS) and event["page"] == STEPS[reached]:
            begin, last, reached = (begin if reached else event.at), event.at, reached + 1
    return reached, begin, last


@Asks(
    "How many visitors have signed up within an hour of their visit and then bought something?",
    title="Funnel from visit to purchase",
    source="PostHog: funnels, conversion window",
    words="funnel, conversion, steps, how many reached, drop-off",
    plan="""
        stream web(key = visitor, time = at, unit = iso8601, id = id,
            fields = {page: text}, allowed_lateness = 1h)
        way = sequence(
            steps = {visit: web.page == "visit", signup: web.page == "signup", purchase: web.page == "purchase"},
            within = 1h)
        bought = sequence_count(way, completed)
        conversions = aggregate(bought, sum)
        results conversions
    """,
    events="""
        08:00 ann page=visit
        08:05 ann page=signup
        08:10 bob page=visit
        08:20 cid page=visit
        08:25 bob page=purchase   # without signing up
        08:40 ann page=purchase
        08:30 bob page=signup
        08:50 bob page=purchase
        09:00 cid page=signup
        09:20 cid page=purchase   # an hour after the visit: too late
        08:15 dan page=visit      # late
        08:45 dan page=signup
        09:10 dan page=purchase
    """,
    by_group=True,
)
def ask_funnel(past: list[Happened], at: float) -> dict[str, int]:
    return {"*": sum(count_steps(own, 3600)[0] == 3 for own in group_by_key(past).values())}


@Asks(
    "What share of the visitors who began to sign up gave up, that is, did not finish within ten minutes?",
    title="Drop-off between two steps",
    source="PostHog: funnels, drop-off",
    words="drop-off, abandonment, funnel, churn, gave up",
    plan="""
        stream web(key = visitor, time = at, unit = iso8601, id = id,
            fields = {page: text}, allowed_lateness = 10min)
        way = sequence(steps = {form: web.page == "form", welcome: web.page == "welcome"}, within = 10min)
        lost = aggregate(sequence_count(way, expired), sum)
        begun = aggregate(changed_to(way, "form"), sum)
        drop_off = lost / begun
        results drop_off
    """,
    events="""
        08:00 ann page=form
        08:02 bob page=home
        08:03 bob page=form
        08:05 ann page=welcome
        08:12 bob page=form      # the run is on
        08:20 cid page=form
        08:30 cid page=welcome   # ten minutes: too late
        08:25 dan page=welcome
        08:40 dan page=form
        08:12:30 bob page=welcome # late: in time
        08:45 dan page=welcome
        08:55 ann page=form
        09:30 cid page=home
    """,
    by_group=True,
)
def ask_drop_off(past: list[Happened], at: float) -> dict[str, float | None]:
    begun = lost = 0
    for own in group_by_key(past).values():
        since: float | None = None
        for event in [*own, None]:
            now = event.at if event else at
            if since is not None and now - since >= 600:
                lost, since = lost + 1, None
            if event and event["page"] == "form" and since is None:
                begun, since = begun + 1, event.at
            elif event and event["page"] == "welcome":
                since = None
    return {"*": lost / begun if begun else None}


@Asks(
    "How long does it take from a visit to a purchase, for the visitor in the middle?",
    title="Median time to convert",
    source="PostHog: funnels, time to convert",
    words="time to convert, median, funnel, how long, percentile",
    plan="""
        stream web(key = visitor, time = at, unit = iso8601, id = id,
            fields = {page: text}, allowed_lateness = 1h)
        way = sequence(
            steps = {visit: web.page == "visit", signup: web.page == "signup", purchase: web.page == "purchase"},
            within = 1h)
        took = sequence_duration(way)
        median = aggregate(took, p50, every = 1s)
        results median
    """,
    events="""
        08:00:00 ann page=visit
        08:05:00 ann page=signup
        08:10:00 bob page=visit
        08:20:00 cid page=visit
        08:30:00 bob page=signup
        08:40:00 ann page=purchase
        08:50:00 bob page=purchase
        08:44:00 cid page=signup
        08:45:00 cid page=purchase
        08:35:00 bob page=purchase   # late: bob bought earlier
        08:47:00 dan page=visit
        08:48:00 dan page=signup
        08:58:00 dan page=purchase
    """,
    by_group=True,
    ends="08:58:01",
)
def ask_time_to_convert(past: list[Happened], at: float) -> dict[str, float | None]:
    ways = [
        count_steps([event for event in own if event.at <= at // 1], 3600)
        for own in group_by_key(past).values()
    ]
    took = sorted(last - begin for reached, begin, last in ways if reached == 3)
    return {"*": took[(len(took) + 1) // 2 - 1] if took else None}


@Asks(
    "How many users have been active within the last seven days?",
    title="Weekly active users",
    source="PostHog and Mixpanel: DAU, WAU, MAU",
    words="active users, wau, dau, mau, rolling, unique users",
    plan="""
        stream use(key = user, time = at, unit = iso8601, id = id,
            fields = {}, allowed_lateness = 1d, retention = 30d)
        active = has_existed_within(use, true, 7d)
        active_users = aggregate(active, count)
        results active_users
    """,
    events="""
        2026-03-02T08:00 ann
        2026-03-03T09:00 bob
        2026-03-05T08:00 ann
        2026-03-09T08:00 cid
        2026-03-10T09:00 cid
        2026-03-07T12:00 bob   # late
        2026-03-13T10:00 dan
        2026-03-15T10:00 dan
        2026-03-12T10:00 ann   # late, to the hour seven days and two hours later
        2026-03-20T10:00 bob
    """,
    by_group=True,
)
def ask_active_users(past: list[Happened], at: float) -> dict[str, int]:
    return {"*": len({event.key for event in past if at - event.at < 7 * DAY})}


@Asks(
    "Which users came back within a week after they had signed up?",
    title="Came back within a week",
    source="PostHog and Amplitude: retention",
    words="retention, returned, came back, cohort, first week",
    plan="""
        stream use(key = user, time = at, unit = iso8601, id = id,
            fields = {kind: text}, allowed_lateness = 1d)
        way = sequence(steps = {signup: use.kind == "signup", back: use.kind == "open"}, within = 7d)
        retained = way == "completed"
        results retained
    """,
    events="""
        2026-03-02T08:00 ann kind=signup
        2026-03-02T09:00 bob kind=open
        2026-03-02T10:00 bob kind=signup
        2026-03-04T08:00 ann kind=open
        2026-03-09T10:00 bob kind=open     # seven days to the second: too late
        2026-03-09T12:00 cid kind=signup
        2026-03-10T12:00 cid kind=crash
        2026-03-17T12:00 cid kind=open
        2026-03-15T12:00 cid kind=open     # late: in time after all
        2026-03-18T12:00 ann kind=open
    """,
)
def ask_retained(past: list[Happened], at: float) -> bool:
    joined = next((event.at for event in past if event["kind"] == "signup"), None)
    if joined is None:
        return False
    return any(event["kind"] == "open" and joined < event.at < joined + 7 * DAY for event in past)
