"""A public link shows the charts of a dashboard to whoever has it, by the rights of who made it, until it ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import User
from django.utils import timezone
from pytest_django import Settings
from rest_framework.test import APIClient

from tests.connectors.redis_server import Server
from tests.web.conftest import build_document, build_negation, has_existed
from tests.web.giving import open_to_all, share_exactly
from tests.web.log import T, revise
from tests.web.sockets import Socket
from timeline_app.asgi import application
from timeline_app.web.core import throttles
from timeline_app.web.core.permissions import Right
from timeline_app.web.core.sharing import transfer
from timeline_app.web.dashboards import public_boards
from timeline_app.web.dashboards.public_links import MAX_LINKS_PER_DASHBOARD, create_link, end_link
from timeline_app.web.dashboards.services import create_dashboard, save_dashboard
from timeline_app.web.models import Dashboard, Node, Plan, Stream
from timeline_app.web.models.people import AuditEntry
from timeline_app.web.models.public_links import PublicLink
from timeline_app.web.people.services import set_active
from timeline_app.web.plans.services import create_plan, run_plan

in_thread = sync_to_async
WHOLE, ONE = "played", "never"


@pytest.fixture(autouse=True)
def _allowed(settings: Settings) -> Iterator[None]:
    settings.PUBLIC_LINKS = True
    public_boards._boards.clear()
    yield
    public_boards._boards.clear()


@pytest.fixture
def running(ada: User, player: Stream) -> Plan:
    document = build_document(
        **{WHOLE: has_existed(), ONE: build_negation(WHOLE), "untold": has_existed('player_state == "seek"')}
    )
    plan = create_plan(user=ada, name="hushplan", document=document)
    plan = run_plan(plan=plan, user=ada, placement="isolated")
    for node in Node.objects.all():
        for key in ("s1", "s2"):
            revise(Node.objects.get(pk=node.pk), key, [[None, False], [T, True]])
    return plan


def build_chart(plan: Plan, node: str, kind: str, number: int, key: str | None = None) -> dict[str, Any]:
    place = [0, number * 4, 6, 4]
    return {
        "id": f"c{number}",
        "type": kind,
        "plan": plan.pk,
        "node": node,
        "key": key,
        "title": "",
        "place": place,
    }


@pytest.fixture
def board(ada: User, running: Plan) -> Dashboard:
    charts = [build_chart(running, WHOLE, "table", 1), build_chart(running, ONE, "lane", 2, "s1")]
    incidents = {
        "id": "c3",
        "type": "incidents",
        "plan": 0,
        "node": "",
        "place": [0, 20, 6, 4],
        "title": "hushtitle",
    }
    document = {"charts": [*charts, incidents], "range": "5m", "key": "", "group": ""}
    return create_dashboard(user=ada, name="Wall", document=document)


def find_node(plan: Plan, name: str) -> Node:
    return Node.objects.get(uses__plan=plan, uses__name=name)


def read_by(text: str) -> APIClient:
    client = APIClient(raise_request_exception=False)
    client.credentials(HTTP_AUTHORIZATION=f"Link {text}")
    return client


def make(board: Dashboard, user: User, **more: Any) -> APIClient:
    """Somebody without a login who has a link."""
    return read_by(create_link(dashboard=board, user=user, name="wall", **more)[1])


def list_shown(client: APIClient) -> list[str]:
    """The titles or the nodes of the charts, in the order of the dashboard."""
    public_boards._boards.clear()
    charts = client.get("/api/public/dashboard/").json()["document"]["charts"]
    return [chart["node"] or chart["title"] for chart in charts]


def test_the_secret_is_shown_once_and_only_its_hash_is_kept(api: APIClient, board: Dashboard) -> None:
    address = f"/api/dashboards/{board.pk}/links/"
    made = api.post(address, {"name": "wall", "days": 7}, format="json")
    assert made.status_code == 201, made.content
    text = made.json()["address"].partition("/public/#")[2]
    assert len(text) == 43
    [row] = api.get(address).json()["results"]
    assert "address" not in row
    assert (row["made_by"], row["last_used_at"]) == ("ada", None)
    assert text not in str(PublicLink.objects.values().get())
    assert read_by(text).get("/api/public/dashboard/").status_code == 200
    assert api.get(address).json()["results"][0]["last_used_at"] is not None
    assert api.delete(f"{address}{row['id']}/").status_code == 204
    acts = (
        AuditEntry.objects.filter(act__startswith="dashboard.")
        .order_by("pk")
        .values_list("act", "before", "after")
    )
    assert list(acts)[-2:] == [
        ("dashboard.link", None, {"public_link": "wall", "days": 7}),
        ("dashboard.unlink", {"public_link": "wall"}, None),
    ]


def test_whoever_has_it_sees_the_charts_and_no_other_names(ada: User, board: Dashboard) -> None:
    answer = make(board, ada).get("/api/public/dashboard/")
    assert answer.status_code == 200
    told = answer.json()
    assert (told["name"], told["version"]) == ("Wall", 1)
    assert [chart["type"] for chart in told["document"]["charts"]] == ["table", "lane", "text"]
    assert [(source["node"], source["state"]) for source in told["sources"]] == [
        (WHOLE, "running"),
        (ONE, "running"),
    ]
    assert "hush" not in answer.content.decode()
    assert "player" not in answer.content.decode()


def test_charts_of_many_keys_open_their_node_and_others_do_not(
    ada: User, board: Dashboard, running: Plan
) -> None:
    client, stretch = make(board, ada), f"?from={T}&to={T + 5}"
    whole = client.get(f"/api/public/nodes/{find_node(running, WHOLE).digest}/timelines/{stretch}")
    assert {row["key"] for row in whole.json()["keys"]} == {"s1", "s2"}
    for name in (ONE, "untold"):
        for call in ("timelines", "funnel"):
            address = f"/api/public/nodes/{find_node(running, name).digest}/{call}/"
            answer = client.get(address + (stretch if call == "timelines" else ""))
            assert (answer.status_code, answer.json()["code"]) == (404, "unknown_node")


def test_where_a_chart_leads_is_not_told(ada: User, board: Dashboard) -> None:
    first, *rest = board.document["charts"]
    led = first | {"link": {"to": "address", "title": "", "address": "https://wiki.example/"}}
    document = board.document | {"charts": [led, *rest]}
    saved = save_dashboard(dashboard=board, user=ada, version=1, name=None, document=document)
    assert "wiki" not in make(saved, ada).get("/api/public/dashboard/").content.decode()


def expire(_: User) -> None:
    PublicLink.objects.update(expires_at=timezone.now() - timedelta(seconds=1))


def deactivate(root: User) -> None:
    set_active(person=User.objects.get(username="ada"), user=root, active=False)
    set_active(person=User.objects.get(username="ada"), user=root, active=True)


def give_away(root: User) -> None:
    transfer(things=[Dashboard.objects.get()], user=root, to=root)


def end(_: User) -> None:
    link = PublicLink.objects.get()
    end_link(dashboard=link.dashboard, user=link.made_by, number=link.pk)


ENDS: dict[str, Callable[[User], None]] = {
    "the end of its time": expire,
    "the end of its owner's login": deactivate,
    "another owner": give_away,
    "its owner": end,
}


@pytest.mark.parametrize("ending", ENDS)
def test_it_ends_at_once(ada: User, root: User, board: Dashboard, ending: str) -> None:
    client = make(board, ada)
    assert client.get("/api/public/dashboard/").status_code == 200
    ENDS[ending](root)
    answer = client.get("/api/public/dashboard/")
    assert (answer.status_code, answer.json()["code"]) == (401, "link_invalid")


def test_an_administrator_can_turn_all_links_off(
    ada: User, api: APIClient, board: Dashboard, settings: Settings
) -> None:
    client = make(board, ada)
    settings.PUBLIC_LINKS = False
    assert client.get("/api/public/dashboard/").status_code == 401
    answer = api.post(f"/api/dashboards/{board.pk}/links/", {"name": "wall"}, format="json")
    assert (answer.status_code, answer.json()["code"]) == (403, "public_links_off")


def test_what_its_maker_may_no_longer_read_is_no_longer_shown(ada: User, root: User, running: Plan) -> None:
    open_to_all(thing=running, user=ada, is_open=False)
    share_exactly(
        thing=running, user=ada, holder=(bob := User.objects.create_user("bob")), rights=[Right.READ]
    )
    document = {"charts": [build_chart(running, WHOLE, "table", 1)], "range": "5m", "key": "", "group": ""}
    client = make(create_dashboard(user=bob, name="Bob's", document=document), bob)
    digest = find_node(running, WHOLE).digest
    address = f"/api/public/nodes/{digest}/timelines/?from={T}&to={T + 5}"
    assert (list_shown(client), client.get(address).status_code) == ([WHOLE], 200)
    share_exactly(thing=running, user=ada, holder=bob, rights=[])
    assert client.get(address).status_code == 404
    assert list_shown(client) == ["Not shown"]
    assert digest not in client.get("/api/public/dashboard/").content.decode()


def test_who_may_edit_the_dashboard_adds_nothing_to_the_links_of_others(
    ada: User, bob: User, board: Dashboard, running: Plan
) -> None:
    share_exactly(thing=board, user=ada, holder=bob, rights=[Right.EDIT])
    client = make(board, ada)
    charts = [*board.document["charts"], build_chart(running, "untold", "table", 9)]
    saved = save_dashboard(
        dashboard=board, user=bob, version=1, name=None, document=board.document | {"charts": charts}
    )
    assert list_shown(client) == [WHOLE, ONE, "Not shown", "Not shown"]
    save_dashboard(dashboard=saved, user=ada, version=2, name=None, document=saved.document)
    assert list_shown(client) == [WHOLE, ONE, "Not shown", "untold"]


def test_a_dashboard_has_so_many_links(ada: User, api: APIClient, board: Dashboard) -> None:
    for _ in range(MAX_LINKS_PER_DASHBOARD):
        create_link(dashboard=board, user=ada, name="wall")
    answer = api.post(f"/api/dashboards/{board.pk}/links/", {"name": "wall"}, format="json")
    assert (answer.status_code, answer.json()["code"]) == (409, "quota_exceeded")


def test_a_link_and_an_address_have_so_many_calls_a_minute(
    ada: User, board: Dashboard, settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    settings.MAX_PUBLIC_CALLS_PER_MINUTE, settings.PROXIES = 3, 1
    server = Server(tmp_path)
    monkeypatch.setattr(throttles, "connect_counter_redis", server.client)
    monkeypatch.setattr(throttles.counting, "away_until", 0.0)

    def ask(client: APIClient, address: str) -> int:
        return int(client.get("/api/public/dashboard/", HTTP_X_FORWARDED_FOR=address).status_code)

    good, wrong = make(board, ada), read_by("x" * 43)
    try:
        assert [ask(good, f"192.0.2.{n}") for n in range(4)] == [200, 200, 200, 429]
        assert [ask(wrong, "192.0.2.9") for _ in range(4)] == [401, 401, 401, 429]
        assert ask(make(board, ada), "192.0.2.9") == 429
    finally:
        server.kill()


async def connect(text: str) -> Socket:
    at = [(b"host", b"127.0.0.1"), (b"origin", b"http://127.0.0.1")]
    socket = Socket(application, "/ws/public/", headers=at, subprotocols=["timelines", text])
    connected, protocol = await socket.connect()
    assert (connected, protocol) == (True, "timelines")
    return socket


@pytest.mark.django_db(transaction=True)
class TestSocket:
    """The live socket of a link."""

    async def test_it_follows_what_the_charts_show(self, ada: User, board: Dashboard, running: Plan) -> None:
        _, text = await in_thread(create_link)(dashboard=board, user=ada, name="wall")
        whole, one, untold = [
            (await in_thread(find_node)(running, name)).digest for name in (WHOLE, ONE, "untold")
        ]
        socket = await connect(text)
        follow: dict[str, Any] = {"type": "subscribe", "id": "a", "from": None}
        rank: dict[str, Any] = {"type": "rank", "id": "r", "top": 5, "order": "most", "at": None}
        await socket.say(follow | {"node": one, "key": "s1"})
        assert (await socket.hear("snapshot"))["key"] == "s1"
        await socket.say(follow | {"node": whole, "key": "s2"})
        await socket.hear("snapshot")
        await socket.say(rank | {"node": whole})
        await socket.hear("ranking")
        refused: list[dict[str, Any]] = [
            follow | {"node": one, "key": "s2"},
            follow | {"node": untold, "key": "s1"},
            rank | {"node": one},
            {"type": "watch", "plan": running.pk},
            {"type": "attend", "plan": running.pk, "selected": []},
            {"type": "bell"},
        ]
        for message in refused:
            await socket.say(message)
            assert (await socket.hear("error"))["code"] in ("unknown_node", "not_public")
        await socket.disconnect()

    async def test_it_closes_when_the_link_ends(self, ada: User, board: Dashboard, running: Plan) -> None:
        link, text = await in_thread(create_link)(dashboard=board, user=ada, name="wall")
        socket = await connect(text)
        node = await in_thread(find_node)(running, ONE)
        await socket.say({"type": "subscribe", "id": "a", "node": node.digest, "key": "s1", "from": None})
        await socket.hear("snapshot")
        await in_thread(end_link)(dashboard=board, user=ada, number=link.pk)
        closed = await socket.receive_output(4)
        assert (closed["type"], closed["code"]) == ("websocket.close", 4401)
        again = await connect(text)
        assert (await again.receive_output(4))["code"] == 4401

    async def test_what_leaves_the_dashboard_is_followed_no_more(
        self, ada: User, board: Dashboard, running: Plan
    ) -> None:
        _, text = await in_thread(create_link)(dashboard=board, user=ada, name="wall")
        socket = await connect(text)
        node = await in_thread(find_node)(running, ONE)
        await socket.say({"type": "subscribe", "id": "a", "node": node.digest, "key": "s1", "from": None})
        await socket.hear("snapshot")
        document = board.document | {"charts": board.document["charts"][:1]}
        await in_thread(save_dashboard)(dashboard=board, user=ada, version=1, name=None, document=document)
        assert (await socket.hear("error", timeout=8))["code"] == "unknown_node"
        await socket.disconnect()
