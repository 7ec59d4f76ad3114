"""An operator of somebody's own answers in Spark's queries what it answers here."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from django.core.management import call_command

from tests.operators.owned import LASTED, use_own_folders, write
from tests.operators.small import STREAM, build_event, build_leaf, build_node
from workers.spark.connect.embedded_server import start_embedded_server

pytestmark = pytest.mark.spark
NODES = {
    "on": build_leaf("latest_event_to_state", field="on"),
    "off": build_node("upside_down", "on"),
    "lasted": build_node("duration_where", "off"),
}


def evaluate(folder: Path, engine: str) -> str:
    out = io.StringIO()
    call_command("evaluate", str(folder / "plan.json"), str(folder / "s.jsonl"), engine=engine, stdout=out)
    return out.getvalue()


def test_spark_runs_it_from_the_folder_with_what_it_imports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    helped = LASTED.replace("timeline_app.algebra.logic", "timelines_own._help")
    folder = write(tmp_path / "mine", upside=helped, _help="from timeline_app.algebra.logic import negate")
    (tmp_path / "plan.json").write_text(json.dumps({"version": 1, "streams": {"s": STREAM}, "nodes": NODES}))
    delivered = [build_event(time, key, on=time % 3 == 0) for time in range(1, 20) for key in ("x", "y")]
    (tmp_path / "s.jsonl").write_text("".join(json.dumps(item) + "\n" for item in delivered))
    (tmp_path / "data").mkdir()
    with use_own_folders(folder), start_embedded_server(tmp_path / "data") as address:
        monkeypatch.setenv("SPARK_REMOTE", address)
        here = evaluate(tmp_path, "local")
        assert evaluate(tmp_path, "spark") == here
    assert {json.loads(line)["node"] for line in here.splitlines()} == set(NODES)
    assert '"value": true' in here
