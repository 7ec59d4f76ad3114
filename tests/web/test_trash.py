"""Streams are emptied and deleted, with consequences told first; what is in the trash comes back until it is purged."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from rest_framework.test import APIClient

from tests.web.conftest import build_document, has_existed, log_in_client
from tests.web.giving import share_exactly
from timeline_app.demos.player import STREAM
from timeline_app.web.core.errors import Conflict, Missing
from timeline_app.web.core.permissions import Right
from timeline_app.web.dashboards.services import create_dashboard
from timeline_app.web.models import Node, Plan, Stream
from timeline_app.web.models.arrivals import RejectedEvent
from timeline_app.web.models.people import AuditEntry, Role
from timeline_app.web.models.samples import Sample
from timeline_app.web.people.token_services import create_token
from timeline_app.web.plans import checks
from timeline_app.web.plans import services as plan_services
from timeline_app.web.plans.services import create_plan, run_plan
from timeline_app.web.samples.services import keep_sample, record_last_events, record_next_events
from timeline_app.web.streams.ingest import get_landing, take_events
from timeline_app.web.streams.selectors import load_declaration
from timeline_app.web.streams.services import create_stream
from timeline_app.web.streams.source_services import find_source, set_source
from timeline_app.web.workspace.trash import delete_stream, empty_stream, restore_from_trash
from timeline_app.web.workspace.trash_purge import purge_trash


def push_keys(stream: Stream, *keys: str) -> None:
    lines = [f'{{"session_id": "{key}", "t": 1, "event_id": "{key}"}}' for key in keys]
    take_events(stream=stream, body="\n".join(lines).encode())
    stream.refresh_from_db()


def list_keys(stream: Stream) -> list[str]:
    stream = Stream.everything.get(pk=stream.pk)
    landing = get_landing(stream.folder)
    return sorted(landing.rows(0, landing.end())["key"].to_pylist())


def list_trash(api: APIClient) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = api.get("/api/trash/").json()["results"]
    return rows


def test_a_deleted_stream_comes_back_with_events_and_shares(
    api: APIClient, root: User, bob: User, player: Stream
) -> None:
    push_keys(player, "a", "b")
    share_exactly(thing=player, user=root, holder=bob, rights=[Right.EDIT])
    take_quarantine(player)
    assert api.delete("/api/streams/player/", {"reason": "a trial"}, format="json").status_code == 204
    assert api.get("/api/streams/player/").status_code == 404
    assert api.get("/api/streams/").json()["results"] == []
    (trashed,) = list_trash(api)
    assert (trashed["name"], trashed["way"], trashed["events"], trashed["by"]) == (
        "player",
        "deleted",
        2,
        "ada",
    )
    assert trashed["bytes"] > 0
    restored = api.post(f"/api/trash/{trashed['id']}/restore/", {}, format="json")
    assert (restored.status_code, restored.json()["events"]) == (200, 2)
    assert list_keys(player) == ["a", "b"]
    assert log_in_client(bob).get("/api/streams/player/").json()["rights"] == ["read", "edit"]
    assert RejectedEvent.objects.filter(stream=player).count() == 1
    assert list_trash(api) == []
    acts = list(AuditEntry.objects.filter(kind="stream").values_list("act", "reason")[:2])
    assert acts == [("stream.undelete", ""), ("stream.delete", "a trial")]


def take_quarantine(stream: Stream) -> None:
    RejectedEvent.objects.create(
        stream=stream, kind=RejectedEvent.Kind.REFUSED, at=1, code="x", message="x", text="{}"
    )


def test_an_emptied_stream_takes_events_anew_and_exchanges_them(api: APIClient, player: Stream) -> None:
    push_keys(player, "a", "b")
    take_quarantine(player)
    emptied = api.post("/api/streams/player/empty/", {}, format="json").json()
    assert (emptied["events"], emptied["last_event_at"], emptied["seen_fields"]) == (0, None, [])
    player.refresh_from_db()
    assert list_keys(player) == []
    assert not RejectedEvent.objects.filter(stream=player).exists()
    push_keys(player, "a", "c", "d")  # of the same id as one that is gone: it is no copy
    assert (player.events, list_keys(player)) == (3, ["a", "c", "d"])
    (trashed,) = list_trash(api)
    assert (trashed["way"], trashed["events"]) == ("emptied", 2)
    api.post(f"/api/trash/{trashed['id']}/restore/", {}, format="json")
    player.refresh_from_db()
    assert (player.events, list_keys(player)) == (2, ["a", "b"])
    assert RejectedEvent.objects.filter(stream=player).count() == 1
    (other,) = list_trash(api)
    assert other["events"] == 3
    api.post(f"/api/trash/{other['id']}/restore/", {}, format="json")
    assert list_keys(player) == ["a", "c", "d"]


def test_an_empty_stream_that_is_exchanged_leaves_nothing_in_the_trash(
    api: APIClient, ada: User, player: Stream
) -> None:
    push_keys(player, "a")
    trashed = empty_stream(stream=player, user=ada)
    restore_from_trash(number=trashed.pk, user=ada)
    assert (list_keys(player), list_trash(api)) == (["a"], [])


def test_the_next_stream_of_a_name_has_neither_events_nor_nodes_of_the_one_before(
    ada: User, plan: Plan, player: Stream
) -> None:
    push_keys(player, "a")
    run_plan(plan=plan, user=ada, placement="isolated")
    first = set(Node.objects.values_list("digest", flat=True))
    trashed = delete_stream(stream=player, user=ada, stop_plans=True)
    repeated = create_stream(user=ada, name="player", document=STREAM)
    assert list_keys(repeated) == []
    run_plan(plan=Plan.objects.get(pk=plan.pk), user=ada, placement="isolated")
    assert not first & set(plan.nodes.values_list("digest", flat=True))
    with pytest.raises(Conflict, match="a name is given once"):
        restore_from_trash(number=trashed.pk, user=ada)
    delete_stream(stream=repeated, user=ada, stop_plans=True)
    restored = restore_from_trash(number=trashed.pk, user=ada)
    run_plan(plan=Plan.objects.get(pk=plan.pk), user=ada, placement="isolated")
    assert set(plan.nodes.values_list("digest", flat=True)) == first
    assert list_keys(restored) == ["a"]


def test_no_generation_of_a_name_comes_twice(ada: User, player: Stream) -> None:
    folders = [player.folder]
    for _ in range(3):
        empty_stream(stream=player, user=ada)
        player.refresh_from_db()
        folders.append(player.folder)
    delete_stream(stream=player, user=ada)
    folders.append(create_stream(user=ada, name="player", document=STREAM).folder)
    assert folders == ["player", "player~1", "player~2", "player~3", "player~4"]


def test_a_generation_is_declared_by_nobody(api: APIClient) -> None:
    answer = api.post("/api/streams/", {"name": "sly", **STREAM, "generation": 1}, format="json")
    assert (answer.status_code, answer.json()["problems"][0]["code"]) == (400, "unknown_key")


def test_running_plans_stop_with_consent_only(api: APIClient, ada: User, plan: Plan, player: Stream) -> None:
    push_keys(player, "a")
    run_plan(plan=plan, user=ada, placement="isolated")
    for answer in (
        api.delete("/api/streams/player/"),
        api.post("/api/streams/player/empty/", {}, format="json"),
    ):
        assert (answer.status_code, answer.json()["code"]) == (409, "in_use")
        assert "“A plan” of ada" in answer.json()["message"]
    consent = {"stop_plans": True}
    assert api.post("/api/streams/player/empty/", consent, format="json").status_code == 200
    assert not Plan.objects.get(pk=plan.pk).running


def test_a_plan_of_somebody_else_is_not_stopped(api: APIClient, bob: User, player: Stream) -> None:
    push_keys(player, "a")
    hidden = create_plan(user=bob, name="Bobs", document=build_document(played=has_existed()))
    Plan.objects.filter(pk=hidden.pk).update(open_to_all=False)
    run_plan(plan=hidden, user=bob, placement="isolated")
    answer = api.delete("/api/streams/player/", {"stop_plans": True}, format="json")
    assert (answer.status_code, answer.json()["code"]) == (409, "in_use")
    assert "Bobs" not in answer.content.decode()
    assert "Ask bob" in answer.json()["message"]
    body = api.get("/api/streams/player/removal/").json()
    assert (body["stops"], body["may_stop"], body["plans"][0]["id"]) == (1, False, None)
    assert "Bobs" not in str(body)
    assert Plan.objects.get(pk=hidden.pk).running
    assert list_keys(player) == ["a"]


def test_a_token_stops_plans_only_with_its_scope(ada: User, plan: Plan, player: Stream) -> None:
    run_plan(plan=plan, user=ada, placement="isolated")
    for scopes, status in ((["write"], 403), (["write", "operate"], 204)):
        client = APIClient()
        client.credentials(HTTP_AUTHORIZATION=f"Token {create_token(user=ada, name='t', scopes=scopes)[1]}")
        answer = client.delete("/api/streams/player/", {"stop_plans": True}, format="json")
        assert answer.status_code == status


def test_consequences_are_told_first(api: APIClient, ada: User, plan: Plan, player: Stream) -> None:
    push_keys(player, "a", "b")
    take_quarantine(player)
    run_plan(plan=plan, user=ada, placement="isolated")
    chart = {"id": "c", "plan": plan.pk, "node": "played", "type": "lane", "x": 0, "y": 0, "w": 4, "h": 4}
    board = create_dashboard(user=ada, name="Board", document={"charts": [chart], "range": "5m", "key": ""})
    answer = api.get("/api/streams/player/removal/").json()
    assert answer.pop("bytes") > 0
    assert answer == {
        "events": 2,
        "rejected": 1,
        "plans": [
            {
                "id": plan.pk,
                "name": "A plan",
                "owner": "ada",
                "owner_kind": "person",
                "running": True,
                "may_stop": True,
            }
        ],
        "nodes": 2,
        "sinks": 0,
        "dashboards": [{"id": board.pk, "name": "Board"}],
        "has_source": False,
        "stops": 1,
        "may_stop": True,
        "kept_seconds": 86_400,
    }


def test_a_plan_that_is_run_meanwhile_reads_no_events_of_the_trash(
    ada: User, plan: Plan, player: Stream, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The stream is emptied after the plan was compiled, before the plan has its nodes."""
    compile_plan = checks.compile_or_refuse

    def compile_and_lose(*arguments: Any) -> Any:
        compiled = compile_plan(*arguments)
        empty_stream(stream=player, user=ada)
        return compiled

    monkeypatch.setattr(plan_services, checks.compile_or_refuse.__name__, compile_and_lose)
    with pytest.raises(Conflict, match="player was emptied or deleted meanwhile"):
        run_plan(plan=plan, user=ada, placement="isolated")
    assert not Node.objects.exists()


