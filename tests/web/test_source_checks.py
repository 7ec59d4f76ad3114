"""A source is tried before it is saved: what its form says, folders with files, and Redis."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_django import Settings
from rest_framework.test import APIClient

from tests.connectors.redis_server import Server
from tests.web.test_sources import AT
from timeline_app.web.models import Stream


@pytest.fixture
def folder(tmp_path: Path, settings: Settings) -> Path:
    """A folder that may be read, with a file that came a while ago."""
    path = tmp_path / "given"
    path.mkdir()
    settings.SOURCE_FOLDERS = (path.resolve(),)
    put_file(path / "a.csv", "session_id,event_id,t,player_state\ns1,1,1783080000000,play\ns1,2,noon,play\n")
    return path


def put_file(path: Path, text: str) -> None:
    path.write_text(text)
    os.utime(path, (1_700_000_000, 1_700_000_000))


def try_source(api: APIClient, kind: str, **options: Any) -> Any:
    return api.post(f"{AT}check/", {"kind": kind, "options": options}, format="json")


@pytest.mark.parametrize(("kind", "guarding"), [("mqtt", {"broker", "session", "tls", "ca"}), ("csv", set())])
def test_the_form_says_what_keeps_no_secret(api: APIClient, kind: str, guarding: set[str]) -> None:
    kinds = {item["name"]: item for item in api.get("/api/source-kinds/").json()["kinds"]}
    options = kinds[kind]["options"]
    assert {option["name"] for option in options if option["guards"]} == guarding
    assert {
        option["name"] for option in options if "secrets are to be given again" in option["help"]
    } == guarding


def test_the_form_says_which_folders_may_be_read(api: APIClient, settings: Settings, folder: Path) -> None:
    def read_said() -> str:
        kinds = {kind["name"]: kind for kind in api.get("/api/source-kinds/").json()["kinds"]}
        return str(next(option["help"] for option in kinds["csv"]["options"] if option["folder"]))

    assert f"it lies in {folder.resolve()}" in read_said()
    settings.SOURCE_FOLDERS = ()
    assert (
        "no folder may be read: whoever runs the servers names some in TIMELINE_SOURCE_FOLDERS" in read_said()
    )


def test_a_file_is_tried_with_its_types_and_what_would_be_refused(
    api: APIClient, player: Stream, folder: Path
) -> None:
    answer = try_source(api, "csv", path=str(folder))
    assert answer.status_code == 200, answer.json()
    first, second = answer.json()["messages"]
    assert (first["place"], first["problems"]) == ("line 2 of a.csv", [])
    assert second["problems"][0]["code"] == "bad_time"
    assert second["place"] == "line 3 of a.csv"


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("{folder}/../secret", "lies in none of the folders that may be read"),
        ("/etc", "lies in none of the folders that may be read"),
        ("{folder}/link", "lies in none of the folders that may be read"),
        ("given", "is no absolute path"),
        ("{folder}/nowhere", "there is no directory"),
        ("{folder}/a.csv", "is a file: name the directory that it lies in"),
        ("{folder}/empty", "it is empty"),
    ],
)
def test_a_wrong_path_is_said_with_a_hint(
    path: str, words: str, api: APIClient, player: Stream, folder: Path
) -> None:
    (folder / "empty").mkdir()
    (folder / "link").symlink_to("/etc")
    answer = try_source(api, "csv", path=path.format(folder=folder))
    assert answer.status_code == 400
    assert words in answer.json()["message"]


def test_a_link_to_a_file_elsewhere_is_left_alone(api: APIClient, player: Stream, folder: Path) -> None:
    (folder / "b.csv").symlink_to("/etc/hostname")
    places = {message["place"] for message in try_source(api, "csv", path=str(folder)).json()["messages"]}
    assert places == {"line 2 of a.csv", "line 3 of a.csv"}


def test_a_pattern_that_matches_nothing_says_what_is_there(
    api: APIClient, player: Stream, folder: Path
) -> None:
    answer = try_source(api, "json_lines", path=str(folder), pattern="*.jsonl")
    assert "no file of" in answer.json()["message"]
    assert "there are a.csv" in answer.json()["message"]


def test_a_file_that_is_too_young_is_said_to_be_and_when_it_is_read(
    api: APIClient, player: Stream, folder: Path
) -> None:
    (folder / "a.csv").touch()
    answer = try_source(api, "csv", path=str(folder), quiet=60.0)
    assert (answer.status_code, answer.json()["code"]) == (400, "source_empty")
    words = answer.json()["message"]
    assert re.search(
        r"nothing to read yet: a\.csv changed \d+\.\d s ago, and counts as whole after 60 s \(quiet\)", words
    )


@pytest.mark.parametrize("kinds", ["source-kinds", "sink-kinds"])
def test_every_help_is_a_sentence_that_begins_as_one(api: APIClient, kinds: str) -> None:
    answer = api.get(f"/api/{kinds}/").json()["kinds"]
    helps = [option["help"] for kind in answer for option in kind["options"]]
    assert len(helps) > 10
    assert [words for words in helps if not words[0].isupper()] == []


def test_where_no_folder_may_be_read_the_setting_is_named(
    api: APIClient, player: Stream, settings: Settings
) -> None:
    settings.SOURCE_FOLDERS = ()
    answer = api.put(AT, {"kind": "parquet", "options": {"path": "/data"}}, format="json")
    assert answer.json()["problems"][0]["field"] == "options.path"
    assert "TIMELINE_SOURCE_FOLDERS" in answer.json()["message"]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    server = Server(tmp_path)
    yield server
    server.kill()


def test_a_redis_is_tried_and_what_is_wrong_is_said(
    api: APIClient, player: Stream, server: Server, settings: Settings
) -> None:
    client = server.client()
    client.xadd("plays", {"session_id": "s1", "event_id": "1", "t": 5, "player_state": "play"})
    client.xadd("plays", {"e": "{"})
    client.set("text", "no stream")
    [first, second] = try_source(api, "redis_streams", url=server.url, streams="plays").json()["messages"]
    assert re.fullmatch(r"message \d+-\d+ of plays", first["place"])
    assert second["problems"]
    assert not client.xinfo_groups("plays")

    def read_said(**options: Any) -> str:
        return str(
            try_source(api, "redis_streams", **{"url": server.url, "streams": "plays"} | options).json()[
                "message"
            ]
        )

    near = read_said(streams="pays")
    assert near.startswith(
        "There is nothing to read yet: there is no stream 'pays' in this Redis; did you mean plays?"
    )
    far = read_said(streams="orders")
    assert "'orders' in this Redis; read from there all the same: it is made, and read as soon as" in far
    assert "cannot be read: 'text' is no stream in this Redis but a string" in read_said(streams="text")
    assert "no Redis answers at redis://127.0.0.1:1" in read_said(url="redis://127.0.0.1:1")
    assert "holds a password" in read_said(url="redis://:hush@127.0.0.1:1")
    client.config_set("requirepass", "open sesame")
    assert "refuses the login" in read_said(password="hunter2")
    settings.REDIS_URL = f"unix://:open%20sesame@{server.path / 'socket'}"
    assert "the product itself works with" in read_said(password="open sesame")
