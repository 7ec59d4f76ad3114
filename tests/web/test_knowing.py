"""How far nodes have seen: what is later is no knowledge, unless they have seen all that has come."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from rest_framework.test import APIClient

from tests.web.log import SECOND, T, make_node, revise
from timeline_app.web.live.snapshots import Subscription, build_snapshot
from timeline_app.web.models import Node, Query, Stream
from timeline_app.web.nodes.freshness import NO_PROGRESS, find_nodes_behind

pytestmark = pytest.mark.django_db
NOW = 1_800_000_000 * SECOND
LATENESS = 30 * SECOND
HEALTHY = {"desired": "running", "observed": "running", "words": "running"}


@pytest.fixture
def stream(ada: User) -> Stream:
    document = {"allowed_lateness": "30s", "retention": "7d"}
    return Stream.objects.create(name="played", owner=ada, document=document, last_event_at=NOW - SECOND)


@pytest.fixture
def node(stream: Stream) -> Node:
    assert stream.owner
    new_node = make_node(stream.owner)
    new_node.program = {"streams": {"played": {}}, "feeds": []}
    new_node.save()
    return new_node


def get_freshness(node: Node, seen: int | None, **query: Any) -> Any:
    """What is said of a node whose greatest event was then, and whose query is so."""
    Query.objects.filter(pk=node.query_id).update(**HEALTHY | {"looked_at": timezone.now()} | query)
    Node.objects.filter(pk=node.pk).update(horizons={} if seen is None else {"played": seen - LATENESS})
    return find_nodes_behind([Node.objects.select_related("query").get(pk=node.pk)], NOW).get(node.digest)


def test_a_node_that_is_away_is_known_as_far_as_it_has_seen(node: Node) -> None:
    seen = NOW - 140 * SECOND
    starting = get_freshness(node, seen, observed="starting", words="starting: Spark is away")
    assert starting == {"until": seen, "words": "starting: Spark is away", "late": True}
    away = get_freshness(node, seen, looked_at=timezone.now() - timedelta(seconds=40))
    assert away["until"] == seen
    assert "the supervisor has been away" in away["words"]
    assert get_freshness(node, None, observed="retrying", words="retrying") == {
        "until": None,
        "words": "retrying",
        "late": True,
    }


def test_a_node_that_runs_is_behind_where_much_waits(node: Node) -> None:
    assert get_freshness(node, NOW - 3 * SECOND, lag=4) is None
    late = NOW - 90 * SECOND
    assert get_freshness(node, late, lag=400) == {"until": late, "words": "catching up", "late": True}
    assert get_freshness(node, late, lag=400, words="catching up, 4 %")["words"] == "catching up, 4 %"


@pytest.mark.parametrize(
    ("seconds", "batch_ms", "late"), [(9, 0, False), (11, 0, True), (39, 20_000, False), (41, 20_000, True)]
)
def test_a_node_is_late_beyond_twice_its_usual_lag(
    node: Node, seconds: int, batch_ms: int, late: bool
) -> None:
    result = get_freshness(node, NOW - SECOND - seconds * SECOND, lag=4, batch_ms=batch_ms)
    assert (result["words"], result["late"]) == ("catching up", late)


def test_a_page_that_looks_at_later_times_is_told_what_is_last_known(node: Node, ada: User) -> None:
    revise(node, "s1", [[None, False], [T, True], [T + 100 * SECOND, False]])
    get_freshness(node, T + 50 * SECOND, observed="starting", words="starting")
    snapshot = build_snapshot(Subscription("a", node.digest, "s1", T + 600 * SECOND), ada)
    assert snapshot["type"] == "snapshot"
    assert snapshot["behind"] == {"until": T + 50 * SECOND, "words": "starting", "late": True}
    assert snapshot["points"] == [[T + 50 * SECOND, True], [T + 100 * SECOND, False]]
    get_freshness(node, T + 50 * SECOND)
    snapshot = build_snapshot(Subscription("a", node.digest, "s1", T + 600 * SECOND), ada)
    assert snapshot["type"] == "snapshot"
    assert (snapshot["behind"], snapshot["points"]) == (None, [[T + 600 * SECOND, False]])


def test_late_events_that_wait_leave_only_what_is_final(node: Node) -> None:
    stands = {"lag": 1, "words": f"{NO_PROGRESS} 12 s"}
    assert get_freshness(node, NOW, **stands) == {
        "until": NOW - LATENESS,
        "words": "running, no progress for 12 s",
        "late": True,
    }
    assert get_freshness(node, NOW, **stands | {"lag": 0}) is None
    assert get_freshness(node, NOW, lag=1, words="running") is None, "it will have it in a moment"


def test_time_without_events_is_knowledge(node: Node, stream: Stream) -> None:
    """All that has come was seen, however long ago that is, whatever becomes of the query; nothing ever came."""
    seen = NOW - 3600 * SECOND
    Stream.objects.update(last_event_at=seen)
    assert get_freshness(node, seen) is None
    assert get_freshness(node, seen, observed="starting") is None
    Stream.objects.update(last_event_at=None)
    assert get_freshness(node, None, observed="starting") is None


def test_a_page_is_told_the_newest_event_that_a_node_has_seen(node: Node, ada: User) -> None:
    """It is later than what is final, and no later than any came, though time went on; also of what has stopped."""
    revise(node, "s1", [[None, False]])

    def read_newest(seen: int | None, **query: Any) -> Any:
        get_freshness(node, seen, **query)
        return build_snapshot(Subscription("a", node.digest, "s1", None), ada)["newest_event"]

    assert read_newest(None) is None
    assert read_newest(NOW - 90 * SECOND) == NOW - 90 * SECOND
    assert read_newest(NOW + 90 * SECOND) == NOW - SECOND
    assert read_newest(NOW - 90 * SECOND, desired="stopped", observed="stopped") == NOW - 90 * SECOND


def test_an_event_of_the_future_holds_up_nothing(node: Node) -> None:
    Stream.objects.update(last_event_at=NOW + 3600 * SECOND)
    assert get_freshness(node, NOW - 600 * SECOND, words="idle, no input for 10 min") is None


def test_what_has_stopped_says_so_otherwise(node: Node) -> None:
    assert get_freshness(node, None, desired="stopped", observed="stopped") is None


def test_a_node_behind_another_is_as_late_as_that(node: Node, django_assert_num_queries: Any) -> None:
    assert node.owner
    above = make_node(node.owner, digest="above")
    above.program = {"streams": {}, "feeds": [{"digest": node.digest, "sources": ["played"]}]}
    above.horizons = {f"{node.digest}/played": NOW - 60 * SECOND - LATENESS}
    above.save()
    get_freshness(node, None, observed="retrying", words="again in 5 s")
    Query.objects.filter(pk=above.query_id).exclude(pk=node.query_id).update(
        desired="running", observed="running", looked_at=timezone.now()
    )
    fresh = list(Node.objects.filter(digest="above").select_related("query"))
    with django_assert_num_queries(2):
        nodes_behind = find_nodes_behind(fresh, NOW)
    assert nodes_behind["above"] == {"until": NOW - 60 * SECOND, "words": "again in 5 s", "late": True}


def get_node_page(api: APIClient, name: str = "timeline", **query: Any) -> Any:
    key = {} if name == "states" else {"key": "k"}
    answer = api.get(f"/api/nodes/d1/{name}/", {**key, **query})
    assert answer.status_code == 200, answer.content
    return answer.json()


def test_a_value_at_an_instant_says_what_it_is_worth(api: APIClient, node: Node) -> None:
    """Final before `final_until`, then provisional until now, then projected: nobody knows what will come."""
    revise(node, "k", [[None, False], [T - 10 * SECOND, True]])
    Query.objects.update(**HEALTHY)
    assert [get_node_page(api, at=at)["standing"] for at in (T - 1, T)] == ["final", "provisional"]
    answer = get_node_page(api, at=T)
    later = answer["known_until"] + 3600 * SECOND
    assert abs(answer["known_until"] - timezone.now().timestamp() * SECOND) < 600 * SECOND
    assert get_node_page(api, at=later) | {"known_until": 0} == answer | {
        "known_until": 0,
        "standing": "projected",
    }
    assert "standing" not in get_node_page(api)
    assert get_node_page(api)["known_until"] >= answer["known_until"]


def test_what_a_node_has_not_seen_is_projected_and_it_is_said_why(api: APIClient, node: Node) -> None:
    revise(node, "k", [[None, False]])
    newest = T + 90 * SECOND
    Stream.objects.update(last_event_at=newest)
    Node.objects.update(horizons={"played": T - LATENESS})
    waiting = {"desired": "running", "observed": "starting", "words": "starting: Spark is away"}
    Query.objects.update(**waiting, looked_at=timezone.now())
    answer = get_node_page(api, at=T + SECOND)
    assert (answer["known_until"], answer["standing"]) == (T, "projected")
    assert answer["behind"] == {"until": T, "words": "starting: Spark is away", "late": True}
    assert get_node_page(api, at=T)["standing"] == "provisional"
    assert get_node_page(api, "states", at=T + SECOND)["standing"] == "projected"
    assert get_node_page(api, "difference", known_at=T + SECOND)["known_until"] == T
    Node.objects.update(horizons={}, version=-1)
    assert get_node_page(api, at=T)["known_until"] is None
    assert get_node_page(api, at=T - 1)["standing"] == "projected"


def test_of_what_has_stopped_nothing_later_is_known(api: APIClient, node: Node) -> None:
    revise(node, "k", [[None, False]])
    stopped = T + 60 * SECOND
    at_rest = {"desired": "stopped", "observed": "stopped"}
    Query.objects.update(**at_rest, observed_since=datetime.fromtimestamp(stopped // SECOND, UTC))
    answer = get_node_page(api, at=stopped + SECOND)
    assert (answer["known_until"], answer["stopped_at"], answer["standing"]) == (
        stopped,
        stopped,
        "projected",
    )
    assert get_node_page(api, at=stopped)["standing"] == "provisional"


def test_what_was_known_then_was_known_until_then(api: APIClient, node: Node) -> None:
    revise(node, "k", [[None, False]])
    Query.objects.update(**HEALTHY)
    assert get_node_page(api, known_at=T + SECOND, at=T + 2 * SECOND)["known_until"] == T + SECOND
    assert get_node_page(api, known_at=T + SECOND, at=T + 2 * SECOND)["standing"] == "projected"
