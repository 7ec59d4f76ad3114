"""How much one person's sockets may ask for, and that nobody waits long for another's questions."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from pytest_django.fixtures import Settings

from tests.web.log import T, revise
from tests.web.sockets import SUBSCRIBE, Socket, in_thread, open_page
from timeline_app.web.live import message_budget, snapshots, socket_threads, tail
from timeline_app.web.models import Node

pytestmark = pytest.mark.django_db(transaction=True)


@asynccontextmanager
async def open_pages(user: User, many: int) -> AsyncIterator[list[Socket]]:
    async with AsyncExitStack() as stack:
        yield [await stack.enter_async_context(open_page(user)) for _ in range(many)]


def set_quotas(settings: Settings, **numbers: int) -> None:
    settings.QUOTAS = settings.QUOTAS | numbers


async def test_one_socket_too_many_is_told_so_and_closed(
    viewer: User, node: Node, settings: Settings
) -> None:
    set_quotas(settings, sockets=3)
    other = await in_thread(User.objects.create_user)("other")
    async with open_pages(viewer, 3) as opened, open_page(viewer) as refused, open_page(other) as another:
        answer = await refused.hear("error")
        assert (answer["code"], "3 pages" in answer["message"]) == ("too_many_sockets", True)
        assert await refused.receive_output() == {"type": "websocket.close", "code": 4429}
        for socket in (*opened, another):
            await socket.say({"type": "ping"})
            await socket.hear("pong")
    # Who closes pages may open others.
    async with open_pages(viewer, 3) as opened:
        await opened[-1].say({"type": "ping"})
        await opened[-1].hear("pong")


async def test_messages_beyond_the_budget_are_refused_in_words(
    viewer: User, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(message_budget, "MAX_MESSAGE_BURST", 5.0)
    monkeypatch.setattr(message_budget, "MAX_MESSAGES_PER_S", 0.001)
    monkeypatch.setattr("timeline_app.web.live.consumers.MAX_REFUSED_MESSAGES", 3)
    async with open_page(viewer) as socket:
        socket_budget = [await _request_answer(socket) for _ in range(8)]
        assert socket_budget == ["pong"] * 5 + ["too_many_messages"] * 3
        assert await socket.receive_output() == {"type": "websocket.close", "code": 4429}


@pytest.mark.parametrize(("a_second", "is_closed"), [(60, False), (1_000, True), (10_000, True)])
def test_who_goes_on_too_fast_is_closed_though_some_messages_are_taken(
    monkeypatch: pytest.MonkeyPatch, a_second: int, is_closed: bool
) -> None:
    clock = SimpleNamespace(monotonic=iter(index / a_second for index in range(10 * a_second)).__next__)
    budget, most = message_budget.MessageBudget(_at=0.0), 0
    monkeypatch.setattr(message_budget, "time", clock)
    for _ in range(10 * a_second):
        budget.take()
        most = max(most, budget.refused)
    assert (most >= message_budget.MAX_REFUSED_MESSAGES) is is_closed


async def _request_answer(socket: Socket) -> str:
    await socket.say({"type": "ping"})
    message = await socket.receive_json_from(4)
    return str(message.get("code") or message["type"])


async def test_all_pages_of_a_person_share_a_limit_of_subscriptions(
    viewer: User, node: Node, settings: Settings
) -> None:
    set_quotas(settings, subscriptions=3)
    async with open_pages(viewer, 2) as (item, two):
        for number in range(3):
            await item.say(SUBSCRIBE | {"id": str(number)})
            await item.hear("snapshot")
        await two.say(SUBSCRIBE)
        assert (await two.hear("error"))["code"] == "too_many"
        await item.say({"type": "unsubscribe", "id": "0"}, {"type": "ping"})
        await item.hear("pong")
        await two.say(SUBSCRIBE)
        await two.hear("snapshot")


async def test_rankings_of_many_instants_are_bounded(viewer: User, node: Node, settings: Settings) -> None:
    set_quotas(settings, rankings=2)
    rank = {"type": "rank", "node": "d1", "top": 1, "order": "most"}
    async with open_pages(viewer, 2) as (item, two):
        for number in range(2):
            await item.say(rank | {"id": str(number), "at": T + number})
            await item.hear("ranking")
        await two.say(rank | {"id": "2", "at": T + 2})
        assert (await two.hear("error"))["code"] == "too_many_rankings"
        await two.say(rank | {"id": "same", "at": T + 1})
        await two.hear("ranking")


async def test_the_last_ranking_is_given_to_one_of_two_pages_that_ask_at_once(
    viewer: User, node: Node, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_quotas(settings, rankings=1, subscriptions=9)
    has_begun, snapshot = threading.Event(), snapshots.build_snapshot

    def build_slowly(subscription: Any, user: User) -> Any:
        assert has_begun.wait(30)
        return snapshot(subscription, user)

    monkeypatch.setattr(snapshots, "build_snapshot", build_slowly)
    async with open_pages(viewer, 2) as (item, two):
        rank = {"type": "rank", "node": "d1", "top": 1, "order": "most", "id": "r"}
        await item.say(rank | {"at": T})
        await asyncio.sleep(0.2)
        await two.say(rank | {"at": T + 1})
        assert (await two.hear("error"))["code"] == "too_many_rankings"
        has_begun.set()
        await item.hear("ranking")


async def test_a_slow_question_of_one_delays_nobody_else(
    viewer: User, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The slow ones do not end before the other has been answered."""
    other = await in_thread(User.objects.create_superuser)("other")
    answered, snapshot = threading.Event(), snapshots.build_snapshot

    def build_slowly(subscription: Any, user: User) -> Any:
        if user.pk == viewer.pk:
            assert answered.wait(30)
        return snapshot(subscription, user)

    monkeypatch.setattr(snapshots, "build_snapshot", build_slowly)
    async with open_pages(viewer, 6) as slow_ones, open_page(other) as quick:
        for socket in slow_ones:
            await socket.say(SUBSCRIBE)
        await asyncio.sleep(0.2)
        await quick.say(SUBSCRIBE)
        await quick.hear("snapshot", timeout=20)
        await in_thread(revise)(node, "s1", [[T + 5, False]], start=T + 5)
        await quick.hear("revision", timeout=20)
        answered.set()
        for socket in slow_ones:
            await socket.hear("snapshot", timeout=20)


