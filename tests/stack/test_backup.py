"""A backup of a product that streams, put into another place: it goes on there, and says what the evaluator says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.browser.product import Api, add_user, evaluate_truth, run_python, wait_until
from tests.stack.test_faults import PLAN, Feeder, assert_log_is_whole, list_differences, wait_for_probe
from timeline_app.settings import ROOT
from workers.stack import Stack, health

pytestmark = [pytest.mark.stack, pytest.mark.long]


def run_manage(data: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A command on a data directory on which nothing runs."""
    environment = os.environ | {"TIMELINE_DATA": str(data), "DATABASE_URL": ""}
    command = [sys.executable, str(ROOT / "manage.py"), *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def list_landed_ids(data: Path) -> set[str]:
    """The ids of all events that the landing holds."""
    files = (data / "landing" / "player").rglob("*.parquet")
    return {item for file in files for item in pq.read_table(file, columns=["id"])["id"].to_pylist()}


def assert_says(
    stack: Stack, api: Api, digests: dict[str, str], sent: list[dict[str, object]], folder: Path
) -> None:
    folder.mkdir(exist_ok=True)
    expected = evaluate_truth(PLAN, {"player": sent}, folder)

    def list_wrong() -> list[str]:
        stack.tend()
        return list_differences(api, digests, expected)

    wait_until(lambda: not list_wrong(), 240, words=lambda: "\n".join(list_wrong()[:5]))


def test_a_backup_of_what_streams_goes_on_elsewhere(tmp_path: Path) -> None:
    backup, place = tmp_path / "backup", tmp_path / "elsewhere"
    with Stack(tmp_path / "here", demo=False, port=health.find_free_port()) as stack:
        api = add_user(stack, "ada")
        api.declare("player")
        feeder = Feeder(api)
        try:
            plan = api.add_plan(PLAN)["id"]
            api.run(plan)
            digests = api.digests(plan)
            wait_for_probe(stack, feeder, digests, "before")
            started = time.monotonic()
            run_python(stack, str(ROOT / "manage.py"), "backup", str(backup))
            print(f"the backup took {time.monotonic() - started:.1f} s")
            refused = run_manage(stack.layout.data, "restore", str(backup), "--force")
            assert "stop it first" in refused.stderr
            wait_for_probe(stack, feeder, digests, "after")
        finally:
            feeder.stop()
        assert feeder.refused == []
        assert_says(stack, api, digests, feeder.sent, tmp_path / "truth")

    done = run_manage(place, "restore", str(backup))
    assert done.returncode == 0, done.stderr
    kept = list_landed_ids(place)
    known_items = [event for event in feeder.sent if event["event_id"] in kept]
    assert 0 < len(kept) < len({event["event_id"] for event in feeder.sent})
    cuts = json.loads((backup / "manifest.json").read_text())["queries"]
    assert len(cuts) == len(PLAN["nodes"])
    assert all(cut["manifest"] - 1 <= cut["commit"] <= cut["manifest"] for cut in cuts.values())

    with Stack(place, demo=False, port=health.find_free_port()) as stack:
        restored_api = replace(api, url=stack.url)
        assert_says(stack, restored_api, digests, known_items, tmp_path / "truth")
        assert_log_is_whole(stack)
        for start in range(0, len(feeder.sent), 50):  # their ids make repeats harmless
            restored_api.push("player", feeder.sent[start : start + 50])
        assert_says(stack, restored_api, digests, feeder.sent, tmp_path / "truth")
        assert_log_is_whole(stack)
        rebuilt = [restored_api.get(f"nodes/{digest}/")["status"]["error"] for digest in digests.values()]
        assert rebuilt == [""] * len(digests)
