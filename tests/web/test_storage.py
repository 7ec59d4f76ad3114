"""What is stored is told with owner, size, reason and end: one's own, and to administrators all."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from rest_framework.test import APIClient

from tests.web.test_trash import push_keys, take_quarantine
from tests.web.test_unused_nodes import stop_unwanted, write_files
from timeline_app.fs import durable
from timeline_app.landing.log import Landing
from timeline_app.web.core import disk_space
from timeline_app.web.models import Node, Plan, Query, Stream
from timeline_app.web.plans.services import run_plan, stop_plan
from timeline_app.web.samples.services import record_last_events
from timeline_app.web.workspace import storage
from timeline_app.web.workspace.trash import empty_stream
from timeline_app.web.workspace.unused_nodes import note_use


def get_storage(api: APIClient) -> dict[str, dict[str, Any]]:
    """By kind, of things of which there is one of each."""
    answer = api.get("/api/storage/").json()
    totals = {total["kind"]: total["bytes"] for total in answer["totals"]}
    rows = {row["kind"]: row for row in answer["results"]}
    assert {kind: size for kind, size in totals.items() if size} == {
        kind: row["bytes"] for kind, row in rows.items() if row["bytes"]
    }
    return rows


def test_every_kind_is_told_with_its_size_and_its_end(
    api: APIClient, ada: User, player: Stream, settings: Any
) -> None:
    push_keys(player, "a", "b", "c")
    trashed = empty_stream(stream=player, user=ada)
    player.refresh_from_db()
    push_keys(player, "d")
    take_quarantine(player)
    record_last_events(user=ada, name="Some", streams=["player"], count=5, keys=[])
    rows = get_storage(api)
    landing = Landing(settings.LANDING, "player~1")
    size = landing.count(0, landing.end()).size
    assert (rows["stream"]["bytes"], rows["stream"]["count"], rows["stream"]["owner"]) == (size, 1, "ada")
    assert rows["stream"]["why"] == "events up to 7d behind the newest"
    assert rows["trash"]["count"] == 3
    assert trashed.trashed_until is not None
    assert rows["trash"]["until"] == trashed.trashed_until.isoformat().replace("+00:00", "Z")
    assert (rows["rejected"]["bytes"], rows["rejected"]["count"]) == (2, 1)
    assert (rows["sample"]["name"], rows["sample"]["count"]) == ("Some", 1)


def test_results_are_told_with_why_they_are_kept(
    api: APIClient, ada: User, plan: Plan, settings: Any
) -> None:
    document = {**plan.document, "nodes": {"played": plan.document["nodes"]["played"]}}
    Plan.objects.filter(pk=plan.pk).update(document=document)
    run_plan(plan=Plan.objects.get(pk=plan.pk), user=ada, placement="isolated")
    for folder in write_files(Query.objects.get()):
        durable.replace(folder / "b", b"xyz")
    row = get_storage(api)["results"]
    assert (row["name"], row["bytes"], row["why"], row["until"]) == (
        "played",
        8,
        "a running plan uses it",
        None,
    )
    stop_plan(plan=Plan.objects.get(pk=plan.pk), user=ada)
    stop_unwanted()
    now = timezone.now()
    note_use(now)
    row = get_storage(api)["results"]
    assert row["why"].startswith("unused")
    assert row["until"] == (now + timedelta(days=7)).isoformat().replace("+00:00", "Z")
    assert row["link"] == f"/nodes/{Node.objects.get().digest}/"


def test_others_are_told_nothing_and_administrators_all(
    api: APIClient, bobs: APIClient, roots: APIClient, player: Stream
) -> None:
    push_keys(player, "a")
    assert bobs.get("/api/storage/").json()["results"] == []
    assert [row["name"] for row in roots.get("/api/storage/").json()["results"]] == ["player"]
    assert get_storage(api).keys() == {"stream"}


def test_the_largest_come_first_and_the_totals_count_what_is_not_listed(
    api: APIClient, player: Stream, ada: User, monkeypatch: Any
) -> None:
    push_keys(player, *map(str, range(200)))
    empty_stream(stream=player, user=ada)
    player.refresh_from_db()
    push_keys(player, "d")
    monkeypatch.setattr("timeline_app.web.workspace.storage.MAX_ROWS", 1)
    answer = api.get("/api/storage/").json()
    assert ([row["kind"] for row in answer["results"]], answer["more"]) == (["trash"], 1)
    assert all(total["bytes"] > 0 for total in answer["totals"] if total["kind"] in ("stream", "trash"))


def test_limits_are_those_of_the_settings(api: APIClient, settings: Any) -> None:
    settings.INCIDENT_RETENTION_MICROS = 30 * 86_400_000_000
    limits = {row["kind"]: row for row in api.get("/api/storage/").json()["limits"]}
    assert {kind: row["kept_for"] for kind, row in limits.items()} == {
        "results": "400d",
        "incidents": "30d",
        "unused": "7d",
        "trash": "1d",
    }
    assert limits["results"]["setting"] == "TIMELINE_RESULT_RETENTION"


@pytest.mark.parametrize(
    ("reserves", "low", "refused"),
    [
        (5.0, False, ""),
        (3.0, True, ""),
        (1.5, True, "no new nodes are started"),
        (0.5, True, "no events and no new nodes are accepted"),
    ],
)
def test_a_disk_that_fills_says_what_is_refused(
    api: APIClient, settings: Any, monkeypatch: pytest.MonkeyPatch, reserves: float, low: bool, refused: str
) -> None:
    free = int(reserves * settings.DISK_RESERVE_BYTES)
    monkeypatch.setattr(disk_space, "measure_free_bytes", lambda: free)
    monkeypatch.setattr(storage, "measure_free_bytes", lambda: free)
    assert api.get("/api/storage/").json()["disk"] == {"free": free, "low": low, "refused": refused}
