"""A backup whose power is cut is whole or none; a restore that is killed leaves the old place or the new one."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, connections

from tests.power.test_protocols import Cuts
from tests.web import test_backup
from tests.web.test_backup import back_up, put_back
from timeline_app.web.models import Plan
from timeline_app.web.ops.backup import databases, replacement, restore
from timeline_app.web.ops.backup.archive import MANIFEST, Refused

pytestmark = [pytest.mark.deep, pytest.mark.django_db(transaction=True)]
full_place, place, fresh_database = test_backup.full_place, test_backup.place, test_backup.fresh_database
_simple_programs, _nobody_reads = test_backup._simple_programs, test_backup._nobody_reads_the_old_one
STEPS = ("os.rename", "os.remove", "os.mkdir", "os.rmdir", "subprocess.Popen")


def test_a_backup_is_whole_after_a_power_cut_or_there_is_none(
    full_place: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    root = tmp_path / "backups"
    root.mkdir()
    seen = {True: 0, False: 0}

    def check(left: Path) -> None:
        is_there = (left / "b").exists()
        seen[is_there] += 1
        if (left / "b" / MANIFEST).exists():
            restore.check_backup(left / "b")

    cuts = Cuts(root, tmp_path, monkeypatch)
    back_up(root / "b")
    cuts.checks.append(check)
    cuts.check_all()
    assert seen == {True: 5, False: 0}, "once it is said to be made it is there"
    shutil.rmtree(root / "b")
    sync_names(root)
    back_up(root / "b")
    assert seen[False] > 5


def sync_names(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    os.fsync(handle)
    os.close(handle)


class Killed:
    """Kills this process at the step of a number: one changes a name below a folder, or starts a program."""

    def __init__(self, folder: Path, number: int) -> None:
        self.folder, self.left = str(folder), number
        sys.addaudithook(self)

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event in STEPS and (
            event.startswith("subprocess") or any(self.folder in str(argument) for argument in arguments)
        ):
            self.left -= 1
            if self.left == 0:
                os.kill(os.getpid(), signal.SIGKILL)


def restore_and_kill(backup: Path, above: Path, number: int) -> bool:
    """Restore in a process that is killed at that step; whether it was, before it had done all of it."""
    connections.close_all()
    child = os.fork()
    if child == 0:
        try:
            Killed(above, number)
            put_back(backup, force=True)
            os._exit(0)
        finally:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.waitstatus_to_exitcode(status) == 0
    return os.WIFSIGNALED(status)


@pytest.fixture
def common_folder(full_place: Path) -> Path:
    """What the names of all that a restore changes begin with."""
    connections.close_all()
    ours = str(databases.get_sqlite_file()) if connection.vendor == "sqlite" else str(full_place)
    return Path(os.path.commonpath([ours, str(full_place.parent)]))


class Old:
    """A place as it was before the restore, to be put back as often as it takes."""

    def __init__(self, data: Path, copy: Path) -> None:
        self.data, self.copy = data, copy
        shutil.copytree(data, copy / "data")
        databases.dump(copy)

    def come_back(self) -> None:
        """As it was."""
        shutil.rmtree(self.data)
        shutil.copytree(self.copy / "data", self.data)
        connections.close_all()
        if connection.vendor == "sqlite":
            ours = databases.get_sqlite_file()
            for end in replacement.SQLITE_SUFFIXES:
                ours.with_name(ours.name + end).unlink(missing_ok=True)
            shutil.copy(self.copy / databases.FILES["sqlite"], ours)
        else:
            databases.load(self.copy, "as it was")


def read_place(data: Path) -> tuple[str, str, bool]:
    """Of what the database, the feeds and the landings are."""
    connections.close_all()
    landed = any((data / "landing" / "player").glob("*.parquet"))
    return Plan.objects.get().name, (data / "feeds/q/part-0.parquet").read_text(), landed


OLD, NEW = ("Of today", "of today", True), ("Kept", "rows of 0", True)


@pytest.mark.long
def test_a_restore_that_is_killed_leaves_the_old_place_or_the_new_one(
    full_place: Path,
    tmp_path: Path,
    common_folder: Path,
) -> None:
    backup = tmp_path / "b"
    back_up(backup)
    (full_place / "feeds/q/part-0.parquet").write_text("of today")
    Plan.objects.update(name="Of today")
    old, outcomes, number = Old(full_place, tmp_path / "old"), dict[tuple[str, str, bool], int](), 1
    while True:
        old.come_back()
        alive = not restore_and_kill(backup, common_folder, number)
        if not (full_place / replacement.NOTE_FILE).exists():
            assert read_place(full_place) in (OLD, NEW), f"step {number}: before anything is started"
        call_command("migrate", interactive=False, verbosity=0)
        now = read_place(full_place)
        assert now in (OLD, NEW), f"step {number}"
        assert not (full_place / replacement.NOTE_FILE).exists()
        outcomes[now] = outcomes.get(now, 0) + 1
        if now == NEW:
            (aside,) = full_place.glob("before-restore-*")
            assert (aside / "feeds/q/part-0.parquet").read_text() == "of today"
            assert any(path.name.startswith("database") for path in aside.iterdir())
        if alive:
            break
        number += 1
    print(number, outcomes)
    assert outcomes[OLD] > 5
    assert outcomes[NEW] > 5
    old.come_back()
    restore_and_kill(backup, common_folder, 12)
    put_back(backup, force=True)
    assert read_place(full_place) == NEW, "and the next one is not disturbed by what the one before has left"
    assert not (full_place / replacement.PREPARED_FOLDER).exists()


def test_a_database_that_cannot_be_loaded_leaves_the_old_one(
    full_place: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    back_up(tmp_path / "b")
    Plan.objects.update(name="Of today")

    def fail(*_: object) -> None:
        raise Refused("no")

    monkeypatch.setattr(databases, "load", fail)
    with pytest.raises(CommandError, match="no"):
        put_back(tmp_path / "b", force=True)
    assert Plan.objects.get().name == "Of today"
    assert (full_place / "feeds/q/part-1.parquet").read_text() == "rows of 1"
    assert not list(full_place.glob("restor*"))
