"""The data of a company: 10,000 nodes of 1,000 plans that 300 people own, share and run, and the audit log of it.

`python -m benchmarks.crowd` fills an empty database in the environment of a stack through the services that the pages
use; the last line of its stdout has a token for each of `READERS`.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "timeline_app.settings")
# Nothing of it runs: a company has more machines than the one that the usual quotas suit.
os.environ["TIMELINE_QUOTAS"] = "streams=1000,running_queries=100000,running_nodes=100000,all_queries=100000"
django.setup()

from django.contrib.auth.models import Group, User  # noqa: E402
from django.db import connection, transaction  # noqa: E402
from django.utils import timezone  # noqa: E402

from tests.browser.product import STREAM, build_leaf  # noqa: E402
from timeline_app.web.core import notifications  # noqa: E402
from timeline_app.web.core.permissions import Right  # noqa: E402
from timeline_app.web.core.sharing import give, transfer  # noqa: E402
from timeline_app.web.dashboards.services import create_dashboard, save_dashboard  # noqa: E402
from timeline_app.web.models import Dashboard, Node, Plan, Query, Stream  # noqa: E402
from timeline_app.web.models.people import AuditEntry, Member, Role, Shared  # noqa: E402
from timeline_app.web.models.samples import Sample, SamplePart  # noqa: E402
from timeline_app.web.people.token_services import create_token  # noqa: E402
from timeline_app.web.plans.services import create_plan, run_plan, stop_plan  # noqa: E402
from timeline_app.web.streams.services import create_stream  # noqa: E402

Document = dict[str, Any]
STREAMS, PLANS, BOARDS, SAMPLES, PEOPLE, TEAMS, ACTS = 250, 1000, 400, 300, 300, 20, 100_000
READERS = {"viewer": Role.VIEWER, "editor": Role.EDITOR, "administrator": Role.ADMIN}


def print_progress(text: str) -> None:
    print(f"[{time.strftime('%H:%M:%S')}] {text}", file=sys.stderr, flush=True)


def build_document(number: int) -> Document:
    """Return a plan with nine nodes of its own above four that it shares with the other plans on the stream."""
    stream = f"stream{number % STREAMS}"
    quiet = {
        name: build_leaf("has_existed_within", stream, where='user_action == "seek"', duration=f"{seconds}s")
        for name, seconds in (("seeking", number + 5), ("sought", number + 5000), ("restless", number + 9000))
    }
    calm = {f"not_{name}": {"op": "not", "inputs": {"of": name}} for name in ("seeking", "sought")}
    nodes = {
        "played": build_leaf("has_existed", stream, where='player_state == "play"'),
        "state": build_leaf("latest_event_to_state", stream, field="player_state"),
        "cdn": build_leaf("latest_event_to_state", stream, field="cdn"),
        "buffering": {"op": "equal_to", "inputs": {"of": "state"}, "params": {"value": "buffer"}},
        **quiet,
        **calm,
        "induced": {"op": "and", "inputs": {"of": ["played", "not_seeking", "not_sought", "buffering"]}},
        "cirr": {"op": "duration_where", "inputs": {"of": "induced"}},
        "by_cdn": {
            "op": "aggregate", "inputs": {"of": "cirr", "by": "cdn"}, "params": {"function": "sum"},
        },
        "total": {"op": "aggregate", "inputs": {"of": "cirr"}, "params": {"function": "sum"}},
    }  # fmt: skip
    return {"version": 1, "name": f"Rebuffering {number}", "nodes": nodes, "results": ["by_cdn", "total"]}


def create_people() -> tuple[list[User], list[Group]]:
    """Create the three readers, then many people, and teams."""
    names = [*READERS, *(f"person{number}" for number in range(PEOPLE - len(READERS)))]
    items = [User.objects.create_user(name) for name in names]
    for person in items[: len(READERS)]:
        role = READERS[person.get_username()]
        person.is_superuser = person.is_staff = role == Role.ADMIN
        person.save()
        Member.objects.filter(user=person).update(role=role)
    teams = [Group.objects.create(name=f"Team {number}") for number in range(TEAMS)]
    for index, person in enumerate(items):
        person.groups.add(teams[index % TEAMS], teams[(7 * index + 3) % TEAMS])
    return items, teams


def share_things(owned: list[Any], people: list[User], teams: list[Group]) -> None:
    """Of ten things, leave two private, give one to a team, and share three, one of them with the viewer."""
    boss = User.objects.get(username="administrator")
    shared: list[Shared] = owned
    for number, item in enumerate(shared):
        kind = number % 10
        if kind in (0, 1):
            type(item)._default_manager.filter(pk=item.pk).update(open_to_all=False)
        if kind == 2:
            transfer(things=[item], user=boss, to=teams[number // 10 % TEAMS])
        if kind in (0, 3, 4):
            with_whom = people[0] if number % 20 == 0 else teams[number // 10 % TEAMS]
            give(item, with_whom, frozenset({Right.EDIT if kind == 3 else Right.READ}))


def create_plans(editors: list[User]) -> list[Plan]:
    """Create a thousand plans, every tenth for the editor; all have run, six of ten run, every fourth as one query."""
    plans = []
    for number in range(PLANS):
        owner = editors[0] if number % 10 == 5 else editors[number % len(editors)]
        plan = create_plan(user=owner, name=None, document=build_document(number))
        run_plan(plan=plan, user=owner, placement="together" if number % 4 == 0 else "isolated")
        if number % 10 > 5:
            stop_plan(plan=plan, user=owner)
        plans.append(plan)
        if number % 100 == 99:
            print_progress(
                f"{number + 1} plans, {Node.objects.count()} nodes, {Query.objects.count()} queries"
            )
    now = timezone.now()
    Query.objects.filter(desired="running").update(
        observed="running", words="running", looked_at=now, observed_since=now, events_per_second=12.5
    )
    failed = list(Query.objects.filter(desired="running").order_by("pk").values_list("pk", flat=True)[::25])
    error = "org.apache.spark.SparkException: the job was aborted\n" + "\tat org.apache.spark.Task\n" * 40
    for start in range(0, len(failed), 500):
        Query.objects.filter(pk__in=failed[start : start + 500]).update(observed="failed", error=error)
    return plans


def build_board(number: int) -> Document:
    """Return twelve charts of three plans."""
    charts = [
        {"id": f"c{index}", "type": "lane", "title": "", "key": None, "plan": 1 + (number + index % 3) % PLANS,
         "node": "induced", "digest": None, "place": [index % 2 * 6, index // 2 * 5, 6, 5]}
        for index in range(12)
    ]  # fmt: skip
    return {"charts": charts, "range": "5m", "key": "s1"}


def create_boards(editors: list[User]) -> list[Dashboard]:
    boards = []
    for number in range(BOARDS):
        owner = editors[number % len(editors)]
        new = create_dashboard(user=owner, name=f"Quality {number}")
        boards.append(
            save_dashboard(dashboard=new, user=owner, version=1, name=None, document=build_board(number))
        )
    return boards


def create_samples(editors: list[User]) -> list[Sample]:
    """Create samples of two streams, with columns that a list leaves unread."""
    samples = [
        Sample.objects.create(owner=editors[number % len(editors)], name=f"Evening {number}")
        for number in range(SAMPLES)
    ]
    SamplePart.objects.bulk_create(
        SamplePart(sample=item, stream=f"stream{index}", events=100, size=20_000, body=b"x" * 20_000)
        for item in samples
        for index in range(2)
    )
    return samples


def create_acts(editors: list[User], owned: list[Any]) -> None:
    """Write years of audit events."""
    AuditEntry.objects.bulk_create(
        (
            AuditEntry(
                actor=editors[number % len(editors)], actor_name=editors[number % len(editors)].username,
                source="page", act=f"{kind}.save", kind=kind, thing=item.pk, name=str(item)[:200],
                before={"version": number}, after={"version": number + 1}, reason="as agreed" * (number % 2),
            )
            for number in range(ACTS)
            for item in [owned[number % len(owned)]]
            for kind in [str(item._meta.model_name)]
        ),
        batch_size=2000,
    )  # fmt: skip


def fill() -> None:
    """Fill the database in one transaction; nobody listens yet."""
    notifications.send = notifications.send_access = lambda: None
    notifications.send_to_pages = lambda plan: None  # noqa: ARG005
    persons, teams = create_people()
    editors = persons[1:2] + persons[3:]
    streams: list[Stream] = [
        create_stream(user=editors[number % len(editors)], name=f"stream{number}", document=STREAM)
        for number in range(STREAMS)
    ]
    valueses: list[list[Any]] = [
        create_plans(editors),
        streams,
        create_boards(editors),
        create_samples(editors),
    ]
    for group in valueses:
        if not isinstance(group[0], Sample):
            share_things(group, persons, teams)
    print_progress("who did what")
    create_acts(
        editors,
        [item for group in valueses for item in group] + list(Node.objects.only("pk", "digest", "operator")),
    )


def main() -> None:
    """Fill the database, and print the tokens."""
    with transaction.atomic():
        fill()
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")  # what the server does by itself within a minute
    tokens = {}
    for name in READERS:
        person = User.objects.get(username=name)
        tokens_of_persons = [
            create_token(user=person, name=f"token {number}", scopes=["admin"]) for number in range(60)
        ]
        tokens[name] = tokens_of_persons[-1][1]
    print(json.dumps({"tokens": tokens, "nodes": Node.objects.count(), "plans": Plan.objects.count()}))


if __name__ == "__main__":
    main()
