"""What a page is told of its charts: what the log says of each stretch, mostly without reading it again."""

from __future__ import annotations

import random
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.web.log import SECOND, T, make_node, revise
from tests.web.revising import RevisedNode
from timeline_app.algebra.fold import Point
from timeline_app.algebra.kinds import OPEN, Kind
from timeline_app.algebra.thin import thin_by_buckets
from timeline_app.web.live import snapshots
from timeline_app.web.live.messages import PageMessage
from timeline_app.web.live.wire import RevisionMessage
from timeline_app.web.models import Node
from timeline_app.web.nodes import timelines
from timeline_app.web.nodes.timelines import read_key_timeline


def open_chart(node: Node, key: str = "k", **more: Any) -> snapshots.Subscription:
    """A chart of a page that has its snapshot."""
    subscription = snapshots.parse_subscription(PageMessage("subscribe", key, node.digest, key, **more))
    assert isinstance(subscription, snapshots.Subscription)
    owner = node.owner
    assert owner is not None
    snapshots.build_snapshot(subscription, owner)
    return subscription


def draw_point(kind: str, time: int | None, dice: random.Random) -> Point:
    """A change to something."""
    if kind == "number":
        return [time, float(dice.randrange(9)), 0.0 if time is None else dice.choice((0.0, 0.5))]
    return [time, dice.choice((True, False, None))]


def draw_pieces(kind: str, start: int, dice: random.Random) -> list[Point]:
    """What a batch says from `start` on, in normal form."""
    items = [draw_point(kind, start + index * SECOND, dice) for index in range(dice.randrange(1, 4))]
    return [item for index, item in enumerate(items) if index == 0 or item[1:] != items[index - 1][1:]]


def draw_stretch(news: int, dice: random.Random) -> tuple[int, int | None]:
    """Mostly the newest seconds, sometimes a late correction, now and then of a bounded stretch."""
    late = dice.choice((0, 0, 0, 1, 2, 40))
    start = T + (news - late) * SECOND
    return start, start + dice.randrange(4, 9) * SECOND if dice.random() < 0.3 else None


@pytest.mark.deep
@pytest.mark.parametrize("kind", ["bool", "number"])
@pytest.mark.parametrize("points", [None, 10])
@pytest.mark.parametrize("since", [None, T + 50 * SECOND])
def test_each_message_says_what_the_log_says_of_its_stretch(
    ada: User, kind: str, points: int | None, since: int | None
) -> None:
    document, dice = RevisedNode(make_node(ada, kind=kind)), random.Random(5)
    document.say(T, ("k", 0, None, None, [draw_point(kind, None, dice), *draw_pieces(kind, T, dice)]))
    subscription = open_chart(document.node, since=since, points=points)
    heard = 0
    for news in range(1, 150):
        for part in range(dice.choice((1, 1, 3))):
            start, end = draw_stretch(news, dice)
            document.say(T + 4 * news + part, ("k", 0, start, end, draw_pieces(kind, start, dice)))
        if dice.random() < 0.03:
            document.say(T + 4 * news + 3, ("k", OPEN, None, None, []))
        for _, message in snapshots.build_next_messages([subscription]):
            if message["type"] == "revision":
                stretch_now = read_stretch(document, message)
                by = subscription.by
                again = (
                    stretch_now
                    if by is None
                    else thin_by_buckets(Kind(document.node.kind), stretch_now, by)[0]
                )
                assert message["pieces"] == again
                heard += 1
    assert heard > 50


def read_stretch(document: RevisedNode, message: RevisionMessage) -> list[Point]:
    """The stretch of a message, from the log."""
    now = read_key_timeline(document.node, "k", start=message["start"], end=message["end"])
    return now.points if now else []


def test_forty_charts_that_go_on_are_read_at_once(ada: User) -> None:
    items = [RevisedNode(make_node(ada, name)) for name in "ab"]
    keys = [f"k{number}" for number in range(20)]

    def go_on(turn: int) -> None:
        start = T + turn * SECOND
        for item in items:
            item.say(T + turn, *((key, 0, start, None, [[start, turn % 2 == 0]]) for key in keys))

    go_on(0)
    charts = [open_chart(item.node, key, points=100) for item in items for key in keys]
    counts = []
    for turn in range(1, 6):
        go_on(turn)
        with CaptureQueriesContext(connection) as queries:
            assert len(snapshots.build_next_messages(charts)) == 40
        counts.append(len(queries))
    assert counts[1:] == [3, 3, 3, 3], "nodes, keys, revisions"


def test_what_becomes_known_between_two_looks_of_one_round_is_sent_once(
    ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    node = make_node(ada)
    revise(node, "k", [[None, True]])
    subscription = open_chart(node)
    revise(node, "k", [[5, False]], start=5)
    read = timelines.load_revisions_since

    def read_then_publish(args: Any) -> Any:
        monkeypatch.setattr(snapshots, "load_revisions_since", read)
        revise(node, "k", [[9, True]], start=9)
        return read(args)

    monkeypatch.setattr(snapshots, "load_revisions_since", read_then_publish)
    [(_, first)] = snapshots.build_next_messages([subscription])
    assert first["type"] == "revision"
    assert (first["version"], first["pieces"]) == (node.version, [[5, False], [9, True]])
    assert [message["type"] for _, message in snapshots.build_next_messages([subscription])] == ["progress"]
