"""The keys with the most: the same as looking at every key, however it was read; over the socket, bounded."""

from __future__ import annotations

import time
from typing import Any

import pytest
from django.contrib.auth.models import User
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.web.log import SECOND, T, make_node, revise
from tests.web.sockets import Socket, advance, in_thread, open_page
from timeline_app.algebra.kinds import Kind
from timeline_app.web.models import Node, NodeKey, Query
from timeline_app.web.nodes import ranking
from timeline_app.web.nodes.ranking import Ranking, find_value, get_ranking
from timeline_app.web.nodes.timelines import read_key_timeline

RANK: dict[str, Any] = {"type": "rank", "id": "r", "node": "d1", "top": 3, "order": "most", "at": None}


@pytest.fixture
def number_node(ada: User) -> Node:
    return make_node(ada, kind="number")


def write_value(node: Node, key: str, value: float | None, at: int, slope: float = 0.0) -> None:
    revise(node, key, [[at, value, slope]], start=at)


def list_top(node: Node, number: int = 3, order: str = "most", at: int | None = None) -> list[str]:
    ranking = Ranking(node.digest, Kind(node.kind), at)
    while not ranking.read(node):
        pass
    return [key for key, _ in ranking.best(node, number, order)]


def test_the_most_and_the_least(number_node: Node) -> None:
    for key, value in (("a", 3.0), ("b", 1.0), ("c", None), ("d", 2.0)):
        revise(number_node, key, [[None, value, 0.0]])
    assert list_top(number_node) == ["a", "d", "b"]
    assert list_top(number_node, 4) == ["a", "d", "b", "c"]
    assert list_top(number_node, 4, "least") == ["b", "d", "a", "c"]


def test_numbers_are_compared_as_they_have_climbed_by_then(number_node: Node) -> None:
    revise(number_node, "slow", [[None, 0.0, 0.0], [T, 5.0, 0.0]])
    revise(number_node, "fast", [[None, 0.0, 0.0], [T, 0.0, 1.0]])
    assert list_top(number_node, 1, at=T + 4 * SECOND) == ["slow"]
    assert list_top(number_node, 1, at=T + 6 * SECOND) == ["fast"]


def test_what_happens_later_does_not_count_yet(number_node: Node) -> None:
    revise(number_node, "a", [[None, 1.0, 0.0], [T + 10 * SECOND, 9.0, 0.0]])
    revise(number_node, "b", [[None, 2.0, 0.0]])
    assert list_top(number_node, 1, at=T) == ["b"]
    assert list_top(number_node, 1, at=T + 10 * SECOND) == ["a"]


def test_true_comes_before_false_and_unknown_last(ada: User) -> None:
    node = make_node(ada)
    for key, value in (("a", None), ("b", False), ("c", True)):
        revise(node, key, [[None, value]])
    assert list_top(node) == ["c", "b", "a"]


def test_ratios_are_divided(ada: User) -> None:
    node = make_node(ada, kind="ratio")
    revise(node, "half", [[None, 1.0, 0.0, 2.0, 0.0]])
    revise(node, "third", [[None, 1.0, 0.0, 3.0, 0.0]])
    assert list_top(node) == ["half", "third"]


def test_what_is_new_is_read_and_nothing_else(number_node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    for key in "abc":
        revise(number_node, key, [[None, 1.0, 0.0]])
    result = Ranking(number_node.digest, Kind.NUMBER)
    assert result.read(number_node)
    read: list[int] = []
    whole = ranking.read_key_tails

    def count_read(kind: Kind, keys: Any, base: int, until: int) -> Any:
        read.append(len(keys))
        return whole(kind, keys, base, until)

    monkeypatch.setattr(ranking, "read_key_tails", count_read)
    assert result.read(number_node)
    write_value(number_node, "b", 7.0, T)
    assert result.read(number_node)
    assert read == [1]
    assert [key for key, _ in result.best(number_node, 1, "most")] == ["b"]


def test_a_key_that_was_taken_back_is_in_no_ranking(number_node: Node) -> None:
    for key in "ab":
        revise(number_node, key, [[None, 1.0, 0.0]])
    ranking = Ranking(number_node.digest, Kind.NUMBER)
    ranking.read(number_node)
    number_node.version += 1
    number_node.save()
    NodeKey.objects.filter(key="a").update(birth=2**63 - 1, version=number_node.version)
    ranking.read(number_node)
    assert [key for key, _ in ranking.best(number_node, 9, "most")] == ["b"]


def test_many_keys_are_read_in_parts_and_the_oldest_are_left_out(
    number_node: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ranking, "MAX_KEYS_PER_READ", 2)
    monkeypatch.setattr(ranking, "MAX_RANKED_KEYS", 5)
    for number in range(8):
        revise(number_node, f"k{number}", [[None, float(-number), 0.0]])
    result = Ranking(number_node.digest, Kind.NUMBER)
    assert [result.read(number_node) for _ in range(3)] == [False, False, True]
    assert [key for key, _ in result.best(number_node, 1, "most")] == ["k3"]
    assert (len(result.tails), result.total) == (5, 8)


def test_a_log_that_was_begun_anew_is_read_anew(number_node: Node) -> None:
    for key in "abc":
        revise(number_node, key, [[None, 1.0, 0.0]])
    ranking = Ranking(number_node.digest, Kind.NUMBER)
    ranking.read(number_node)
    NodeKey.objects.all().delete()
    number_node.version = -1
    revise(number_node, "new", [[None, 1.0, 0.0]])
    ranking.read(number_node)
    assert list(ranking.tails) == ["new"]


def test_those_who_look_at_once_share(number_node: Node) -> None:
    first = get_ranking(number_node)
    assert get_ranking(number_node) is first
    assert get_ranking(number_node, T) is not first


@pytest.mark.parametrize("points", [[], [[None, None, 0.0]]])
def test_nothing_has_no_value(points: list[Any]) -> None:
    assert find_value(points, T) is None


@pytest.mark.deep
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    values=st.lists(
        st.tuples(
            st.sampled_from("abcd"),
            st.integers(-3, 9),
            st.one_of(st.none(), st.integers(1, 6)),
            st.one_of(st.none(), st.integers(-3, 3)),
            st.integers(-1, 1),
        ),
        max_size=12,
    ),
    order=st.sampled_from(["most", "least"]),
    at=st.integers(0, 12),
)
@pytest.mark.django_db
def test_a_ranking_says_what_every_key_says_by_itself(
    django_user_model: type[User], values: list[Any], order: str, at: int
) -> None:
    owner, _ = django_user_model.objects.get_or_create(username="ada")
    Node.objects.all().delete()
    Query.objects.all().delete()
    node = make_node(owner, kind="number")
    for key in "abcd":
        revise(node, key, [[None, 0.0, 0.0]])
    for key, start, long, value, slope in values:
        begin = T + start * SECOND
        end = None if long is None else begin + long * SECOND
        point = [begin, None, 0.0] if value is None else [begin, float(value), float(slope)]
        revise(node, key, [point], start=begin, end=end)
    now = T + at * SECOND
    ranking = Ranking(node.digest, Kind.NUMBER, now)
    ranking.read(node)
    alone = {}
    for key in "abcd":
        answer = read_key_timeline(node, key, start=now, end=now + 1)
        assert answer is not None
        alone[key] = answer.points[0][1]
        assert find_value(ranking.tails[key], now) == pytest.approx(alone[key])
    known = sorted((value, key) for key, value in alone.items() if value is not None)
    expected = [key for _, key in (known if order == "least" else reversed(known))]
    assert [key for key, _ in ranking.best(node, 4, order)][: len(expected)] == expected


