"""The token of Spark Connect: to whom it goes, when TLS is spoken, and that no message shows it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from timeline_app.private_files import SPARK_TOKEN
from timeline_app.variables import mask_value
from workers.spark.connect.embedded_server import start_embedded_server
from workers.spark.connect.presharing import PresharedChannel, hide_token
from workers.spark.connect.session import SparkAway, drop_session, get_session

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("address", "kept", "tls", "sent"),
    [
        ("sc://127.0.0.1:15002/;token=abc", "", False, "Bearer abc"),
        ("sc://localhost:15002", "abc", False, "Bearer abc"),
        ("sc://[::1]:15002", "abc", False, "Bearer abc"),
        ("sc://spark:15002/;use_ssl=false", "abc", False, "Bearer abc"),
        ("sc://spark:15002", "abc", True, None),
        ("sc://spark:15002/;token=abc", "", True, None),
        ("sc://127.0.0.1.example.org:15002", "abc", True, None),
        ("sc://spark:15002/;use_ssl=true", "", True, None),
        ("sc://spark:15002", "", False, None),
        ("sc://127.0.0.1:15002", "", False, None),
    ],
)
def test_a_token_goes_in_the_clear_only_to_this_machine_or_where_that_is_asked_for(
    address: str, kept: str, tls: bool, sent: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SPARK_TOKEN, kept)
    channel = PresharedChannel(address)
    assert channel.secure == tls
    assert dict(channel.metadata()).get("authorization") == sent
    channel.toChannel().close()


def test_an_address_is_shown_without_its_token() -> None:
    address = "sc://host:15002/;token=hush;use_ssl=true"
    assert hide_token(address) == mask_value(address) == "sc://host:15002/;token=…;use_ssl=true"


@pytest.mark.parametrize("token", ["", "short"])
def test_our_server_does_not_start_without_a_token(token: str, tmp_path: Path) -> None:
    environment = os.environ | {SPARK_TOKEN: token, "TIMELINE_DATA": str(tmp_path)}
    process = subprocess.run(
        [sys.executable, "-m", "workers.spark.connect.server"], cwd=ROOT, env=environment, capture_output=True,
        text=True, check=False, timeout=60,
    )  # fmt: skip
    assert process.returncode == 1
    assert process.stderr.startswith(f"Cannot start. {SPARK_TOKEN} is missing or too short")


@pytest.mark.spark
def test_our_server_refuses_who_has_no_token_or_another_one(tmp_path: Path) -> None:
    with start_embedded_server(tmp_path) as address:
        assert get_session(address, "tests").range(3).count() == 3
        drop_session(address)
        bare = address.partition("/;")[0]
        for rejected in (bare, f"{bare}/;token=another"):
            with pytest.raises(SparkAway, match="refuses our token") as answer:
                get_session(rejected, "tests")
            assert SPARK_TOKEN in answer.value.words
            assert "another" not in str(answer.value)
