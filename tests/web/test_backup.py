"""Backups are whole or not there, verified before they are put back, and put over nothing by mistake."""

from __future__ import annotations

import asyncio
import fcntl
import json
import shutil
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.utils import timezone
from pytest_django import Settings

from tests.web.conftest import build_document, has_existed
from timeline_app.fs.layout import Places
from timeline_app.fs.paths import Address, require_path
from timeline_app.web.core.leases import lease
from timeline_app.web.core.secrets import Unreadable, decrypt, encrypt
from timeline_app.web.live import socket_threads
from timeline_app.web.models import Lease, Plan, Query, Stream
from timeline_app.web.models.operations import Heartbeat
from timeline_app.web.models.sources import StreamSource
from timeline_app.web.ops.backup import create, databases, query_cuts, restore
from timeline_app.web.ops.backup.archive import Copier, Manifest, Refused, check_path
from timeline_app.web.plans.services import create_plan
from timeline_app.web.streams.ingest import get_door

pytestmark = [pytest.mark.deep, pytest.mark.django_db(transaction=True)]
DAY = 1_783_080_000_000


@pytest.fixture(autouse=True)
def _nobody_reads_the_old_one() -> Iterator[None]:
    """A database in memory is replaced under the threads in which sockets read: they have to open it anew."""
    yield
    asyncio.run(sync_to_async(lambda: BaseDatabaseWrapper.close(connection))())
    for name in ("_threads", "_news"):  # connections end with their threads
        pool = getattr(socket_threads, name)
        pool.shutdown()
        setattr(socket_threads, name, ThreadPoolExecutor(pool._max_workers))


@pytest.fixture
def place(settings: Settings, tmp_path: Path) -> Path:
    """A data directory of the test's own."""
    path = tmp_path / "data"
    settings.TIMELINE_DATA = settings.TIMELINE_LOCAL = path
    settings.LANDING = path / "landing"
    path.mkdir()
    get_door.cache_clear()
    return path


@pytest.fixture
def full_place(place: Path, ada: User, player: Stream, api: Any) -> Path:
    """A plan, events, a query with a feed and a checkpoint, a secret."""
    create_plan(user=ada, name="Kept", document=build_document(played=has_existed()))
    events = [
        {"session_id": f"s{n}", "event_id": str(n), "t": DAY + n, "player_state": "play"} for n in range(20)
    ]
    assert api.post("/api/streams/player/events/", events, format="json").status_code < 300
    Query.objects.create(
        name="q",
        program=json.loads(PROGRAM),
        desired="running",
        observed="running",
        spark_run_id="r",
        position=3,
    )
    write_query(place, "q", manifests=6, commits=5)
    (place / "secret-key").write_text("x" * 40)
    (place / "chains").mkdir()
    (place / "chains" / "d.json").write_text('[{"query": "q", "place": 0, "batches": null}]')
    return place


PROGRAM = '{"streams": ["player"], "inputs": [], "nodes": ["d"], "silent": []}'


