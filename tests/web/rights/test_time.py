"""Rights that are taken while things run: whoever had one is then told what somebody is told who never had it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import Group, User
from rest_framework.test import APIClient

from tests.web.conftest import build_document, has_existed, log_in_client
from tests.web.giving import open_to_all, share_exactly
from tests.web.log import T, revise
from tests.web.rights.table import CALLS, Call
from tests.web.rights.test_rights import build_bearer, request_and_roll_back
from tests.web.rights.test_sockets import has_ended, open_browser
from tests.web.rights.world import EVENT, SECRET, World, create_world
from timeline_app.web.core.permissions import Right
from timeline_app.web.core.sharing import set_role, transfer
from timeline_app.web.models import Dashboard, Node, Plan, Stream
from timeline_app.web.models.people import Role
from timeline_app.web.models.samples import Sample
from timeline_app.web.models.sinks import NodeSink
from timeline_app.web.models.tokens import Scope
from timeline_app.web.people.services import set_active, set_teams
from timeline_app.web.plans.services import create_plan, run_plan
from timeline_app.web.samples.services import record_next_events
from timeline_app.web.sinks.services import add_sink

pytestmark = pytest.mark.deep
THINGS = ("{stream}", "{plan}", "{board}", "{sample}", "{node}", "{sink}", "{test}")


@dataclass
class Guest:
    """Somebody who had no right, gets one, uses it, and loses it; beside the stranger, who never has one."""

    made: World
    user: User
    clients: dict[str, APIClient] = field(default_factory=dict)
    own: dict[str, str] = field(default_factory=dict)
    """What stands in addresses for what the guest made by the right."""

    @property
    def admin(self) -> User:
        """Who gives and takes rights."""
        return self.made.people["admin"]

    def log_in(self) -> None:
        """By a session and by a token."""
        user = User.objects.get(pk=self.user.pk)
        self.clients = {"session": log_in_client(user), "token": build_bearer(user, *Scope.values)}

    def use(self) -> None:
        """Run a plan of one's own on the stream, deliver its node elsewhere, and record the next events."""
        user, stream = User.objects.get(pk=self.user.pk), self.made.stream
        drawn = build_document(mine=has_existed('player_state == "pause"') | {"stream": stream.name})
        plan = create_plan(user=user, name="mine", document=drawn)
        plan = run_plan(plan=plan, user=user, placement="isolated")
        node = Node.objects.get(plans=plan)
        revise(node, "s1", [[None, False], [T, True]])
        sink = add_sink(node=node, user=user, kind="parquet", delivers="final", options={"folder": "guests"})
        sample = record_next_events(user=user, name="next", streams=[stream.name], count=100, keys=[])
        self.own = {"node": node.digest, "sink": str(sink.pk), "sample": str(sample.pk)}

    def is_running(self) -> bool:
        """Whether anything still goes on in the name of the guest."""
        running = Plan.objects.filter(owner=self.user, running=True).exists()
        delivering = NodeSink.objects.filter(owner=self.user, paused=False).exists()
        return (
            running or delivering or Sample.objects.filter(owner=self.user, recording__isnull=False).exists()
        )


@pytest.fixture
def guest(db: None) -> Guest:
    made = create_world()
    made.open(False)
    return Guest(made, User.objects.create_user("guest"))


Act = Callable[[Guest], None]


@dataclass(frozen=True)
class Grant:
    """A right: how it is given and taken, and whether the stream may be read by it."""

    give: Act
    take: Act
    reads: bool = True


def make_share(name: str, *rights: Right) -> Act:
    """What of the team's is shared with the guest so."""

    def act(guest: Guest) -> None:
        thing = getattr(guest.made, name)
        share_exactly(
            thing=type(thing).objects.get(pk=thing.pk), user=guest.admin, holder=guest.user, rights=rights
        )

    return act


def make_opening(name: str, *, is_open: bool) -> Act:
    def act(guest: Guest) -> None:
        thing = getattr(guest.made, name)
        open_to_all(thing=type(thing).objects.get(pk=thing.pk), user=guest.admin, is_open=is_open)

    return act