def test_an_event_on_its_way_goes_to_the_trash_with_the_others(ada: User, player: Stream) -> None:
    push_keys(player, "a")
    of_request = Stream.objects.get(pk=player.pk)
    trashed = empty_stream(stream=player, user=ada)
    push_keys(of_request, "b")
    trashed.refresh_from_db()
    assert (trashed.events, list_keys(trashed), list_keys(player)) == (2, ["a", "b"], [])
    assert Stream.objects.get(pk=player.pk).events == 0


def test_a_source_pauses_and_a_recording_ends(ada: User, player: Stream) -> None:
    push_keys(player, "a")
    set_source(stream=player, user=ada, kind="kafka", options={"servers": "127.0.0.1:1", "topics": "t"})
    sample = record_next_events(user=ada, name="next", streams=["player"], count=5, keys=[])
    empty_stream(stream=player, user=ada)
    source = find_source(player)
    assert source is not None
    assert source.paused
    sample.refresh_from_db()
    assert sample.recording is None


def test_what_was_recorded_of_a_closed_stream_stays_closed(ada: User, bob: User, player: Stream) -> None:
    push_keys(player, "a")
    sample = record_last_events(user=ada, name="last", streams=["player"], count=5, keys=[])
    Stream.objects.filter(pk=player.pk).update(open_to_all=False)
    assert Sample.objects.get(pk=sample.pk).open_to_all
    other = keep_sample(user=ada, name="other", events={})
    delete_stream(stream=Stream.objects.get(pk=player.pk), user=ada)
    purge_trash(timezone.now() + timedelta(days=2))
    bobs = log_in_client(bob)
    assert bobs.get(f"/api/samples/{sample.pk}/").status_code == 404
    assert bobs.get(f"/api/samples/{other.pk}/").status_code == 200


