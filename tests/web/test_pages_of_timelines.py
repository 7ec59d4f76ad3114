"""A key with a long history is read page by page: each answer is bounded, and the pages are the whole."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from rest_framework.test import APIClient
from timelines import Client

from tests.web.log import T, make_node
from tests.web.revising import RevisedNode
from timeline_app.algebra.kinds import BEGINNING, OPEN
from timeline_app.web.models import Node, NodeKey, Revision
from timeline_app.web.models.fields import Pieces
from timeline_app.web.nodes.log_pages import MAX_POINTS_PER_ANSWER, MAX_ROWS_PER_QUERY
from timeline_app.web.nodes.revision_log import MAX_PIECES_PER_ROW
from timeline_app.web.nodes.timelines import load_key_log_at, read_key_timeline
from timeline_app.web.people.token_services import create_token

STEP = 1_000


def build_changes(many: int, first: int = 0) -> list[list[Any]]:
    """So many change points after the first, each another value than the one before."""
    return [[T + at * STEP, at % 2 == 1] for at in range(first, first + many)]


@pytest.fixture
def revised(ada: User) -> RevisedNode:
    return RevisedNode(make_node(ada))


@pytest.fixture
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers, charts and portions of a few points."""
    monkeypatch.setattr("timeline_app.web.nodes.timelines.MAX_POINTS_PER_ANSWER", 100)
    monkeypatch.setattr("timeline_app.web.nodes.timelines.MAX_POINTS_PER_CHART", 1_000)


def write_changes(revised: RevisedNode, many: int) -> None:
    """One revision with so many change points."""
    revised.say(T, ("k", T, None, None, [[None, None], *build_changes(many)]))


def write_changes_one_by_one(revised: RevisedNode, many: int) -> None:
    """A revision for each change point, as they come live: each says what holds from there on."""
    revised.say(T, ("k", T, None, None, [[None, None]]))
    key = NodeKey.objects.get()
    Revision.objects.bulk_create(
        Revision(
            node_key=key,
            version=at + 1,
            known_at=T + at + 1,
            birth=T,
            start=point[0],
            end=OPEN,
            pieces=[point],
        )
        for at, point in enumerate(build_changes(many))
    )
    revised.node.version, revised.node.as_of = many, T + many
    revised.node.save()


def get(api: APIClient, address: str, **params: Any) -> Any:
    """The answer about the key."""
    answer = api.get(f"/api/nodes/d1/{address}/", {"key": "k"} | params)
    assert answer.status_code == 200, answer.content
    return answer.json()


def list_pages(api: APIClient, address: str, **params: Any) -> list[Any]:
    """Page after page, as far as they go."""
    items = [get(api, address, **params)]
    while (following := items[-1]["next"]) is not None:
        items.append(get(api, address, **params | {"from": following}))
    return items


@pytest.mark.usefixtures("_small")
@pytest.mark.parametrize("say", [write_changes, write_changes_one_by_one])
def test_the_pages_of_a_timeline_are_the_whole_timeline(
    api: APIClient, revised: RevisedNode, say: Any
) -> None:
    say(revised, 1_234)
    result = list_pages(api, "timeline")
    assert [len(page["points"]) for page in result] == [100] * 12 + [35]
    assert [page["truncated"] for page in result] == [True] * 12 + [False]
    whole = read_key_timeline(Node.objects.get(), "k")
    assert whole is not None
    assert [[point["t"], point["value"]] for page in result for point in page["points"]] == whole.points
    assert whole.points == [[None, None], *build_changes(1_234)]


@pytest.mark.usefixtures("_small")
def test_the_end_that_was_asked_for_stays_the_end_of_all_pages(api: APIClient, revised: RevisedNode) -> None:
    write_changes(revised, 1_000)
    result = list_pages(api, "timeline", **{"from": T + 500 * STEP, "to": T + 750 * STEP})
    assert [len(page["points"]) for page in result] == [100, 100, 50]
    assert result[-1]["points"][-1]["t"] == T + 749 * STEP