def make_transfer(name: str, to: str) -> Act:
    """Everything of a kind that the team has goes to the guest, or back."""

    def act(guest: Guest) -> None:
        holder = guest.user if to == "guest" else Group.objects.get(name=to)
        thing = getattr(guest.made, name)
        transfer(things=[type(thing).objects.get(pk=thing.pk)], user=guest.admin, to=holder)

    return act


def make_role(name: Role) -> Act:
    return lambda guest: set_role(person=guest.user, user=guest.admin, role=name)


def make_teams(*names: str) -> Act:
    return lambda guest: set_teams(
        person=guest.user, user=guest.admin, teams=list(Group.objects.filter(name__in=names))
    )


def share_with_others(guest: Guest) -> None:
    """The stream is shared with a team that the guest is in."""
    others = Group.objects.get(name="others")
    guest.user.groups.add(others)
    stream = Stream.objects.get(pk=guest.made.stream.pk)
    share_exactly(thing=stream, user=guest.admin, holder=others, rights=[Right.READ])


GRANTS: dict[str, Grant] = {
    "share of the stream": Grant(make_share("stream", Right.READ), make_share("stream")),
    "share to operate the stream": Grant(
        make_share("stream", Right.OPERATE, Right.EDIT), make_share("stream")
    ),
    "openness of the stream": Grant(
        make_opening("stream", is_open=True), make_opening("stream", is_open=False)
    ),
    "the stream itself": Grant(make_transfer("stream", "guest"), make_transfer("stream", "crew")),
    "membership": Grant(make_teams("crew"), make_teams()),
    "membership in a team with a share": Grant(share_with_others, make_teams()),
    "role of an operator": Grant(make_role(Role.OPERATOR), make_role(Role.EDITOR)),
    "role of an administrator": Grant(make_role(Role.ADMIN), make_role(Role.EDITOR)),
    "share of the plan": Grant(make_share("plan", Right.READ), make_share("plan"), reads=False),
    "share to operate the plan": Grant(make_share("plan", Right.OPERATE), make_share("plan"), reads=False),
    "openness of the plan": Grant(
        make_opening("plan", is_open=True), make_opening("plan", is_open=False), reads=False
    ),
    "share of the dashboard": Grant(make_share("board", Right.EDIT), make_share("board"), reads=False),
    "the sample": Grant(make_transfer("sample", "guest"), make_transfer("sample", "crew"), reads=False),
}


def iterate_calls() -> Iterator[tuple[str, str, Call]]:
    """The calls about things that the guest had a right to."""
    for (method, path), call in CALLS.items():
        if any(part in path for part in THINGS):
            yield method, path, call


class Placed:
    """The world, with other things in its addresses."""

    def __init__(self, made: World, more: dict[str, str]) -> None:
        self._made, self._more = made, more

    def __getattr__(self, name: str) -> Any:
        return getattr(self._made, name)

    def place(self) -> dict[str, str]:
        """What stands in addresses."""
        return self._made.place() | self._more


def ask_all(guest: Guest) -> Iterator[tuple[str, Any, Callable[[], Any]]]:
    """Each call: what it is, what the guest is told, and how to ask what the stranger is told."""
    person = guest.made.people["stranger"]
    stranger = {"session": log_in_client(person), "token": build_bearer(person, *Scope.values)}
    for more in ({}, guest.own) if guest.own else ({},):
        placed: Any = Placed(guest.made, more)
        for method, path, call in iterate_calls():
            if more and (method, path) == ("DELETE", "samples/{sample}/"):
                continue  # a recording of one's own may be deleted, whoever closed the stream
            for way, client in guest.clients.items():
                request = (placed, method, f"/api/{path}", call)
                yield (
                    f"{way} {method} {path} {more}",
                    request_and_roll_back(client, *request),
                    partial(request_and_roll_back, stranger[way], *request),
                )


def is_opening_something(guest: Guest) -> bool:
    """Ask all calls, so that whatever is remembered of a right is remembered; the stranger only until one differs."""
    opens = False
    for _, answer, ask_stranger in ask_all(guest):
        opens = opens or answer.status_code != ask_stranger().status_code
    return opens


def list_differences(guest: Guest) -> list[str]:
    """The calls of which the guest is told something else than the stranger is."""
    codes = [
        (what, answer.status_code, ask_stranger().status_code)
        for what, answer, ask_stranger in ask_all(guest)
    ]
    return [f"{what}: {code}, not {base}" for what, code, base in codes if code != base]