@pytest.fixture
def viewer(transactional_db: None) -> User:
    return User.objects.create_user("viewer")


@pytest.fixture
def node_of_seconds(viewer: User) -> Node:
    node = make_node(viewer, kind="number")
    for key, value in (("a", 3.0), ("b", 1.0), ("c", 2.0), ("d", 0.0)):
        revise(node, key, [[None, value, 0.0]])
    return node


async def read_rows(socket: Socket) -> list[str]:
    message = await socket.hear("ranking")
    return [row["key"] for row in message["rows"]]


@pytest.mark.django_db(transaction=True)
async def test_a_ranking_comes_at_once_and_again_when_it_changes(viewer: User, node_of_seconds: Node) -> None:
    async with open_page(viewer) as socket:
        await socket.say(RANK)
        message = await socket.hear("ranking")
        assert [row["key"] for row in message["rows"]] == ["a", "c", "b"]
        assert (message["ranked"], message["total"], message["kind"]) == (4, 4, "number")
        assert message["rows"][0]["points"][0][1:] == [3.0, 0.0]
        await advance(node_of_seconds, "d", [[T, 9.0, 0.0]], start=T)
        assert await read_rows(socket) == ["d", "a", "c"]
        await socket.say({"type": "unsubscribe", "id": "r"})
        await advance(node_of_seconds, "b", [[T, 99.0, 0.0]], start=T)
        assert await socket.silent()


@pytest.mark.django_db(transaction=True)
async def test_what_lies_below_the_ranking_says_nothing_of_it(viewer: User, node_of_seconds: Node) -> None:
    async with open_page(viewer) as socket:
        await socket.say(RANK | {"top": 1})
        first = await socket.hear("ranking")
        await advance(node_of_seconds, "d", [[T, 0.5, 0.0]], start=T)
        again = await socket.hear("ranking")
        assert again["rows"][0]["key"] == first["rows"][0]["key"] == "a"
        assert len(again["rows"]) == 1


@pytest.mark.django_db(transaction=True)
async def test_a_ranking_that_is_read_in_parts_ends_whole(
    viewer: User, node_of_seconds: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ranking, "MAX_KEYS_PER_READ", 1)
    async with open_page(viewer) as socket:
        await socket.say(RANK | {"top": 4})
        heard: list[list[str]] = []
        deadline = time.monotonic() + 20
        while len(heard[-1] if heard else []) < 4 and time.monotonic() < deadline:
            heard.append(await read_rows(socket))
        assert heard[-1] == ["a", "c", "b", "d"]


BAD: list[dict[str, Any]] = [
    {"top": 0},
    {"top": 51},
    {"top": "3"},
    {"top": True},
    {"top": None},
    {"order": "best"},
    {"order": None},
    {"at": "now"},
    {"at": 2**63},
    {"node": "gone"},
    {"node": ""},
    {"id": ""},
]


@pytest.mark.django_db(transaction=True)
async def test_every_bad_ranking_is_answered_and_the_socket_stays_open(
    viewer: User, node_of_seconds: Node
) -> None:
    async with open_page(viewer) as socket:
        for rejected in BAD:
            await socket.say(RANK | rejected)
            error = await socket.hear("error")
            assert error["code"] in ("bad_message", "unknown_node"), rejected
        await in_thread(node_of_seconds.refresh_from_db)()
        await socket.say(RANK)
        assert await read_rows(socket) == ["a", "c", "b"]