@pytest.mark.usefixtures("_small")
def test_a_chart_of_too_much_says_where_it_ends(api: APIClient, revised: RevisedNode) -> None:
    write_changes(revised, 2_500)
    result = list_pages(api, "timeline", points=10)
    assert [page["truncated"] for page in result] == [True, True, False]
    assert result[0]["next"] == T + 999 * STEP
    for page in result:
        assert len(page["points"]) + sum(item["changes"] for item in page["left_out"]) <= 1_000
        assert len(page["points"]) < 50
    changes = sum(len(page["points"]) + sum(item["changes"] for item in page["left_out"]) for page in result)
    assert changes == 2_501


@pytest.mark.usefixtures("_small")
def test_what_was_known_then_is_compared_page_by_page(api: APIClient, revised: RevisedNode) -> None:
    write_changes(revised, 250)
    late = T + 120 * STEP
    revised.say(T + 5, ("k", T, late, late + STEP, [[late, None]]))
    result = list_pages(api, "difference", known_at=T)
    assert [page["truncated"] for page in result] == [True, True, False]
    assert [difference for page in result for difference in page["differences"]] == [
        {"from": late, "to": late + STEP}
    ]
    assert sum(len(page["points"]) for page in result) == 251


@pytest.mark.usefixtures("_small")
def test_a_value_at_an_instant_has_no_next_page(api: APIClient, revised: RevisedNode) -> None:
    write_changes(revised, 1_000)
    result = get(api, "timeline", at=T + 777 * STEP)
    assert (result["value"], "next" in result, "truncated" in result) == (True, False, False)


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("_small")
def test_the_client_puts_the_pages_together(live_server: Any) -> None:
    ada = User.objects.create_user("ada")
    revised = RevisedNode(make_node(ada))
    write_changes(revised, 450)
    text = create_token(user=ada, name="client", scopes=["read"])[1]
    with Client(live_server.url, text) as client:
        result = client.node("d1").peek("k", start=T)
    assert [[point.t, point.value] for point in result.points] == build_changes(450)


@pytest.fixture
def decoded_counts(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many points each row had that was read."""
    counts: list[int] = []
    loads = Pieces.loads

    def count(text: str) -> Any:
        value = loads(text)
        counts.append(len(value))
        return value

    monkeypatch.setattr(Pieces, "loads", staticmethod(count))
    return counts


@pytest.mark.deep
@pytest.mark.parametrize(("say", "many"), [(write_changes, 1_000_000), (write_changes_one_by_one, 100_000)])
def test_a_key_with_a_long_history_is_read_by_the_page(
    api: APIClient, revised: RevisedNode, say: Any, many: int, decoded_counts: list[int]
) -> None:
    say(revised, many)
    page = get(api, "timeline")
    portion = MAX_PIECES_PER_ROW * MAX_ROWS_PER_QUERY // 8
    assert len(page["points"]) == MAX_POINTS_PER_ANSWER
    assert sum(decoded_counts) <= MAX_POINTS_PER_ANSWER + portion

    decoded_counts.clear()
    middle = T + many // 2 * STEP
    result = get(api, "timeline", **{"from": middle, "to": middle + 1_000 * STEP, "points": 100})
    assert not result["truncated"]
    assert len(result["points"]) + sum(item["changes"] for item in result["left_out"]) == 1_000
    assert sum(decoded_counts) <= portion

    with_log = load_key_log_at(revised.node, "k")
    assert with_log is not None
    points: list[Any] = []
    beyond: int | None = BEGINNING
    decoded_counts.clear()
    while beyond is not None:
        some, beyond = with_log.log.read_page(beyond, OPEN, MAX_POINTS_PER_ANSWER)
        points += some
    assert points == [[None, None], *build_changes(many)]
    # What a page has read beyond its end is read by the next one, too.
    assert sum(decoded_counts) <= 2 * many
