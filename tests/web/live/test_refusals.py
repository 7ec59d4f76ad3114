"""The live socket answers everything, and closes for nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.contrib.auth.models import User

from tests.web.sockets import SUBSCRIBE, open_page
from timeline_app.web.live import consumers
from timeline_app.web.models import Node

pytestmark = pytest.mark.django_db(transaction=True)


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
    async with open_page(viewer) as socket:
        for text in BAD:
            await socket.send_to(text_data=text)
            error = await socket.hear("error")
            about = {"plan"} if error["code"] == "unknown_plan" else set()
            assert set(error) == {"type", "id", "code", "message"} | about
            assert error["code"] in ("bad_message", "bad_json", "unknown_node", "unknown_plan"), text
            assert error["message"]
        await socket.send_to(bytes_data=b"\x00\xff")
        await socket.hear("error")
        await socket.say(
            {"type": "unsubscribe", "id": "never"}, {"type": "unwatch", "plan": 5}, {"type": "ping"}
        )
        await socket.hear("pong")


async def test_an_error_names_the_id_it_is_about(viewer: User, node: Node) -> None:
    async with open_page(viewer) as socket:
        await socket.say(SUBSCRIBE | {"node": "gone"})
        assert (await socket.hear("error"))["id"] == "a"
        await socket.say(SUBSCRIBE | {"key": 5})
        assert (await socket.hear("error"))["id"] == "a"


async def test_a_socket_has_at_most_200_subscriptions(
    viewer: User, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert consumers.MAX_SUBSCRIPTIONS == 200
    monkeypatch.setattr(consumers, "MAX_SUBSCRIPTIONS", 3)
    async with open_page(viewer) as socket:
        for name in "abc":
            await socket.say(SUBSCRIBE | {"id": name})
            await socket.hear("snapshot")
        await socket.say(SUBSCRIBE | {"id": "d"})
        error = await socket.hear("error")
        assert (error["id"], error["code"]) == ("d", "too_many")
        await socket.say(SUBSCRIBE | {"id": "c"})
        await socket.hear("snapshot")


@pytest.mark.parametrize("bad", [{"points": 9}, {"points": "50"}, {"points": True}, {"points": 1e9}])
@pytest.mark.parametrize("detail", [None, [1], [2, 1], [1, None], "x", [1.5, 2], {"from": 1}])
async def test_a_chart_of_no_width_is_refused(viewer: User, node: Node, bad: Any, detail: Any) -> None:
    async with open_page(viewer) as socket:
        await socket.say({**SUBSCRIBE, **bad, "detail": detail})
        assert (await socket.hear("error"))["code"] == "bad_message"
        await socket.say({**SUBSCRIBE, "points": 50, "detail": detail})
        kind = "snapshot" if detail is None else "error"
        assert (await socket.hear(kind))["id"] == "a"


@pytest.mark.parametrize("kind", ["watch", "attend"])
async def test_a_plan_whose_right_ended_before_the_page_asked_is_named_so_that_the_page_leaves_it(
    viewer: User, node: Node, kind: str
) -> None:
    async with open_page(viewer) as socket:
        await socket.say({"type": kind, "plan": 999_999, **({"selected": []} if kind == "attend" else {})})
        error = await socket.hear("error")
        assert (error["code"], error["plan"]) == ("unknown_plan", 999_999)