@pytest.fixture(autouse=True)
def _simple_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a query reads is all that a backup wants to know of its program."""
    monkeypatch.setattr(create, "parse_program", lambda known: SimpleNamespace(inputs=known["inputs"]))


def write_query(place: Path, name: str, *, manifests: int, commits: int, start: int = 0) -> None:
    """Files as Spark writes them, so many of each."""
    places = Places(place)
    feed, checkpoint = require_path(places.feed(name)), require_path(places.checkpoint(name))
    for folder in (
        feed / "_spark_metadata",
        *(checkpoint / item for item in ("offsets", "commits", "state/0/0")),
    ):
        folder.mkdir(parents=True, exist_ok=True)
    (checkpoint / "metadata").write_text("{}")
    for n in range(start, manifests + 1):
        part = feed / f"part-{n}.parquet"
        part.write_text(f"rows of {n}")
        line = json.dumps({"path": f"file://{part}", "size": 9})
        (feed / "_spark_metadata" / str(n)).write_text(f"v1\n{line}")
        (checkpoint / "offsets" / str(n)).write_text(f"offsets {n}")
    for n in range(start, commits + 1):
        (checkpoint / "commits" / str(n)).write_text("v1")
        (checkpoint / "state/0/0" / f"{n + 1}.changelog").write_text(f"state {n + 1}")


def back_up(target: Path, **options: Any) -> Manifest:
    call_command("backup", str(target), stdout=StringIO(), stderr=StringIO(), **options)
    return Manifest.read(target)


def put_back(source: Path, **options: Any) -> str:
    output = StringIO()
    call_command("restore", str(source), stdout=output, stderr=StringIO(), **options)
    return output.getvalue()


def empty_place(place: Path) -> None:
    """The place as it is on a new machine."""
    for name in ("landing", "feeds", "chains", "checkpoints", "stack"):
        shutil.rmtree(place / name, ignore_errors=True)


@pytest.fixture
def fresh_database(monkeypatch: pytest.MonkeyPatch) -> None:
    """The database of the tests holds their tables, which stand for none."""
    monkeypatch.setattr(databases, "is_empty", lambda: True)


def test_there_and_back_again(full_place: Path, tmp_path: Path, fresh_database: None) -> None:
    made = back_up(tmp_path / "b")
    assert made.database == connection.vendor
    assert (made.counts["plans"], made.counts["streams"]) == (1, 1)
    landed = {path.name: path.read_bytes() for path in (full_place / "landing/player").glob("*.parquet")}
    Plan.objects.all().delete()
    Query.objects.all().delete()
    empty_place(full_place)
    output = put_back(tmp_path / "b")
    assert "1 plans" in output
    assert [plan.name for plan in Plan.objects.all()] == ["Kept"]
    assert {
        path.name: path.read_bytes() for path in (full_place / "landing/player").glob("*.parquet")
    } == landed
    query = Query.objects.get()
    assert (query.desired, query.spark_run_id, query.position) == ("running", "", 3)
    assert not Lease.objects.exists()


def test_an_instant_of_a_query_ends_with_its_last_manifest(full_place: Path, tmp_path: Path) -> None:
    write_query(full_place, "q", manifests=6, commits=5)
    (full_place / "checkpoints/q/offsets/7").write_text("planned, and nothing of it told")
    (full_place / "checkpoints/q/state/0/0/7.changelog").write_text("half written")
    (full_place / "feeds/q/part-7.parquet").write_text("nobody has named it")
    made = back_up(tmp_path / "b")
    assert made.queries == {"q": {"manifest": 6, "commit": 5}}
    names = set(made.files)
    assert {
        "checkpoints/q/offsets/6",
        "checkpoints/q/commits/5",
        "checkpoints/q/state/0/0/6.changelog",
    } <= names
    assert {"checkpoints/q/metadata", "feeds/q/part-6.parquet", "feeds/q/_spark_metadata/6"} <= names
    assert (
        not {"checkpoints/q/offsets/7", "checkpoints/q/state/0/0/7.changelog", "feeds/q/part-7.parquet"}
        & names
    )


def test_a_feed_that_ends_before_what_the_database_holds_of_it_is_not_backed_up(
    full_place: Path, tmp_path: Path
) -> None:
    Query.objects.update(position=7)
    with pytest.raises(CommandError, match="published up to batch 6, and the database holds it up to 7"):
        back_up(tmp_path / "b")
    assert list(tmp_path.glob("b*")) == []


def test_what_spark_removes_meanwhile_is_begun_anew(
    full_place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Copier.take
    tries: list[Path] = []

    def take(self: Copier, path: Path) -> None:
        if path.name == "6.changelog" and len(tries) < 2:
            tries.append(path)
            write_query(full_place, "q", manifests=6 + len(tries), commits=6 + len(tries))
            raise FileNotFoundError(path)
        real(self, path)

    monkeypatch.setattr(Copier, "take", take)
    made = back_up(tmp_path / "b")
    assert made.queries["q"] == {"manifest": 8, "commit": 8}
    assert restore.check_backup(tmp_path / "b").files == made.files


def test_who_reads_is_copied_before_what_it_reads() -> None:
    order = query_cuts.sort_downstream_first(
        {"a": set(), "sum": {"a", "b"}, "top": {"sum"}, "b": set(), "self": {"self"}}
    )
    for reader, read in (("top", "sum"), ("sum", "a"), ("sum", "b")):
        assert order.index(reader) < order.index(read)
    assert sorted(order) == ["a", "b", "self", "sum", "top"]


def test_feeds_are_found_where_they_are_now(
    full_place: Path, tmp_path: Path, settings: Settings, fresh_database: None
) -> None:
    back_up(tmp_path / "b")
    settings.TIMELINE_DATA = settings.TIMELINE_LOCAL = other = tmp_path / "an other, näher place"
    settings.LANDING = other / "landing"
    other.mkdir()
    put_back(tmp_path / "b")
    from timeline_app.feed.files import FileFeed

    (file,) = FileFeed(Places(other).feed("q")).files(4)
    assert file == other / "feeds/q/part-4.parquet"
    assert file.read_text() == "rows of 4"


def test_secrets_are_taken_only_when_that_is_said(full_place: Path, tmp_path: Path) -> None:
    assert "secret-key" not in back_up(tmp_path / "without").files
    assert "secret-key" in back_up(tmp_path / "with", secrets=True).files
    assert (tmp_path / "with/secret-key").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "with").stat().st_mode & 0o777 == 0o700


@pytest.fixture
def sealed_source(full_place: Path, player: Stream) -> StreamSource:
    """A source that has a password."""
    return StreamSource.objects.create(
        stream=player, kind="kafka", secrets=encrypt({"password": "x"}), changed_at=timezone.now()
    )


def test_what_cannot_be_read_under_another_key_is_named_and_refused_before_anything_is_touched(
    full_place: Path, tmp_path: Path, sealed_source: StreamSource, fresh_database: None, settings: Settings
) -> None:
    output = StringIO()
    call_command("backup", str(tmp_path / "b"), stdout=StringIO(), stderr=output)
    assert "these stop: the sources of player" in output.getvalue()
    empty_place(full_place)
    settings.SECRET_KEY = "another one" * 5
    with pytest.raises(CommandError, match=r"the sources of player.*all sessions end.*--without-secrets"):
        put_back(tmp_path / "b")
    assert not (full_place / "feeds").exists()
    put_back(tmp_path / "b", without_secrets=True)
    with pytest.raises(Unreadable, match="another TIMELINE_SECRET_KEY"):
        decrypt(StreamSource.objects.get().secrets)


def test_under_the_same_key_secrets_go_on_whether_the_backup_has_it_or_not(
    full_place: Path, tmp_path: Path, sealed_source: StreamSource, fresh_database: None, settings: Settings
) -> None:
    back_up(tmp_path / "b")
    empty_place(full_place)
    put_back(tmp_path / "b")
    assert decrypt(StreamSource.objects.get().secrets) == {"password": "x"}
    (full_place / "secret-key").write_text(settings.SECRET_KEY)
    back_up(tmp_path / "with", secrets=True)
    empty_place(full_place)
    settings.SECRET_KEY = "made for the new place" * 3
    put_back(tmp_path / "with")
    assert (full_place / "secret-key").stat().st_mode & 0o777 == 0o600


def test_a_backup_says_which_key_it_needs_but_not_the_key(
    full_place: Path, tmp_path: Path, settings: Settings
) -> None:
    made = back_up(tmp_path / "b")
    assert len(made.key) == 8
    assert settings.SECRET_KEY not in (tmp_path / "b/manifest.json").read_text()


def test_where_only_sessions_end_that_is_said_and_nothing_is_refused(
    full_place: Path, tmp_path: Path, fresh_database: None, settings: Settings
) -> None:
    back_up(tmp_path / "b")
    empty_place(full_place)
    settings.SECRET_KEY = "another one" * 5
    output = StringIO()
    call_command("restore", str(tmp_path / "b"), stdout=StringIO(), stderr=output)
    assert "all sessions end" in output.getvalue()


def test_a_backup_of_the_format_before_is_restored(
    full_place: Path, tmp_path: Path, fresh_database: None
) -> None:
    back_up(tmp_path / "b")
    file = tmp_path / "b/manifest.json"
    known = json.loads(file.read_text()) | {"format": 1}
    del known["key"], known["sealed"]
    file.write_text(json.dumps(known))
    empty_place(full_place)
    assert "1 plans" in put_back(tmp_path / "b")


def test_what_lies_at_an_address_is_refused_with_what_to_do(settings: Settings, tmp_path: Path) -> None:
    settings.TIMELINE_DATA = Address("s3a", "bucket", "x")
    for act in (create.create_backup, restore.restore):
        with pytest.raises(Refused, match=r"TIMELINE_DATA is s3a://bucket/x, .* stop the product"):
            act(tmp_path / "b")
    assert list(tmp_path.glob("b*")) == []


def test_a_backup_that_fails_is_not_there(
    full_place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise OSError(28, "no space left")

    monkeypatch.setattr(query_cuts, "copy_query", fail)
    with pytest.raises(CommandError, match="There is no backup"):
        back_up(tmp_path / "b")
    assert not list(tmp_path.glob("b*"))
    assert not Lease.objects.exclude(expires_at=None).exists(), "and others go on"


def test_a_place_that_is_taken_is_not_written_over(full_place: Path, tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    with pytest.raises(CommandError, match="there already"):
        back_up(tmp_path / "b")


def test_while_it_is_made_nobody_packs_or_moves(
    full_place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free: list[bool] = []
    real = query_cuts.copy_query

    def take(*arguments: Any) -> Any:
        for name, seconds in create.LEASE_REQUESTS.items():
            with lease(name, seconds) as hold:
                free.append(bool(hold))
        return real(*arguments)

    monkeypatch.setattr(query_cuts, "copy_query", take)
    back_up(tmp_path / "b")
    assert free == [False] * len(create.LEASE_REQUESTS)


def test_who_is_at_work_is_waited_for_but_not_for_ever(
    full_place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(create, "LEASE_WAIT_S", 0.0)
    with (
        lease("pack_feeds", create.LEASE_REQUESTS["pack_feeds"]),
        pytest.raises(CommandError, match="has been at work"),
    ):
        back_up(tmp_path / "b")


def test_what_is_held_stays_held_while_another_is_waited_for(
    monkeypatch: pytest.MonkeyPatch, transactional_db: None
) -> None:
    for name, seconds in (("LEASE_S", 1.0), ("LEASE_RENEWAL_S", 0.2), ("LEASE_WAIT_S", 30.0)):
        monkeypatch.setattr(create, name, seconds)
    *first, last = create.LEASE_REQUESTS

    def give_back(hold: ExitStack) -> None:
        time.sleep(2.5)
        hold.close()
        connections.close_all()

    busy = ExitStack()
    busy.enter_context(lease(last, create.LEASE_REQUESTS[last]))
    giving = threading.Thread(target=give_back, args=(busy,))
    giving.start()
    with create.hold_still() as sure:
        giving.join()
        sure()
        for name in first:
            with lease(name, create.LEASE_REQUESTS[name]) as hold:
                assert not hold


@pytest.mark.parametrize(
    "harm", ["change", "remove", "link", "cut", "manifest", "no manifest", "format", "escape"]
)
def test_a_damaged_backup_is_found_out(harm: str, full_place: Path, tmp_path: Path) -> None:
    back_up(tmp_path / "b")
    file, manifest = tmp_path / "b/feeds/q/part-2.parquet", tmp_path / "b/manifest.json"
    known = json.loads(manifest.read_text())
    if harm == "change":
        file.write_text("rows of 3")
    elif harm == "remove":
        file.unlink()
    elif harm == "link":
        file.unlink()
        file.symlink_to(tmp_path / "b/feeds/q/part-3.parquet")
    elif harm == "cut":
        file.write_text("rows")
    elif harm == "manifest":
        manifest.write_text(manifest.read_text()[:50])
    elif harm == "no manifest":
        manifest.unlink()
    elif harm == "format":
        manifest.write_text(json.dumps(known | {"format": 99}))
    else:
        manifest.write_text(json.dumps(known | {"files": {"../../etc/passwd": [1, "x"]}}))
    with pytest.raises(CommandError, match="Nothing was restored"):
        put_back(tmp_path / "b", check=True)


def test_a_backup_that_lost_its_hold_is_none(
    full_place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = query_cuts.copy_query

    def take(*arguments: Any) -> Any:
        Lease.objects.filter(name="supervisor").update(holder="another one")
        return real(*arguments)

    monkeypatch.setattr(query_cuts, "copy_query", take)
    with pytest.raises(CommandError, match="somebody else went on"):
        back_up(tmp_path / "b")
    assert not (tmp_path / "b").exists()


@pytest.mark.parametrize("name", ["/etc/passwd", "../x", "a/../../x", "", "a\\..\\b"])
def test_no_name_leads_out_of_a_backup(name: str) -> None:
    with pytest.raises(ValueError, match="outside"):
        check_path(name)


def test_a_backup_of_a_newer_version_is_refused(full_place: Path, tmp_path: Path) -> None:
    made = back_up(tmp_path / "b")
    made.migrations["web"] = "9999_of_tomorrow"
    made.write(tmp_path / "b")
    with pytest.raises(CommandError, match="another version"):
        put_back(tmp_path / "b", check=True)


def test_a_backup_of_another_kind_of_database_is_refused(full_place: Path, tmp_path: Path) -> None:
    made = back_up(tmp_path / "b")
    made.database = "oracle"
    made.write(tmp_path / "b")
    with pytest.raises(CommandError, match="oracle"):
        put_back(tmp_path / "b")


def test_a_place_that_is_not_empty_is_refused_and_by_force_put_aside(
    full_place: Path, tmp_path: Path
) -> None:
    back_up(tmp_path / "b")
    with pytest.raises(CommandError, match="not empty"):
        put_back(tmp_path / "b")
    (full_place / "feeds/q/part-0.parquet").write_text("of today")
    Plan.objects.update(name="Of today")
    put_back(tmp_path / "b", force=True)
    (aside,) = full_place.glob("before-restore-*")
    assert (aside / "feeds/q/part-0.parquet").read_text() == "of today"
    assert any(path.name.startswith("database") for path in aside.iterdir())
    assert (full_place / "feeds/q/part-0.parquet").read_text() == "rows of 0"
    assert Plan.objects.get().name == "Kept"


def test_under_a_product_that_runs_nothing_is_restored(full_place: Path, tmp_path: Path) -> None:
    back_up(tmp_path / "b")
    (full_place / "stack").mkdir()
    with (full_place / "stack/lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(CommandError, match="make stop"):
            put_back(tmp_path / "b", force=True)
    Heartbeat.objects.create(name="publisher", at=timezone.now())
    with pytest.raises(CommandError, match="the publisher worked"):
        put_back(tmp_path / "b", force=True)


def test_postgresqls_programs_are_told_of_tls_as_we_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(
        connection.settings_dict, "OPTIONS", {"sslmode": "verify-full", "sslrootcert": "/ca.pem"}
    )
    connection_options = databases._build_connection_options()
    assert (connection_options["PGSSLMODE"], connection_options["PGSSLROOTCERT"]) == (
        "verify-full",
        "/ca.pem",
    )


def test_without_its_programs_postgresql_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    with pytest.raises(Refused, match="install PostgreSQL's client programs"):
        databases._run("pg_dump", [])
