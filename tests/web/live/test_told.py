"""The live socket: snapshots, then revisions in sequence; of a plan, how its nodes are."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest
from channels.layers import get_channel_layer
from django.contrib.auth.models import User

from tests.web.conftest import build_document, has_existed
from tests.web.log import SECOND, T, make_node, revise
from tests.web.sockets import SUBSCRIBE, advance, in_thread, open_following_page, open_page
from timeline_app.demos.player import STREAM
from timeline_app.web.models import Node, Query
from timeline_app.web.plans.services import create_plan, run_plan
from timeline_app.web.streams.services import create_stream

pytestmark = pytest.mark.django_db(transaction=True)


async def test_a_snapshot_comes_first(viewer: User, node: Node) -> None:
    async with open_page(viewer) as socket:
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
            "newest_event": None,
            "as_of": T,
            "stopped_at": None,
            "behind": None,
            "version": 0,
        }


async def test_revisions_come_in_sequence(viewer: User, node: Node) -> None:
    async with open_following_page(viewer) as socket:
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
            "newest_event": None,
            "as_of": T + 1,
            "stopped_at": None,
            "behind": None,
        }
        await advance(node, "s1", [[T + 9, True]], start=T + 9)
        assert (await socket.hear("revision"))["seq"] == 2


async def test_a_key_without_data_starts_empty_and_then_appears(viewer: User, node: Node) -> None:
    async with open_page(viewer) as socket:
        await socket.say(SUBSCRIBE | {"key": "s9"})
        snapshot = await socket.hear("snapshot")
        assert (snapshot["points"], snapshot["version"]) == ([], -1)
        await advance(node, "s9", [[None, False]])
        assert (await socket.hear("revision"))["pieces"] == [[None, False]]


async def test_time_goes_on_without_a_revision(viewer: User, node: Node) -> None:
    async with open_following_page(viewer) as socket:
        await advance(node, "s2", [[None, False]])
        assert await socket.hear("progress") == {
            "type": "progress",
            "id": "a",
            "final_until": T,
            "newest_event": None,
            "as_of": T + 1,
            "stopped_at": None,
            "behind": None,
        }
        await advance(node, "s1", [[T + 5, False]], start=T + 5)
        assert (await socket.hear("revision"))["seq"] == 1


@pytest.mark.parametrize("observed", ["stopped", "failed"])
async def test_what_stops_says_when_and_what_runs_again_does_not(
    viewer: User, node: Node, observed: str
) -> None:
    ended = datetime(2026, 11, 21, 12, tzinfo=UTC)
    async with open_page(viewer) as socket:
        await socket.say(SUBSCRIBE)
        assert (await socket.hear("snapshot"))["stopped_at"] is None
        await Query.objects.aupdate(desired="stopped", observed="stopping", observed_since=ended)
        assert await socket.silent(2.5)
        await Query.objects.aupdate(observed=observed)
        answer = await socket.hear("progress")
        assert answer["stopped_at"] == round(ended.timestamp() * SECOND)
        await Query.objects.aupdate(desired="running", observed="starting")
        assert (await socket.hear("progress"))["stopped_at"] is None


async def test_a_node_that_its_query_goes_on_without_stopped_with_its_newest_word(
    viewer: User, node: Node
) -> None:
    await Query.objects.aupdate(program={"silent": ["d1"]})
    async with open_page(viewer) as socket:
        await socket.say(SUBSCRIBE)
        assert (await socket.hear("snapshot"))["stopped_at"] == T


async def test_a_lost_word_loses_nothing(viewer: User, node: Node) -> None:
    async with open_following_page(viewer) as socket:
        await in_thread(revise)(node, "s1", [[T + 5, False]], start=T + 5)
        assert (await socket.hear("revision"))["pieces"] == [[T + 5, False]]


async def test_a_burst_is_merged_into_what_is_true_now(viewer: User, node: Node) -> None:
    async with open_following_page(viewer) as socket:
        for number in range(1, 41):
            flips = [[T + number * SECOND, number % 2 == 0]]
            await in_thread(revise)(node, "s1", flips, start=T + number * SECOND)
        await advance(node, "s1", [[T + 41 * SECOND, False]], start=T + 41 * SECOND)
        heard = [await socket.hear("revision")]
        while heard[-1]["version"] < 41:
            heard.append(await socket.hear("revision"))
        assert len(heard) <= 5
        assert [item["seq"] for item in heard] == list(range(1, len(heard) + 1))
        assert sum(len(item["pieces"]) for item in heard) == 41


async def test_at_most_ten_messages_a_second(viewer: User, node: Node) -> None:
    async with open_following_page(viewer) as socket:
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
    async with open_page(viewer) as socket:
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
    async with open_page(viewer) as socket:
        await socket.say(SUBSCRIBE | {"from": T + 2 * SECOND})
        assert (await socket.hear("snapshot"))["points"] == [[T + 2 * SECOND, 2.0, 1.0]]


async def test_who_unsubscribed_hears_nothing_more(viewer: User, node: Node) -> None:
    async with open_following_page(viewer) as socket:
        await socket.say({"type": "unsubscribe", "id": "a"}, {"type": "ping"})
        await socket.hear("pong")
        await advance(node, "s1", [[T + 5, False]], start=T + 5)
        assert await socket.silent()


async def test_an_id_that_is_in_use_starts_anew(viewer: User, node: Node) -> None:
    async with open_following_page(viewer) as socket:
        await advance(node, "s1", [[T + 5, False]], start=T + 5)
        await socket.hear("revision")
        await socket.say(SUBSCRIBE)
        assert (await socket.hear("snapshot"))["seq"] == 0
        await advance(node, "s1", [[T + 6, True]], start=T + 6)
        assert (await socket.hear("revision"))["seq"] == 1


def run_small_plan(user: User) -> int:
    create_stream(user=user, name="player", document=STREAM)
    plan = create_plan(user=user, name=None, document=build_document(played=has_existed()))
    run_plan(plan=plan, user=user, placement="isolated")
    return plan.pk


async def test_a_watched_plan_tells_its_nodes_when_they_change(viewer: User) -> None:
    plan = await in_thread(run_small_plan)(viewer)
    async with open_page(viewer) as socket:
        await socket.say({"type": "watch", "plan": plan})
        status = await socket.hear("status")
        assert status["plan"] == plan
        [answer] = status["nodes"]
        assert (answer["name"], answer["desired"], answer["observed"]) == ("played", "running", "starting")
        fields = {
            "name",
            "digest",
            "owner",
            "owner_kind",
            "desired",
            "observed",
            "words",
            "error",
            "trouble",
            "hint",
            "counters",
            "rates",
            "backlog",
            "final_until",
            "as_of",
        }
        assert set(answer) == fields
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


async def test_a_chart_is_thinned_and_stays_what_a_fresh_one_would_be(viewer: User) -> None:
    """What revisions leave of it is what a new page gets, though each brings only its stretch."""
    node = await in_thread(make_node)(viewer, "many")
    flips = [[T + index * SECOND, index % 2 == 0] for index in range(3_000)]
    await in_thread(revise)(node, "s", [[None, False], *flips])
    detail = [T + 100 * SECOND, T + 150 * SECOND]
    ask = {**SUBSCRIBE, "node": "many", "key": "s", "points": 50, "detail": detail}
    async with open_page(viewer) as socket:
        await socket.say(ask)
        first = await socket.hear("snapshot")
        assert (first["birth"], len(first["points"]) < 300) == (T, True)
        assert len([t for t, _ in first["points"] if t and detail[0] <= t < detail[1]]) == 50
        left_out = first["left_out"]
        assert sum(item["changes"] for item in left_out) + len(first["points"]) == 3_001
        late = T + 1_000 * SECOND + 7
        await advance(node, "s", [[late, True], [late + 5, False]], start=late, end=late + 10 * SECOND)
        news = await socket.hear("revision")
        assert news["start"] <= late < late + 10 * SECOND <= news["end"]
        assert all(item["to"] <= news["start"] or item["from"] >= news["end"] for item in left_out) is False
        for item in left_out:
            inside = news["start"] <= item["from"] and item["to"] <= news["end"]
            assert inside or item["to"] <= news["start"] or item["from"] >= news["end"]
        folded = [point for point in first["points"] if point[0] is None or point[0] < news["start"]]
        folded += news["pieces"] + [
            point for point in first["points"] if point[0] and point[0] >= news["end"]
        ]
        await socket.say({"type": "unsubscribe", "id": "a"}, {**ask, "id": "b"})
        fresh = await socket.hear("snapshot")
        assert [item for item in folded if item in fresh["points"]] == fresh["points"]
        assert len(folded) <= len(fresh["points"]) + 2, "and where its stretch begins and ends"