async def test_of_one_person_one_question_is_asked_at_a_time() -> None:
    running, most = [0], [0]

    def ask() -> None:
        running[0] += 1
        most[0] = max(most[0], running[0])
        threading.Event().wait(0.02)
        running[0] -= 1

    await asyncio.gather(*(socket_threads.run_for(1, ask) for _ in range(8)))
    assert most == [1]


async def test_a_long_history_begins_with_its_latest_points(
    viewer: User, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshots, "MAX_POINTS_PER_ANSWER", 10)
    monkeypatch.setattr(snapshots, "MAX_POINTS_PER_CHART", 20)
    monkeypatch.setattr(tail, "MAX_POINTS_PER_ANSWER", 10)
    points: list[list[Any]] = [[None, False], *([T + at, at % 2 == 0] for at in range(100))]
    await in_thread(revise)(node, "long", points)
    async with open_page(viewer) as socket:
        await socket.say(SUBSCRIBE | {"key": "long"})
        answer = await socket.hear("snapshot")
        assert (answer["truncated"], answer["start"], answer["points"]) == (True, T + 90, points[-10:])
        await in_thread(revise)(node, "long", [[T + 100, True]], start=T + 100)
        assert (await socket.hear("revision"))["pieces"] == [[T + 100, True]]
        # What was corrected before that is not told; what reaches into it is told from there on.
        await in_thread(revise)(node, "long", [[T + 95, None]], start=T + 95, end=T + 96)
        assert (await socket.hear("revision"))["start"] == T + 95
        await socket.say(SUBSCRIBE | {"id": "b", "key": "long", "points": 10})
        chart = await socket.hear("snapshot")
        assert (chart["truncated"], chart["start"] >= T + 88) == (True, True)


async def test_a_correction_of_more_than_a_message_carries_brings_a_new_snapshot(
    viewer: User, node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tail, "MAX_POINTS_PER_ANSWER", 10)
    points: list[list[Any]] = [[None, False], *([T + at, at % 2 == 0] for at in range(300))]
    await in_thread(revise)(node, "long", points)
    async with open_page(viewer) as socket:
        await socket.say(SUBSCRIBE | {"key": "long"})
        assert len((await socket.hear("snapshot"))["points"]) == 301
        # Between the two lies more than a message carries, and no tail reaches so far.
        await in_thread(revise_both)(node)
        answer = await socket.hear("snapshot")
        assert (answer["seq"], len(answer["points"])) == (0, 302)
        await in_thread(revise)(node, "long", [[T + 301, False]], start=T + 301)
        assert (await socket.hear("revision"))["seq"] == 1


def revise_both(node: Node) -> None:
    """Two revisions that become visible at once."""
    with transaction.atomic():
        revise(node, "long", [[T + 5, None]], start=T + 5, end=T + 6)
        revise(node, "long", [[T + 300, None]], start=T + 300)