def list_leaks(guest: Guest) -> list[str]:
    """The lists, searches and audits that tell the guest a name which the stranger must not learn."""
    items = []
    for (method, path), call in CALLS.items():
        if method == "GET" and call.addresses_nothing and "{" not in path:
            for way, client in guest.clients.items():
                answer = request_and_roll_back(client, guest.made, method, f"/api/{path}", call)
                # One's own acts stay readable, and are called as they were then.
                if SECRET in answer.content.decode() and path not in ("audit/", "search/", "plans/"):
                    items.append(f"{way} {method} {path}")
    return items


@pytest.mark.parametrize("name", GRANTS)
def test_whoever_lost_a_right_is_told_what_a_stranger_is(guest: Guest, name: str) -> None:
    grant = GRANTS[name]
    grant.give(guest)
    guest.log_in()
    if grant.reads:
        guest.use()
    # What is open to all is open to the stranger as well.
    assert name == "openness of the plan" or is_opening_something(guest), "the right opens something"
    grant.take(guest)
    assert not (result := list_differences(guest)), "\n".join(result)
    assert not (result := list_leaks(guest)), "\n".join(result)
    assert not guest.is_running()


def test_nothing_that_comes_later_reaches_who_lost_the_right(guest: Guest) -> None:
    GRANTS["share of the stream"].give(guest)
    guest.log_in()
    guest.use()
    GRANTS["share of the stream"].take(guest)
    event = EVENT | {"event_id": "later", "player_state": "confidential"}
    address = f"/api/streams/{guest.made.stream.name}/events/"
    pushed = log_in_client(guest.made.people["member"]).post(address, [event], format="json")
    assert pushed.status_code == 202, pushed.content
    result = log_in_client(guest.admin).get(f"/api/samples/{guest.own['sample']}/events/")
    assert result.status_code == 200
    assert "confidential" not in result.content.decode()


def test_who_is_shut_out_is_let_in_nowhere(guest: Guest) -> None:
    GRANTS["share of the stream"].give(guest)
    guest.log_in()
    guest.use()
    set_active(person=guest.user, user=guest.admin, active=False)
    parts = [
        f"{way} {method} {path}"
        for (method, path), call in CALLS.items()
        for way, client in guest.clients.items()
        if request_and_roll_back(client, guest.made, method, f"/api/{path}", call).status_code != 401
    ]
    assert not parts, "\n".join(parts)
    assert not guest.is_running()


def test_dashboards_show_nothing_by_a_right_that_is_gone(guest: Guest) -> None:
    GRANTS["share of the stream"].give(guest)
    guest.log_in()
    guest.use()
    client, plan = guest.clients["session"], Plan.objects.get(owner=guest.user)
    board = Dashboard.objects.create(
        owner=guest.user, name="mine", document={"charts": [], "range": "5m", "key": ""}
    )
    pin = {"plan": plan.pk, "node": "mine", "type": "lane"}
    assert client.post(f"/api/dashboards/{board.pk}/charts/", pin, format="json").status_code in (200, 201)
    sources = {"sources": [{"plan": plan.pk, "node": "mine"}]}
    before = client.post("/api/dashboards/sources/", sources, format="json").content.decode()
    assert guest.own["node"] in before
    GRANTS["share of the stream"].take(guest)
    after = client.post("/api/dashboards/sources/", sources, format="json").content.decode()
    assert guest.own["node"] not in after
    assert guest.own["node"] not in client.get(f"/api/dashboards/{board.pk}/").content.decode()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("name", [kind for kind, grant in GRANTS.items() if grant.reads])
async def test_an_open_socket_loses_the_node_with_the_right(guest: Guest, name: str) -> None:
    def prepare() -> None:
        GRANTS[name].give(guest)
        guest.use()

    await sync_to_async(prepare)()
    socket, _ = await open_browser(await sync_to_async(User.objects.get)(pk=guest.user.pk))
    node = guest.own["node"]
    await socket.say({"type": "subscribe", "id": "a", "node": node, "key": "s1", "from": None})
    await socket.hear("snapshot")
    await sync_to_async(GRANTS[name].take)(guest)
    assert await has_ended(socket, "node")
    await socket.disconnect()
