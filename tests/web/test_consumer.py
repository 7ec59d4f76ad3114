"""The live socket: snapshots, then revisions in sequence; it answers everything and closes for nothing."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from channels.generic.websocket import AsyncJsonWebsocketConsumer
from channels.layers import get_channel_layer
from django.contrib.auth.models import AnonymousUser, User
from django.db import DatabaseError
from django.test import Client
from redis.exceptions import ConnectionError as RedisAway
from uvicorn.protocols.utils import ClientDisconnected

from tests.web.conftest import document, has_existed
from tests.web.log import SECOND, T, make_node, revise
from tests.web.sockets import Socket, advance, in_thread, page
from timeline_app.asgi import application
from timeline_app.web import consumers, live
from timeline_app.web.consumers import LiveConsumer
from timeline_app.web.demos.player import STREAM
from timeline_app.web.models import Node, Query
from timeline_app.web.services.plans import plan_create, plan_run
from timeline_app.web.services.streams import stream_create

pytestmark = pytest.mark.django_db(transaction=True)
SUBSCRIBE = {"type": "subscribe", "id": "a", "node": "d1", "key": "s1", "from": None}


@pytest.fixture
def viewer(transactional_db: None) -> User:
    return User.objects.create_user("viewer")


@pytest.fixture
def node(viewer: User) -> Node:
    node = make_node(viewer)
    Query.objects.update(desired="running", observed="running")
    revise(node, "s1", [[None, False], [T, True]])
    return node


async def test_a_snapshot_comes_first(viewer: User, node: Node) -> None:
    async with page(viewer) as socket:
        await socket.say(SUBSCRIBE)
        assert await socket.hear("snapshot") == {
            "type": "snapshot",
            "id": "a",
            "seq": 0,
            "node": "d1",
            "key": "s1",
            "kind": "bool",
            "points": [[None, False], [T, True]],
            "final_until": T,
            "as_of": T,
            "stopped_at": None,
            "version": 0,
        }


async def test_revisions_come_in_sequence(viewer: User, node: Node) -> None:
    async with page(viewer) as socket:
        await socket.say(SUBSCRIBE)
        await socket.hear("snapshot")
        await advance(node, "s1", [[T + 5, False]], start=T + 5)
        assert await socket.hear("revision") == {
            "type": "revision",
            "id": "a",
            "seq": 1,
            "version": 1,
            "known_at": T + 1,
            "start": T + 5,
            "end": None,
            "pieces": [[T + 5, False]],
            "final_until": T,
            "as_of": T + 1,
            "stopped_at": None,
        }
        await advance(node, "s1", [[T + 9, True]], start=T + 9)
        assert (await socket.hear("revision"))["seq"] == 2


async def test_a_key_without_data_starts_empty_and_then_appears(viewer: User, node: Node) -> None:
    async with page(viewer) as socket:
        await socket.say(SUBSCRIBE | {"key": "s9"})
        snapshot = await socket.hear("snapshot")
        assert (snapshot["points"], snapshot["version"]) == ([], -1)
        await advance(node, "s9", [[None, False]])
        assert (await socket.hear("revision"))["pieces"] == [[None, False]]


async def test_time_goes_on_without_a_revision(viewer: User, node: Node) -> None:
    async with page(viewer) as socket:
        await socket.say(SUBSCRIBE)
        await socket.hear("snapshot")
        await advance(node, "s2", [[None, False]])
        assert await socket.hear("progress") == {
            "type": "progress",
            "id": "a",
            "final_until": T,
            "as_of": T + 1,
            "stopped_at": None,
        }
        await advance(node, "s1", [[T + 5, False]], start=T + 5)
        assert (await socket.hear("revision"))["seq"] == 1


@pytest.mark.parametrize("observed", ["stopped", "failed"])
async def test_what_stops_says_when_and_what_runs_again_does_not(
    viewer: User, node: Node, observed: str
) -> None:
    ended = datetime(2026, 11, 21, 12, tzinfo=UTC)
    async with page(viewer) as socket:
        await socket.say(SUBSCRIBE)
        assert (await socket.hear("snapshot"))["stopped_at"] is None
        await Query.objects.aupdate(desired="stopped", observed="stopping", observed_since=ended)
        assert await socket.silent(2.5)
        await Query.objects.aupdate(observed=observed)
        told = await socket.hear("progress")
        assert told["stopped_at"] == round(ended.timestamp() * SECOND)
        await Query.objects.aupdate(desired="running", observed="starting")
        assert (await socket.hear("progress"))["stopped_at"] is None


async def test_a_node_that_its_query_goes_on_without_stopped_with_its_newest_word(
    viewer: User, node: Node
) -> None:
    await Query.objects.aupdate(program={"silent": ["d1"]})
    async with page(viewer) as socket:
        await socket.say(SUBSCRIBE)
        assert (await socket.hear("snapshot"))["stopped_at"] == T


async def test_a_lost_word_loses_nothing(viewer: User, node: Node) -> None:
    async with page(viewer) as socket:
        await socket.say(SUBSCRIBE)
        await socket.hear("snapshot")
        await in_thread(revise)(node, "s1", [[T + 5, False]], start=T + 5)
        assert (await socket.hear("revision"))["pieces"] == [[T + 5, False]]


async def test_a_burst_is_merged_into_what_is_true_now(viewer: User, node: Node) -> None:
    async with page(viewer) as socket:
        await socket.say(SUBSCRIBE)
        await socket.hear("snapshot")
        for number in range(1, 41):
            flips = [[T + number * SECOND, number % 2 == 0]]
            await in_thread(revise)(node, "s1", flips, start=T + number * SECOND)
        await advance(node, "s1", [[T + 41 * SECOND, False]], start=T + 41 * SECOND)
        heard = [await socket.hear("revision")]
        while heard[-1]["version"] < 41:
            heard.append(await socket.hear("revision"))
        assert len(heard) <= 5
        assert [one["seq"] for one in heard] == list(range(1, len(heard) + 1))
        assert sum(len(one["pieces"]) for one in heard) == 41


async def test_at_most_ten_messages_a_second(viewer: User, node: Node) -> None:
    async with page(viewer) as socket:
        await socket.say(SUBSCRIBE)
        await socket.hear("snapshot")
        heard: list[float] = []
        clock = asyncio.get_running_loop().time

        async def listen() -> None:
            while True:
                await socket.receive_from(timeout=10)
                heard.append(clock())

        listening = asyncio.create_task(listen())
        begin = clock()
        while clock() - begin < 1.0:
            await advance(node, "s1", [[T + 5, False]], start=T + 5)
        await asyncio.sleep(0.05)
        listening.cancel()
        assert 1 <= sum(moment - begin < 1.0 for moment in heard) <= 11


async def test_from_shows_only_what_lies_behind(viewer: User, node: Node) -> None:
    since = T + 10 * SECOND
    async with page(viewer) as socket:
        await socket.say(SUBSCRIBE | {"from": since})
        assert (await socket.hear("snapshot"))["points"] == [[since, True]]
        await advance(node, "s1", [[T + SECOND, False]], start=T + SECOND, end=T + 2 * SECOND)
        await socket.hear("progress")
        await advance(node, "s1", [[T + 5 * SECOND, False], [since + 5, True]], start=T + 5 * SECOND)
        revision = await socket.hear("revision")
        assert (revision["seq"], revision["start"]) == (1, since)
        assert revision["pieces"] == [[since, False], [since + 5, True]]


async def test_numbers_carry_their_slope(viewer: User, transactional_db: None) -> None:
    node = await in_thread(make_node)(viewer, "d1", "number")
    await in_thread(revise)(node, "s1", [[None, 0.0, 0.0], [T, 0.0, 1.0]])
    async with page(viewer) as socket:
        await socket.say(SUBSCRIBE | {"from": T + 2 * SECOND})
        assert (await socket.hear("snapshot"))["points"] == [[T + 2 * SECOND, 2.0, 1.0]]


async def test_who_unsubscribed_hears_nothing_more(viewer: User, node: Node) -> None:
    async with page(viewer) as socket:
        await socket.say(SUBSCRIBE)
        await socket.hear("snapshot")
        await socket.say({"type": "unsubscribe", "id": "a"}, {"type": "ping"})
        await socket.hear("pong")
        await advance(node, "s1", [[T + 5, False]], start=T + 5)
        assert await socket.silent()


async def test_an_id_that_is_in_use_starts_anew(viewer: User, node: Node) -> None:
    async with page(viewer) as socket:
        await socket.say(SUBSCRIBE)
        await socket.hear("snapshot")
        await advance(node, "s1", [[T + 5, False]], start=T + 5)
        await socket.hear("revision")
        await socket.say(SUBSCRIBE)
        assert (await socket.hear("snapshot"))["seq"] == 0
        await advance(node, "s1", [[T + 6, True]], start=T + 6)
        assert (await socket.hear("revision"))["seq"] == 1


BAD = [
    " ",
    "{",
    "null",
    "17",
    "[]",
    '"subscribe"',
    "{}",
    '{"type": null}',
    '{"type": ["subscribe"]}',
    '{"type": "nonsense"}',
    '{"type": "subscribe"}',
    '{"type": "subscribe", "id": "a", "node": "d1"}',
    '{"type": "subscribe", "id": 5, "node": "d1", "key": "s1"}',
    '{"type": "subscribe", "id": "a", "node": {}, "key": "s1"}',
    '{"type": "subscribe", "id": "a", "node": "../x", "key": "s1"}',
    '{"type": "subscribe", "id": "a", "node": "gone", "key": "s1"}',
    '{"type": "subscribe", "id": "a", "node": "d1", "key": ""}',
    '{"type": "subscribe", "id": "a", "node": "d1", "key": "a\\u0000"}',
    '{"type": "subscribe", "id": "a", "node": "d1", "key": "\\ud800"}',
    '{"type": "subscribe", "id": "a", "node": "d1", "key": "s1", "from": "now"}',
    '{"type": "subscribe", "id": "a", "node": "d1", "key": "s1", "from": true}',
    '{"type": "subscribe", "id": "a", "node": "d1", "key": "s1", "from": 1e999}',
    json.dumps({"type": "subscribe", "id": "a", "node": "d1", "key": "s1", "from": 2**63}),
    json.dumps({"type": "subscribe", "id": "i" * 500, "node": "d1", "key": "s1"}),
    json.dumps({"type": "subscribe", "id": "a", "node": "d1", "key": "k" * 2000}),
    '{"type": "unsubscribe"}',
    '{"type": "watch"}',
    '{"type": "watch", "plan": "1"}',
    '{"type": "watch", "plan": true}',
    '{"type": "watch", "plan": 999}',
    '{"type": "watch", "plan": 99999999999999999999999}',
    '{"type": "unwatch", "plan": -1}',
    '{"type": "attend"}',
    '{"type": "attend", "plan": 1}',
    '{"type": "attend", "plan": 999, "selected": []}',
    '{"type": "attend", "plan": "1", "selected": []}',
    '{"type": "attend", "plan": 1, "selected": "a"}',
    '{"type": "attend", "plan": 1, "selected": [1]}',
    '{"type": "attend", "plan": 1, "selected": [""]}',
    '{"type": "attend", "plan": 1, "selected": ["\\u0000"]}',
    json.dumps({"type": "attend", "plan": 1, "selected": ["a"] * 51}),
    json.dumps({"type": "attend", "plan": 1, "selected": ["a" * 101]}),
    '{"type": "leave"}',
    "[" * 50_000,
    "x" * 100_000,
    '{"type": "ping", "more": ' + "9" * 5000 + "}",
]


async def test_every_bad_message_is_answered_and_the_socket_stays_open(viewer: User, node: Node) -> None:
    async with page(viewer) as socket:
        for text in BAD:
            await socket.send_to(text_data=text)
            error = await socket.hear("error")
            assert set(error) == {"type", "id", "code", "message"}
            assert error["code"] in ("bad_message", "bad_json", "unknown_node", "unknown_plan"), text
            assert error["message"]
        await socket.send_to(bytes_data=b"\x00\xff")
        await socket.hear("error")
        await socket.say(
            {"type": "unsubscribe", "id": "never"}, {"type": "unwatch", "plan": 5}, {"type": "ping"}
        )
        await socket.hear("pong")


async def test_an_error_names_the_id_it_is_about(viewer: User, node: Node) -> None:
    async with page(viewer) as socket:
        await socket.say(SUBSCRIBE | {"node": "gone"})
        assert (await socket.hear("error"))["id"] == "a"
        await socket.say(SUBSCRIBE | {"key": 5})
        assert (await socket.hear("error"))["id"] == "a"


async def test_a_socket_has_at_most_200_subscriptions(
    viewer: User, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert consumers.MOST == 200
    monkeypatch.setattr(consumers, "MOST", 3)
    async with page(viewer) as socket:
        for name in "abc":
            await socket.say(SUBSCRIBE | {"id": name})
            await socket.hear("snapshot")
        await socket.say(SUBSCRIBE | {"id": "d"})
        error = await socket.hear("error")
        assert (error["id"], error["code"]) == ("d", "too_many")
        await socket.say(SUBSCRIBE | {"id": "c"})
        await socket.hear("snapshot")


def a_running_plan(user: User) -> int:
    stream_create(user=user, name="player", document=STREAM)
    plan = plan_create(user=user, name=None, document=document(played=has_existed()))
    plan_run(plan=plan, user=user, placement="isolated")
    return plan.pk


async def test_a_watched_plan_tells_its_nodes_when_they_change(viewer: User) -> None:
    plan = await in_thread(a_running_plan)(viewer)
    async with page(viewer) as socket:
        await socket.say({"type": "watch", "plan": plan})
        status = await socket.hear("status")
        assert status["plan"] == plan
        [told] = status["nodes"]
        assert (told["name"], told["desired"], told["observed"]) == ("played", "running", "starting")
        wanted = {
            "name",
            "digest",
            "owner",
            "owner_kind",
            "desired",
            "observed",
            "words",
            "error",
            "trouble",
            "cure",
            "counters",
            "rates",
            "backlog",
            "final_until",
            "as_of",
        }
        assert set(told) == wanted
        await Query.objects.aupdate(observed="running", words="running")
        layer = get_channel_layer()
        assert layer is not None
        await layer.group_send("statuses", {"type": "status.changed"})
        assert (await socket.hear("status"))["nodes"][0]["observed"] == "running"
        await layer.group_send("statuses", {"type": "status.changed"})
        assert await socket.silent()
        await socket.say({"type": "unwatch", "plan": plan})
        await Query.objects.aupdate(observed="failed")
        assert await socket.silent(2.5)


async def test_a_database_that_is_away_is_an_answer_and_later_none(
    viewer: User, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with page(viewer) as socket:
        await socket.say(SUBSCRIBE)
        await socket.hear("snapshot")
        kept: Callable[..., Any] = live.news
        monkeypatch.setattr(live, "news", broken)
        await advance(node, "s1", [[T + 5, False]], start=T + 5)
        assert await socket.silent()
        monkeypatch.setattr(live, "snapshot", broken)
        await socket.say(SUBSCRIBE | {"id": "b"})
        assert (await socket.hear("error"))["code"] == "unavailable"
        monkeypatch.setattr(live, "news", kept)
        assert (await socket.hear("revision"))["seq"] == 1


def broken(*_: object) -> None:
    raise DatabaseError("database is locked")


async def test_a_page_that_is_gone_while_it_is_told_something_ends_nothing(
    viewer: User, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with page(viewer) as socket:
        await socket.say(SUBSCRIBE)
        await socket.hear("snapshot")
        kept = AsyncJsonWebsocketConsumer.send_json
        monkeypatch.setattr(AsyncJsonWebsocketConsumer, "send_json", gone)
        await advance(node, "s1", [[T + 5, False]], start=T + 5)
        assert await socket.silent()
        monkeypatch.setattr(AsyncJsonWebsocketConsumer, "send_json", kept)
        await advance(node, "s1", [[T + 6, True]], start=T + 6)
        assert (await socket.hear("revision"))["seq"] == 2


async def gone(*_: object) -> None:
    raise ClientDisconnected


async def test_a_redis_that_is_away_delays_and_loses_nothing(
    viewer: User, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(*_: object) -> None:
        raise RedisAway("connection refused")

    layer = get_channel_layer()
    monkeypatch.setattr(layer, "group_add", away)
    monkeypatch.setattr(layer, "group_discard", away)
    async with page(viewer) as socket:
        await socket.say(SUBSCRIBE)
        await socket.hear("snapshot")
        await in_thread(revise)(node, "s1", [[T + 5, False]], start=T + 5)
        assert (await socket.hear("revision"))["seq"] == 1


async def test_who_was_locked_out_is_closed_out(
    viewer: User, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consumers, "LOOK_AFTER", 0.0)
    async with page(viewer) as socket:
        await User.objects.aupdate(is_active=False)
        closed = await socket.receive_output(timeout=4)
        assert (closed["type"], closed["code"]) == ("websocket.close", 4401)


async def test_nobody_is_told_why_the_socket_closes() -> None:
    socket = Socket(LiveConsumer.as_asgi(), "/ws/live/")
    socket.scope["user"] = AnonymousUser()
    assert (await socket.connect())[0]
    closed = await socket.receive_output(timeout=2)
    assert (closed["type"], closed["code"]) == ("websocket.close", 4401)


def session_of(user: User) -> str:
    browser = Client()
    browser.force_login(user)
    return browser.cookies["timelines_session"].value


@pytest.mark.parametrize(
    ("origin", "welcome"),
    [
        (b"http://localhost:8000", True),
        (b"https://127.0.0.1", True),
        (b"http://evil.example", False),
        (b"null", False),
        (b"", False),
        (b"http://localhost.evil.example", False),
        (None, False),
    ],
)
async def test_only_pages_from_here_may_open_a_socket(
    viewer: User, origin: bytes | None, welcome: bool
) -> None:
    cookie = f"timelines_session={await in_thread(session_of)(viewer)}".encode()
    headers = [(b"cookie", cookie)] + ([] if origin is None else [(b"origin", origin)])
    socket = Socket(application, "/ws/live/", headers=headers)
    assert (await socket.connect())[0] is welcome
    if welcome:
        await socket.say({"type": "ping"})
        await socket.hear("pong")
        await socket.disconnect()


async def test_there_is_no_other_socket(viewer: User) -> None:
    cookie = f"timelines_session={await in_thread(session_of)(viewer)}".encode()
    headers = [(b"cookie", cookie), (b"origin", b"http://localhost")]
    assert (await Socket(application, "/ws/elsewhere/", headers=headers).connect())[0] is False


async def test_a_chart_is_thinned_and_stays_what_a_fresh_one_would_be(viewer: User) -> None:
    """What revisions leave of it is what a new page gets, though each brings only its stretch."""
    node = await in_thread(make_node)(viewer, "many")
    flips = [[T + place * SECOND, place % 2 == 0] for place in range(3_000)]
    await in_thread(revise)(node, "s", [[None, False], *flips])
    detail = [T + 100 * SECOND, T + 150 * SECOND]
    ask = {**SUBSCRIBE, "node": "many", "key": "s", "points": 50, "detail": detail}
    async with page(viewer) as socket:
        await socket.say(ask)
        first = await socket.hear("snapshot")
        assert (first["birth"], len(first["points"]) < 300) == (T, True)
        assert len([t for t, _ in first["points"] if t and detail[0] <= t < detail[1]]) == 50
        left_out = first["left_out"]
        assert sum(one["changes"] for one in left_out) + len(first["points"]) == 3_001
        late = T + 1_000 * SECOND + 7
        await advance(node, "s", [[late, True], [late + 5, False]], start=late, end=late + 10 * SECOND)
        news = await socket.hear("revision")
        assert news["start"] <= late < late + 10 * SECOND <= news["end"]
        assert all(one["to"] <= news["start"] or one["from"] >= news["end"] for one in left_out) is False
        for one in left_out:
            inside = news["start"] <= one["from"] and one["to"] <= news["end"]
            assert inside or one["to"] <= news["start"] or one["from"] >= news["end"]
        folded = [one for one in first["points"] if one[0] is None or one[0] < news["start"]]
        folded += news["pieces"] + [one for one in first["points"] if one[0] and one[0] >= news["end"]]
        await socket.say({"type": "unsubscribe", "id": "a"}, {**ask, "id": "b"})
        fresh = await socket.hear("snapshot")
        assert [one for one in folded if one in fresh["points"]] == fresh["points"]
        assert len(folded) <= len(fresh["points"]) + 2, "and where its stretch begins and ends"


@pytest.mark.parametrize("bad", [{"points": 9}, {"points": "50"}, {"points": True}, {"points": 1e9}])
@pytest.mark.parametrize("detail", [None, [1], [2, 1], [1, None], "x", [1.5, 2], {"from": 1}])
async def test_a_chart_of_no_width_is_refused(viewer: User, node: Node, bad: Any, detail: Any) -> None:
    async with page(viewer) as socket:
        await socket.say({**SUBSCRIBE, **bad, "detail": detail})
        assert (await socket.hear("error"))["code"] == "bad_message"
        await socket.say({**SUBSCRIBE, "points": 50, "detail": detail})
        kind = "snapshot" if detail is None else "error"
        assert (await socket.hear(kind))["id"] == "a"
