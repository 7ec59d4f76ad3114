"""How the broker of the feeds is reached: written down by services that start, by nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from pytest_django import Settings

from timeline_app.storage.broker import Broker, BrokerTrouble, keep, kept
from timeline_app.storage.feeds import feed_of
from workers import brokered

ROOT = Path(__file__).resolve().parents[2]


def test_a_shell_that_reads_the_settings_writes_nothing_down(tmp_path: Path) -> None:
    given = {"TIMELINE_FEEDS": "kafka://old:9092", "TIMELINE_DATA": str(tmp_path), "TIMELINE_LOCAL": ""}
    command = [sys.executable, "-c", "import timeline_app.settings"]
    subprocess.run(command, cwd=ROOT, env={**os.environ, **given}, check=True)
    assert kept(tmp_path) is None


def test_a_service_that_starts_does(tmp_path: Path, settings: Settings) -> None:
    settings.TIMELINE_DATA, settings.FEEDS = tmp_path, None
    brokered.settle()
    assert kept(tmp_path) is None
    settings.FEEDS = Broker("h:9092", "t")
    brokered.settle()
    assert kept(tmp_path) == settings.FEEDS


def test_a_topic_of_a_broker_that_nothing_names_is_trouble_with_the_broker(tmp_path: Path) -> None:
    folder = tmp_path / "feeds" / "q"
    folder.mkdir(parents=True)
    (folder / "topic").write_text("t.q.1")
    with pytest.raises(BrokerTrouble, match=r"the broker of the feeds is not known, and q is a topic"):
        feed_of(folder).look()


def test_the_file_stays_for_whom_it_was_given_when_it_is_written_anew(tmp_path: Path) -> None:
    keep(tmp_path, Broker("h:9092", "t"))
    assert (tmp_path / "feeds-broker").stat().st_mode & 0o777 == 0o600
    (tmp_path / "feeds-broker").chmod(0o640)
    keep(tmp_path, Broker("other:9092", "t"))
    assert (tmp_path / "feeds-broker").stat().st_mode & 0o777 == 0o640