def test_the_trash_is_for_those_who_own_it(
    api: APIClient, bobs: APIClient, roots: APIClient, player: Stream
) -> None:
    push_keys(player, "a")
    assert bobs.post("/api/streams/player/empty/", {}, format="json").status_code == 403
    api.delete("/api/streams/player/")
    (trashed,) = list_trash(api)
    assert list_trash(bobs) == []
    assert bobs.post(f"/api/trash/{trashed['id']}/restore/", {}, format="json").status_code == 404
    assert len(list_trash(roots)) == 1
    assert roots.post(f"/api/trash/{trashed['id']}/restore/", {}, format="json").status_code == 200
    assert roots.post(f"/api/trash/{trashed['id']}/restore/", {}, format="json").status_code == 404


def test_a_viewer_restores_nothing_that_was_the_persons_own(
    ada: User, api: APIClient, player: Stream
) -> None:
    trashed = empty_stream(stream=player, user=ada)
    ada.member.role = Role.VIEWER
    ada.member.save()
    assert list_trash(api) == []
    assert api.post(f"/api/trash/{trashed.pk}/restore/", {}, format="json").status_code == 404


def test_the_trash_is_purged_when_it_was_said(ada: User, player: Stream, settings: Any) -> None:
    settings.TRASH_RETENTION_MICROS = 3_600 * 1_000_000
    push_keys(player, "a")
    trashed = empty_stream(stream=player, user=ada)
    player.refresh_from_db()
    push_keys(player, "b")
    now = timezone.now()
    assert purge_trash(now + timedelta(minutes=59)) == []
    assert (settings.LANDING / "player").is_dir()
    assert purge_trash(now + timedelta(minutes=61)) == ["player"]
    assert not (settings.LANDING / "player").exists()
    with pytest.raises(Missing):
        restore_from_trash(number=trashed.pk, user=ada)
    assert list_keys(player) == ["b"]
    assert AuditEntry.objects.filter(act="stream.purge", actor=None, name="player").count() == 1


def test_what_is_being_purged_is_not_restored(ada: User, api: APIClient, player: Stream) -> None:
    trashed = empty_stream(stream=player, user=ada)
    Stream.everything.filter(pk=trashed.pk).update(purging=True)
    assert list_trash(api) == []
    with pytest.raises(Missing):
        restore_from_trash(number=trashed.pk, user=ada)


def test_a_declaration_with_a_generation_goes_to_spark_and_back(ada: User, player: Stream) -> None:
    empty_stream(stream=player, user=ada)
    player.refresh_from_db()
    declared = load_declaration(player)
    back = type(declared).from_program("player", declared.to_program())
    assert (back.generation, back.folder) == (1, "player~1")
    assert back.identity(()) != type(declared).from_document("player", declared.to_document()).identity(())
