"""Whoever asks, a longer list takes as many SQL queries as a short one: every list that there is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import get_resolver
from django.utils import timezone
from rest_framework.test import APIClient

from tests.web.conftest import build_document, build_negation, has_existed, log_in_client
from tests.web.giving import open_to_all, share_exactly
from tests.web.log import revise
from tests.web.rights.world import make_incident
from timeline_app.web.alerts.channel_services import create_channel
from timeline_app.web.alerts.services import create_alert
from timeline_app.web.alerts.silence_services import create_silence
from timeline_app.web.core import audit_writing
from timeline_app.web.core.paging import Pages
from timeline_app.web.core.permissions import Right
from timeline_app.web.core.sharing import transfer
from timeline_app.web.dashboards.services import create_dashboard, save_dashboard
from timeline_app.web.models import Node, Plan, Query, Stream
from timeline_app.web.models.alerts import Alert
from timeline_app.web.models.arrivals import RejectedEvent
from timeline_app.web.models.channels import AlertChannel
from timeline_app.web.models.people import Member, Role, Shared
from timeline_app.web.models.samples import Sample, SamplePart
from timeline_app.web.people.token_services import create_token
from timeline_app.web.plans.services import create_plan, run_plan
from timeline_app.web.plans.version_services import make_version
from timeline_app.web.streams.services import create_stream
from timeline_app.web.workspace.trash import delete_stream

pytestmark = pytest.mark.deep

FEW, MANY = 2, 8
LISTS = {
    "api-plans": "plans/",
    "api-nodes": "nodes/",
    "api-streams": "streams/",
    "api-dashboards": "dashboards/",
    "api-samples": "samples/",
    "api-people": "people/",
    "api-teams": "teams/",
    "api-tokens": "tokens/",
    "api-plan-versions": "plans/{plan}/versions/",
    "api-dashboard-versions": "dashboards/{board}/versions/",
    "api-node-keys": "nodes/{node}/keys/",
    "api-node-revisions": "nodes/{node}/revisions/?key=k0",
    "api-rejected": "streams/player/rejected/",
    "api-audit": "audit/?kind=plan",
    "api-plan-audit": "plans/{plan}/audit/",
    "api-stream-audit": "streams/player/audit/",
    "api-board-audit": "dashboards/{board}/audit/",
    "api-sample-audit": "samples/{sample}/audit/",
    "api-node-audit": "nodes/{node}/audit/",
    "api-person-audit": "people/{me}/audit/",
    "api-alerts": "alerts/",
    "api-alert-incidents": "alerts/{alert}/incidents/",
    "api-alert-audit": "alerts/{alert}/audit/",
    "api-incidents": "incidents/",
    "api-channels": "channels/",
    "api-silences": "silences/",
    "api-trash": "trash/",
}
"""By the name of its address, each list in pages."""
SEARCHES = ("plans/?q=p+is:running", "nodes/?q=is:running", "streams/?q=is:running", "nodes/?owner=me")
EVERYWHERE = ("", "owner:me", "is:shared", "op:not", "is:running")


@pytest.fixture
def persons(ada: User, bob: User, root: User) -> dict[str, User]:
    """An editor, who owns most; a viewer, with whom some is shared; an administrator; teams of them."""
    Member.objects.filter(user=bob).update(role=Role.VIEWER)
    for n in range(MANY):
        team = Group.objects.create(name=f"Team {n}")
        team.user_set.add(ada, bob, *(User.objects.create_user(f"p{n}{m}") for m in range(n)))
    return {name: User.objects.get(username=name) for name in ("ada", "bob", "root")}


def share_some(thing: Shared, n: int, ada: User, bob: User) -> None:
    """No two that follow each other are seen by the viewer for the same reason."""
    team = Group.objects.get(name=f"Team {n}")
    if n % 4 == 1:
        open_to_all(thing=thing, user=ada, is_open=False)
        share_exactly(thing=thing, user=ada, holder=bob, rights=[Right.READ])
    if n % 4 == 2:
        open_to_all(thing=thing, user=ada, is_open=False)
        share_exactly(thing=thing, user=ada, holder=team, rights=[Right.EDIT])
    if n % 4 == 3:
        transfer(things=[thing], user=ada, to=team)


@pytest.fixture
def crowd(persons: dict[str, User], player: Stream) -> dict[str, Any]:
    """Eight of everything, for whoever looks."""
    ada, bob = persons["ada"], persons["bob"]
    for n in range(MANY):
        stream = create_stream(user=ada, name=f"s{n}", document={"key": "k", "time": "t"})
        read = has_existed('k == "x"') | {"stream": stream.name}
        drawn = build_document(
            a=has_existed(f'player_state == "s{n}"'), b=build_negation("a"), c=has_existed(), d=read
        )
        plan = create_plan(user=ada, name=f"P{n}", document=drawn)
        run_plan(plan=plan, user=ada, placement="isolated")
        make_version(plan=Plan.objects.get(name="P0"), user=ada, name=f"V{n}")
        board = create_dashboard(user=ada, name=f"B{n}")
        sample = Sample.objects.create(owner=ada, name=f"S{n}")
        SamplePart.objects.create(sample=sample, stream="player", body=b"")
        for item in (plan, board, stream):
            share_some(item, n, ada, bob)
        for person in persons.values():
            create_token(user=person, name=f"T{n}", scopes=["read"])
    Query.objects.update(observed="running", looked_at=timezone.now())
    for n in range(1, MANY):
        save_dashboard(dashboard=board, user=ada, version=n, name=f"W{n}", document=board.document)
    first = Plan.objects.get(name="P0")
    node = Node.objects.get(readers=first, operator="not")
    alert = add_alerts(persons)
    write_history(ada, [first, board, sample, player, node, alert, *persons.values()], player, node)
    return {
        "board": board.pk, "sample": sample.pk, "plan": first.pk, "node": node.digest, "alert": alert.pk
    }  # fmt: skip


def add_alerts(persons: dict[str, User]) -> Alert:
    """An alert on each plan, with channels, silences and incidents, and streams in the trash."""
    ada = persons["ada"]
    ends_at = timezone.now() + timedelta(days=1)
    for n in range(MANY):
        channel = create_channel(user=ada, name=f"C{n}", kind="mail", options={"to": f"c{n}@example.org"})
        settings = {"name": f"A{n}", "channels": list(AlertChannel.objects.values_list("pk", flat=True))}
        alert = create_alert(user=ada, plan=Plan.objects.get(name=f"P{n}"), node="a", settings=settings)
        for person in (ada, persons["root"]):
            create_silence(user=person, alert=alert, settings={"reason": "maintenance", "ends_at": ends_at})
        make_incident(alert, "d" * 64, key=f"k{n}")
        gone = create_stream(user=ada, name=f"gone{n}", document={"key": "k", "time": "t"})
        transfer(things=[channel, gone], user=ada, to=Group.objects.get(name=f"Team {n}"))
        delete_stream(stream=gone, user=ada)
    first = Alert.objects.get(name="A0")
    for n in range(MANY):
        make_incident(first, "d" * 64, key=f"another{n}")
    return first


def write_history(ada: User, things: list[Any], player: Stream, node: Node) -> None:
    """Of one of each."""
    for n in range(MANY):
        revise(node, f"k{n}", [[None, False]])
        RejectedEvent.objects.create(stream=player, kind="refused", at=n, code="bad", text=f"line {n}")
    for n in range(MANY):
        revise(node, "k0", [[n, True]], start=n)
        for item in things:
            kind = "person" if isinstance(item, User) else item._meta.model_name
            audit_writing.note(user=ada, act=f"{kind}.look", thing=item)


def measure_cost(client: APIClient, address: str, limit: int) -> tuple[int, int]:
    """SQL queries and entries of a page."""
    with CaptureQueriesContext(connection) as queries:
        answer = client.get(f"/api/{address}{'&' if '?' in address else '?'}limit={limit}")
    assert answer.status_code == 200, (address, answer.content)
    return len(queries), len(answer.json()["results"])


def iterate_views(patterns: Any) -> Iterator[tuple[str, Any]]:
    """All views by name."""
    for pattern in patterns:
        if hasattr(pattern, "url_patterns"):
            yield from iterate_views(pattern.url_patterns)
        elif pattern.name:
            yield pattern.name, getattr(pattern.callback, "view_class", None)


@pytest.mark.parametrize("name", ["ada", "bob", "root"])
def test_a_longer_page_takes_no_more_queries(
    crowd: dict[str, Any], persons: dict[str, User], name: str
) -> None:
    client = log_in_client(persons[name])
    addresses = [item.format(me=name, **crowd) for item in LISTS.values()] + list(SEARCHES)
    addresses += [f"search/?q={item}" for item in EVERYWHERE]
    costs = {item: (measure_cost(client, item, FEW), measure_cost(client, item, MANY)) for item in addresses}
    assert {item: both for item, both in costs.items() if both[0][0] != both[1][0]} == {}
    restores_nothing = name == "bob"  # a viewer
    assert {
        item
        for item, (_, (_, document)) in costs.items()
        if document <= FEW
        and not re.search("me|shared", item)
        and not (item == "trash/" and restores_nothing)
    } == set()


def test_no_list_is_left_out() -> None:
    paged = {
        name
        for name, view in iterate_views(get_resolver().url_patterns)
        if view is not None and issubclass(getattr(view, "pagination_class", None) or object, Pages)
    }
    assert paged == set(LISTS)
