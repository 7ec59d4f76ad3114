"""The revision log: every version has an instant of its own, and every key a place, on every database."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.db.utils import ConnectionHandler
from pytest_django.fixtures import Settings
from rest_framework.test import APIClient

from tests.web.log import make_node
from tests.web.revising import RevisedNode, Said
from timeline_app.algebra.kinds import BEGINNING, OPEN
from timeline_app.variables import SQLITE
from timeline_app.web.models import Node, NodeKey, Plan, Revision
from timeline_app.web.nodes import revision_log
from timeline_app.web.nodes.log_compaction import compact_log
from timeline_app.web.nodes.revision_log import compute_next_known_at
from timeline_app.web.nodes.timelines import find_keys, load_revisions_since, peek, read_key_timeline

T = 1_700_000_000_000_000
MINUTE = 60_000_000


def build_flag(key: str, value: bool | None, start: int | None = None, end: int | None = None) -> Said:
    """From start to end the key is this."""
    return key, 0, start, end, [[start, value]]


@pytest.fixture
def revised(ada: User) -> RevisedNode:
    return RevisedNode(make_node(ada))


def test_versions_within_one_microsecond_become_known_one_after_the_other(
    revised: RevisedNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "time_ns", lambda: T * 1000)
    for value in (True, False, True):
        revised.say(compute_next_known_at(revised.node), build_flag("k", value))
    assert list(Revision.objects.order_by("version").values_list("known_at", flat=True)) == [T, T + 1, T + 2]
    values = [
        result.points[0][1]
        for at in range(3)
        if (result := read_key_timeline(revised.node, "k", known_at=T + at))
    ]
    assert values == [True, False, True]


def test_a_clock_that_goes_back_takes_no_version_back(
    revised: RevisedNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    revised.say(T, build_flag("k", True))
    monkeypatch.setattr(time, "time_ns", lambda: (T - 3600 * 1_000_000) * 1000)
    revised.say(compute_next_known_at(revised.node), build_flag("k", False))
    monkeypatch.setattr(time, "time_ns", lambda: (T + 5) * 1000)
    revised.say(compute_next_known_at(revised.node), build_flag("k", None))
    values = [
        result.points[0][1]
        for at in (0, 1, 4, 5)
        if (result := read_key_timeline(revised.node, "k", known_at=T + at))
    ]
    assert values == [True, False, False, None]


def test_what_is_known_changes_exactly_at_the_instant_of_its_version(revised: RevisedNode) -> None:
    revised.say(T, build_flag("k", True))
    revised.say(T + 10, build_flag("k", False))
    assert peek(revised.node, "k", known_at=T - 1) is None
    for at in (T, T + 9, T + 10, T + 11):
        result = peek(revised.node, "k", known_at=at)
        assert result is not None
        assert (result["points"][0]["value"], result["version"]) == ((True, 0) if at < T + 10 else (False, 1))


def test_an_answer_for_an_instant_that_was_published_never_changes(revised: RevisedNode) -> None:
    revised.say(T, build_flag("k", True))
    before = peek(revised.node, "k", known_at=T)
    revised.say(compute_next_known_at(revised.node), build_flag("k", False))
    assert peek(revised.node, "k", known_at=T) | {"as_of": T} == before  # type: ignore[operator]


def test_an_instant_from_before_the_window_is_refused_with_the_earliest_that_is_not(
    revised: RevisedNode, api: APIClient, settings: Settings
) -> None:
    settings.LOG_WINDOW = MINUTE
    for step in range(20):
        revised.say(T + step, build_flag("k", step % 2 == 0))
    assert compact_log(now=T + 18 + MINUTE) == 19
    address = f"/api/nodes/{revised.node.digest}/timeline/?key=k&known_at="
    assert api.get(f"{address}{T + 18}").json()["points"] == [{"t": None, "value": True}]
    refused = api.get(f"{address}{T + 17}")
    assert (refused.status_code, refused.json()["code"]) == (400, "known_at_too_early")
    assert f"Ask for {T + 18} (2023-11-14T22:13:21Z) or later." in refused.json()["message"]
    assert refused.json()["problems"][0]["field"] == "known_at"
    unknown = api.get(address.replace("key=k", "key=x") + str(T + 17))
    assert unknown.json()["code"] == "known_at_too_early", (
        "nobody knows any more whether there was such a key"
    )
    assert api.get(f"/api/nodes/{revised.node.digest}/timeline/?key=k").status_code == 200


def test_bounds_and_births_are_kept_to_the_end_of_their_range(revised: RevisedNode) -> None:
    revised.say(
        T, ("k", OPEN - 1, None, None, [[None, None]]), ("l", BEGINNING + 1, None, None, [[None, True]])
    )
    revised.say(T + 1, build_flag("k", True, BEGINNING + 1, OPEN - 1))
    points = read_key_timeline(revised.node, "k").points  # type: ignore[union-attr]
    assert points == [[None, None], [BEGINNING + 1, True], [OPEN - 1, None]]
    assert {key.key: key.birth for key in NodeKey.objects.all()} == {"k": 0, "l": BEGINNING + 1}


@pytest.mark.parametrize("length", [1_024, 65_536])
def test_a_key_may_be_as_long_as_a_key_or_a_group_can_be(revised: RevisedNode, length: int) -> None:
    draw = random.Random(length)
    key = "".join(chr(draw.randrange(0x10000, 0x1F000)) for _ in range(length))
    revised.say(T, build_flag(key, True), build_flag(key[:-1], False))
    revised.say(T + 1, build_flag(key, False))
    assert [item.key == key for item in find_keys(revised.node)] == [True, False]
    assert [row["version"] for row in load_revisions_since([(revised.node, key, T)])[0]] == [1]
    assert read_key_timeline(revised.node, key, known_at=T).points == [[None, True]]  # type: ignore[union-attr]


def test_keys_of_one_version_are_sorted_by_their_code_points(revised: RevisedNode) -> None:
    names = ["Zoe", "a", "é", "_", "1", "É", "b", "A", "ab", "a b", "𝄞"]
    revised.say(T, *(build_flag(name, True) for name in names))
    assert [key.key for key in find_keys(revised.node)] == sorted(names)
    assert [key.key for key in find_keys(revised.node, search="A")] == ["A", "a", "a b", "ab"]


def test_a_text_that_a_column_could_not_keep_is_kept(ada: User) -> None:
    revised = RevisedNode(make_node(ada, kind="text"))
    texts = ["a\0b", '"\\', "\u2028", "\U0001f600"]
    for step, text in enumerate(texts):
        revised.say(T + step, ("k", 0, None, None, [[None, text]]))
        assert read_key_timeline(revised.node, "k").points == [[None, text]]  # type: ignore[union-attr]


def test_a_document_comes_back_as_it_was_written(ada: User) -> None:
    document = {
        "nodes": {"z": 1, "a": {"y": 1e300, "b": -0.5, "aa": 12345678901234567890}},
        "layout": {},
        "b": "\0",
    }
    plan = Plan.objects.create(name="p", owner=ada, document=document)
    result = Plan.objects.get(pk=plan.pk)
    assert repr(result.document) == repr(document)
    assert result.running_document is None
    assert Node.objects.filter(plans=plan).distinct().count() == 0


@pytest.mark.django_db
def test_what_sqlite_has_logged_is_carried_over_into_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While nobody waits: a commit that does it takes twice as long."""
    path = tmp_path / "db.sqlite3"
    own = ConnectionHandler({"default": SQLITE | {"NAME": str(path)}})["default"]
    monkeypatch.setattr(revision_log, "connection", own)
    own.set_autocommit(False)
    with own.cursor() as cursor:
        cursor.execute("CREATE TABLE kept (text)")
        cursor.executemany("INSERT INTO kept VALUES (%s)", [["x" * 1_000]] * 2_000)
    own.commit()
    own.set_autocommit(True)
    assert path.stat().st_size < 100_000
    revision_log.checkpoint_sqlite()
    assert path.stat().st_size > 2_000_000
    own.close()
