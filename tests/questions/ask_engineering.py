"""Software engineering: queues of builds, flaky tests, a broken main branch, deployments."""

from __future__ import annotations

from tests.questions.question import Asks, Happened
from tests.questions.slow import group_by_key, list_spans

WORK = "Software engineering"
DAY = 86_400


@Asks(
    "How long do jobs wait for a runner: the time that nine of ten jobs do not exceed?",
    title="Queue time of jobs",
    source="GitHub Actions and GitLab CI: queue time",
    words="ci, queue time, p90, percentile, runner, waiting",
    plan="""
        stream job(key = job, time = at, unit = iso8601, id = id,
            fields = {state: text}, allowed_lateness = 10min)
        start = sequence(steps = {queued: job.state == "queued", started: job.state == "started"})
        waited = sequence_duration(start)
        p90 = aggregate(waited, p90, every = 1s)
        results p90
    """,
    events="""
        08:00:00 j1 state=queued
        08:00:05 j2 state=queued
        08:00:20 j1 state=started
        08:00:30 j3 state=queued
        08:01:00 j2 state=started
        08:02:00 j1 state=done
        08:00:45 j2 state=started   # late: it started earlier
        08:01:30 j3 state=started
        08:02:10 j4 state=queued
        08:02:11 j4 state=started
        08:02:30 j4 state=done
    """,
    by_group=True,
    ends="08:02:31",
)
def ask_queue_time(past: list[Happened], at: float) -> dict[str, float | None]:
    waits = []
    for own in group_by_key([event for event in past if event.at <= at // 1]).values():
        started = [event.at for event in own if event["state"] == "started"]
        waits += [started[0] - own[0].at] if started else []
    return {"*": sorted(waits)[-(-len(waits) * 9 // 10) - 1] if waits else None}


@Asks(
    "Which tests are flaky: they failed, and passed within an hour though the code had not changed?",
    title="Flaky tests",
    source="CI threads on flaky tests (Buildkite, GitHub)",
    words="flaky, ci, rerun, failed then passed, same commit",
    plan="""
        stream test(key = test, time = at, unit = iso8601, id = id,
            fields = {event: text}, allowed_lateness = 1h)
        rerun = sequence(
            steps = {failed: test.event == "failed", passed: test.event == "passed"},
            within = 1h, not = [test.event == "code changed"])
        flaky = sequence_count(rerun, completed)
        results flaky
    """,
    events="""
        08:00 login event=passed
        08:10 login event=failed
        08:20 login event=passed
        08:30 search event=failed
        08:40 search event="code changed"
        08:50 search event=passed
        09:00 login event=failed
        09:30 login event=passed
        09:10 login event="code changed"    # late: no wonder
        10:00 search event=failed
        11:00 search event=passed           # an hour: too late
        10:30 search event=passed           # late
        11:30 login event=failed
    """,
)
def ask_flaky(past: list[Happened], at: float) -> int:
    flaky, failed = 0, None
    for event in past:
        if failed is not None and (event.at - failed >= 3600 or event["event"] == "code changed"):
            failed = None
        elif event["event"] == "passed" and failed is not None:
            flaky, failed = flaky + 1, None
        if event["event"] == "failed" and failed is None:
            failed = event.at
    return flaky


@Asks(
    "For how long has the main branch been broken today?",
    title="Main branch broken today",
    source="DORA metrics: time to restore service",
    words="ci, broken build, red, mttr, time in state today",
    plan="""
        stream build(key = repository, time = at, unit = iso8601, id = id,
            fields = {branch: text, passed: bool}, allowed_lateness = 1h)
        passed = value_at(latest_event_to_state(build.passed), build.branch == "main")
        broken = duration_where(not passed)
        today = so_far(broken, 1d)
        results today
    """,
    events="""
        2026-03-02T08:00 web branch=main passed=true
        2026-03-02T08:10 web branch=topic passed=false
        2026-03-02T08:30 api branch=main passed=false
        2026-03-02T09:00 web branch=main passed=false
        2026-03-02T09:20 web branch=main passed=true
        2026-03-02T09:10 web branch=topic passed=true   # late, and of another branch
        2026-03-02T22:00 web branch=main passed=false
        2026-03-02T10:00 api branch=main passed=true    # late
        2026-03-03T01:00 web branch=main passed=true
        2026-03-03T02:00 api branch=main passed=false
        2026-03-03T02:30 api branch=main passed=true
    """,
    ends="2026-03-04T00:00",
)
def ask_broken_today(past: list[Happened], at: float) -> float:
    midnight = at // DAY * DAY
    main = [event for event in past if event["branch"] == "main"]
    spans = list_spans(main, at, "passed")
    return sum(max(0.0, end - max(begin, midnight)) for passed, begin, end in spans if not passed)


@Asks(
    "How many deployments did each service have yesterday?",
    title="Deployments of a day",
    source="DORA metrics: deployment frequency",
    words="deployments, per day, yesterday, frequency, calendar",
    plan="""
        stream deploy(key = service, time = at, unit = iso8601, id = id,
            fields = {ok: bool}, allowed_lateness = 1d)
        deployments = event_count(deploy.ok == true)
        yesterday = per(deployments, 1d, zone = "America/New_York")
        results yesterday
    """,
    events="""
        2026-03-06T15:00 web ok=true
        2026-03-07T03:00 web ok=true     # still the 6th in New York
        2026-03-07T15:00 api ok=true
        2026-03-07T16:00 web ok=false
        2026-03-06T18:00 web ok=true     # late
        2026-03-08T15:00 web ok=true     # the day on which summer time begins
        2026-03-09T03:59 web ok=true
        2026-03-09T04:00 api ok=true     # midnight in New York, by summer time
        2026-03-08T20:00 api ok=true     # late
        2026-03-10T12:00 web ok=true
    """,
    ends="2026-03-11T04:00",
)
def ask_deployments(past: list[Happened], at: float) -> int | None:
    midnights = [4.0, 5.0, 6.0]  # the days from Monday the 2nd on that begin at 5 o'clock here
    begins = [day * DAY + 5 * 3600 for day in midnights] + [day * DAY + 4 * 3600 for day in (7.0, 8.0, 9.0)]
    today = max(begin for begin in begins if begin <= at)
    if past[0].at >= today:
        return None
    before = begins[begins.index(today) - 1]
    return sum(event["ok"] is True for event in past if before <= event.at < today)
