"""Where a stream is fed from: set, shown without its secrets, tried, paused, taken away."""

from __future__ import annotations

import os
import re
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from timeline_app.connectors.http.source import HttpApi
from timeline_app.connectors.masked_addresses import mask_addresses, mask_options
from timeline_app.connectors.source_kinds import KINDS
from timeline_app.web.core.secrets import Unreadable, decrypt, encrypt
from timeline_app.web.models import Stream
from timeline_app.web.models.arrivals import RejectedEvent
from timeline_app.web.models.people import AuditEntry
from timeline_app.web.models.sources import StreamSource
from timeline_app.web.streams.source_intake import SourceProgress, take_portion
from timeline_app.web.streams.source_services import build_source

OPTIONS = {
    "servers": "broker:9092",
    "topics": "orders",
    "security": "sasl_ssl",
    "user": "u",
    "password": "hush",
}
SOURCE = {"kind": "kafka", "options": OPTIONS}
AT = "/api/streams/player/source/"


def put(api: APIClient, **options: Any) -> Any:
    return api.put(AT, {"kind": "kafka", "options": options}, format="json")


def test_a_source_is_told_with_every_default_and_no_secret(api: APIClient, player: Stream) -> None:
    assert api.get(AT).json()["code"] == "no_source"
    answer = put(api, **OPTIONS)
    assert answer.status_code == 200
    document = answer.json()
    assert document["options"] == {
        "servers": "broker:9092", "topics": "orders", "start": "earliest", "since": "",
        "offsets": "", "final_by": "newest event", "key_field": "",
        "header_fields": "", "security": "sasl_ssl", "mechanism": "PLAIN", "user": "u", "ca": "", "certificate": "",
    }  # fmt: skip
    assert document["secrets"] == ["password"]
    assert (document["observed"], document["words"], document["lag"], document["missed"]) == (
        "starting",
        "starting",
        None,
        0,
    )
    assert api.get(AT).json() == document
    assert "hush" not in answer.content.decode()
    rows = StreamSource.objects.values().get()
    assert "hush" not in str(rows)
    assert decrypt(str(rows["secrets"])) == {"password": "hush"}
    assert "hush" not in str(AuditEntry.objects.filter(act="stream.source").values())


def test_a_secret_stays_until_it_is_given_anew_or_somebody_else_would_get_it(
    api: APIClient, player: Stream
) -> None:
    put(api, **OPTIONS)
    without = {name: value for name, value in OPTIONS.items() if name != "password"}
    assert put(api, **without, start="latest").json()["secrets"] == ["password"]
    assert put(api, **without | {"servers": "elsewhere:9092"}).json()["secrets"] == []
    put(api, **OPTIONS)
    assert put(api, **OPTIONS | {"password": ""}).json()["secrets"] == []


@pytest.mark.parametrize(
    ("kind", "options", "otherwise"),
    [
        ("kafka", OPTIONS, {"security": "sasl_plaintext"}),
        ("kafka", OPTIONS | {"mechanism": "SCRAM-SHA-512"}, {"mechanism": "PLAIN"}),
        (
            "mqtt",
            {"broker": "b:1", "topics": "a", "session": "s", "tls": True, "password": "hush"},
            {"tls": False},
        ),
    ],
)
def test_a_secret_that_would_be_sent_otherwise_is_given_anew(
    api: APIClient, player: Stream, kind: str, options: Any, otherwise: Any
) -> None:
    def list_kept(**value: Any) -> list[str]:
        answer = api.put(AT, {"kind": kind, "options": value}, format="json")
        names: list[str] = answer.json()["secrets"]
        return names

    without = {name: value for name, value in options.items() if name != "password"}
    assert list_kept(**options) == ["password"]
    StreamSource.objects.update(opened=True)
    assert list_kept(**without) == ["password"]
    assert list_kept(**without | otherwise) == []
    assert StreamSource.objects.get().opened, "it is the same source"
    assert list_kept(**options) == ["password"]
    [name] = otherwise
    unsaid = {option: value for option, value in without.items() if option != name}
    assert list_kept(**unsaid) == [], "what is left out is as usual"


def test_secrets_under_another_key_are_said_to_be_unreadable(settings: Any) -> None:
    text = encrypt({"password": "hush"})
    settings.SECRET_KEY = "another"
    with pytest.raises(Unreadable, match="give them again"):
        decrypt(text)


@pytest.mark.parametrize(
    ("options", "fields"),
    [
        ({}, ["servers", "topics"]),
        ({"servers": "broker", "topics": "orders"}, ["servers"]),
        ({"servers": "broker:99999", "topics": "orders"}, ["servers"]),
        ({"servers": "broker:1", "topics": "or ders"}, ["topics"]),
        ({"servers": "broker:1", "topics": ""}, ["topics"]),
        ({"servers": "broker:1", "topics": "o", "start": "middle"}, ["start"]),
        ({"servers": "broker:1", "topics": "o", "since": "yesterday"}, ["since"]),
        ({"servers": "broker:1", "topics": "o", "since": "2026-11-22T08:00"}, ["since"]),
        (
            {"servers": "broker:1", "topics": "o", "offsets": "o/0", "final_by": "slow"},
            ["final_by", "offsets"],
        ),
        ({"servers": "broker:1", "topics": "o", "since": "9999-01-01T00:00Z"}, ["since"]),
        ({"servers": "broker:1", "topics": "o", "since": "0001-01-01T00:00+99:00"}, ["since"]),
        ({"servers": "broker:1", "topics": "o", "key_field": "  "}, ["key_field"]),
        ({"servers": "broker:1", "topics": "o", "key_field": "k" * 201}, ["key_field"]),
        ({"servers": "broker:1", "topics": "o", "header_fields": "a,,b"}, ["header_fields"]),
        ({"servers": "broker:1", "topics": "o", "header_fields": "a=b=c"}, ["header_fields"]),
        ({"servers": "broker:1", "topics": "o", "header_fields": "=b"}, ["header_fields"]),
        ({"servers": "broker:1", "topics": "o", "header_fields": "a=,b"}, ["header_fields"]),
        ({"servers": "broker:1", "topics": 7, "colour": "blue"}, ["colour", "topics"]),
    ],
)
def test_what_is_wrong_with_options_is_said_all_at_once(
    api: APIClient, player: Stream, options: Any, fields: list[str]
) -> None:
    answer = put(api, **options)
    assert answer.status_code == 400
    assert sorted(problem["field"] for problem in answer.json()["problems"]) == [
        f"options.{name}" for name in fields
    ]
    assert not StreamSource.objects.exists()


def test_path_and_query_of_an_address_are_secrets(api: APIClient, bobs: APIClient, player: Stream) -> None:
    url = "https://host/secret-path/events?key=hush"
    settings = {"kind": "http", "options": {"url": url, "token": "t"}}
    assert api.put(AT, settings, format="json").json()["options"]["url"] == "https://host/…"
    StreamSource.objects.update(opened=True)
    shown_options: dict[str, Any] = {"url": "https://host/…", "every": 7.0}
    assert api.put(AT, {"kind": "http", "options": shown_options}, format="json").status_code == 200
    source = StreamSource.objects.get()
    assert source.opened, "it is the same source"
    assert decrypt(source.secrets) == {"url": url, "token": "t"}
    for elsewhere in ("https://other/…", "https://host/a/…"):
        refused = api.put(AT, {"kind": "http", "options": {"url": elsewhere}}, format="json")
        assert (refused.status_code, refused.json()["problems"][0]["field"]) == (400, "options.url")
        assert "write the whole address again" in refused.json()["message"]
    StreamSource.objects.update(words=f"{url} does not answer: check url")
    place = HttpApi(url)._origin("/secret-path?page=hush")
    RejectedEvent.objects.create(
        stream=player, kind="refused", at=0, place=place, code="no_json", message="", text="x"
    )
    stream = "/api/streams/player"
    assert "the page https://host/…" in bobs.get(f"{stream}/rejected/").content.decode()
    for answer in (
        api.get(AT),
        bobs.get(AT),
        *(bobs.get(f"{stream}/{about}/") for about in ("audit", "activity", "rejected")),
    ):
        assert answer.status_code == 200
        assert not re.search("secret-path|hush", answer.content.decode())
    document = bobs.get(AT).json()
    assert (document["options"]["url"], document["words"]) == (
        "https://host/…",
        "https://host/… does not answer: check url",
    )
    for options, hidden in (
        ({"url": f"{url}2"}, ["url"]),
        ({"url": f"{url}2"}, None),
        ({"url": "http://h"}, None),
    ):
        api.put(AT, {"kind": "http", "options": options}, format="json")
        noted = AuditEntry.objects.latest("pk").after
        assert noted is not None
        assert noted.get("hidden") == hidden


@pytest.mark.parametrize(
    ("text", "document"),
    [
        ("broker1:9092,broker2:9092", "broker1:9092,broker2:9092"),
        ("https://host", "https://host"),
        ("https://host/", "https://host/"),
        ("https://user:hush@host:8443/a?b#c", "https://host:8443/…"),
        ("HTTP://host?key=a@b", "HTTP://host/…"),
        ("redis://user@host:6379/0", "redis://host:6379/0"),
        ("redis://host/0?token=hush", "redis://host/0?…"),
        ("no https://a.b/c?d=e, nor (http://f/g): gone", "no https://a.b/… nor (http://f/… gone"),
        ("https://api.h/v1/events?fields=id,time&token=hush", "https://api.h/…"),
        ("https://h/a,b/SECRET?key=hush", "https://h/…"),
        ("of 'https://h/a\"b;c)d'e", "of 'https://h/…"),
        ("wss://h/SECRET", "wss://h/…"),
        ("redis://h/0,redis://user:hush@h/1", "redis://h/…"),
    ],
)
def test_of_an_address_its_host_is_told(text: str, document: str) -> None:
    assert mask_addresses(text) == document


def test_an_option_is_one_address_to_its_end() -> None:
    options = {"url": "https://h/a b?key=hush\nhush", "every": 5.0, "brokers": "one:9092,two:9092"}
    assert mask_options(options) == options | {"url": "https://h/…"}


def test_what_is_asked_for_less_often_than_its_stream_counts_as_idle_is_refused_at_both_ends(
    api: APIClient, player: Stream
) -> None:
    declared = api.get("/api/streams/player/").json()
    document = {name: declared[name] for name in player.document}
    api_of = {"kind": "http", "options": {"url": "https://host/events", "every": 60.0}}
    assert (
        api.put("/api/streams/player/", document | {"idle_after": "1min"}, format="json").status_code == 200
    )
    for at in (api.put(AT, api_of, format="json"), api.post(f"{AT}check/", api_of, format="json")):
        assert at.status_code == 400
        (item,) = at.json()["problems"]
        assert item["field"] == "options.every"
        assert (
            "60 s is so rarely that the stream counts as idle in between (idle_after is 1min)"
            in item["message"]
        )
    assert api.put("/api/streams/player/", document | {"idle_after": "61s"}, format="json").status_code == 200
    assert api.put(AT, api_of, format="json").status_code == 200
    answer = api.put("/api/streams/player/", document | {"idle_after": "30s"}, format="json")
    assert [(problem["field"], problem["code"]) for problem in answer.json()["problems"]] == [
        ("idle_after", "idle_between")
    ]
    assert "ask more often, or declare a longer idle_after" in answer.json()["message"]
    assert api.put("/api/streams/player/", document, format="json").status_code == 200


def test_there_are_no_other_kinds_than_those_that_are_told(api: APIClient, player: Stream) -> None:
    kinds = api.get("/api/source-kinds/").json()["kinds"]
    assert [item["name"] for item in kinds] == list(KINDS)
    kind = kinds[0]
    assert (kind["name"], kind["title"]) == ("kafka", "Kafka")
    assert [option["name"] for option in kind["options"] if option["required"]] == ["servers", "topics"]
    assert [option["name"] for option in kind["options"] if option["secret"]] == ["password", "private_key"]
    answer = api.put(AT, {"kind": "pulsar", "options": {}}, format="json")
    assert answer.json()["problems"][0]["hint"] == f"Choose one of {', '.join(KINDS)}."


def test_it_is_paused_and_resumed_and_taken_away(api: APIClient, player: Stream) -> None:
    put(api, **OPTIONS)
    assert api.post(f"{AT}pause/").json()["observed"] == "paused"
    assert StreamSource.objects.get().paused
    assert put(api, **OPTIONS).json()["words"] == "paused"
    assert api.post(f"{AT}resume/").json()["observed"] == "starting"
    assert api.delete(AT).status_code == 204
    assert api.get(AT).status_code == 404
    acts = AuditEntry.objects.filter(act="stream.source").order_by("pk").values_list("before", "after")
    assert [(bool(before), bool(after)) for before, after in acts] == [
        (False, True), (True, True), (True, True), (True, True), (True, False),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("observed", "seconds", "said"),
    [
        ("reading", 5, ("reading", "as told")),
        ("reading", 45, ("starting", "reading when last seen; the intake has been away for 45 s")),
        ("retrying", 45, ("retrying", "as told")),
    ],
)
def test_it_is_not_said_to_be_read_while_nobody_reads(
    api: APIClient, player: Stream, observed: str, seconds: int, said: tuple[str, str]
) -> None:
    put(api, **OPTIONS)
    then = timezone.now() - timedelta(seconds=seconds)
    StreamSource.objects.update(observed=observed, words="as told", looked_at=then)
    result = api.get(AT).json()
    assert (result["observed"], result["words"]) == said


def test_a_broker_that_is_not_there_is_said(api: APIClient, player: Stream) -> None:
    body = {"kind": "kafka", "options": {"servers": "127.0.0.1:1", "topics": "orders"}}
    answer = api.post(f"{AT}check/", body, format="json")
    assert answer.status_code == 400
    assert answer.json()["code"] == "source_trouble"
    assert "no broker answers at 127.0.0.1:1" in answer.json()["message"]
    assert "Connection refused" in answer.json()["message"]
    assert not StreamSource.objects.exists()


def test_another_place_is_told_no_secret_of_the_one_before(api: APIClient, player: Stream) -> None:
    settings = {"url": "redis://one:6379", "streams": "a", "password": "hush"}

    def list_kept(**options: Any) -> list[str]:
        answer = api.put(AT, {"kind": "redis_streams", "options": options}, format="json").json()
        assert "hush" not in str(answer)
        names: list[str] = answer["secrets"]
        return names

    assert list_kept(**settings) == ["password"]
    assert list_kept(url="redis://one:6379", streams="a,b") == ["password"]
    assert list_kept(url="redis://two:6379", streams="a,b") == []


MAPPING = [{"to": "player_state", "from": "state"}, {"to": "bitrate", "cast": "decimal_comma"}]


def test_a_mapping_is_kept_until_another_is_given_and_is_in_the_audit(api: APIClient, player: Stream) -> None:
    put(api, **OPTIONS)
    assert api.get(AT).json()["mapping"] == []
    answer = api.put(AT, SOURCE | {"mapping": MAPPING}, format="json").json()["mapping"]
    assert answer == [MAPPING[0], {"to": "bitrate", "from": "bitrate", "cast": "decimal_comma"}]
    assert put(api, **OPTIONS).json()["mapping"] == answer
    entry = AuditEntry.objects.filter(act="stream.source").order_by("-pk")[1]
    assert (entry.before["mapping"], entry.after["mapping"]) == ([], answer)
    assert api.put(AT, SOURCE | {"mapping": []}, format="json").json()["mapping"] == []


def test_a_mapping_that_cannot_be_used_is_refused_by_place(api: APIClient, player: Stream) -> None:
    problems = [{"to": "a", "cast": "numbr"}, {"to": "a"}]
    for method, path in ((api.put, AT), (api.post, f"{AT}check/")):
        answer = method(path, SOURCE | {"mapping": problems}, format="json")
        assert (answer.status_code, answer.json()["code"]) == (400, "bad_mapping")
        assert "Did you mean number?" in answer.json()["message"]
        assert [problem["field"] for problem in answer.json()["problems"]] == [
            "mapping[0].cast",
            "mapping[1]",
        ]
    constant = [{"to": player.document["time"], "constant": 1}]
    answer = api.put(AT, SOURCE | {"mapping": constant}, format="json")
    assert "is the time of the stream's events" in answer.json()["message"]
    assert not StreamSource.objects.exists()


def test_files_are_mapped_as_the_check_shows_before(
    api: APIClient, player: Stream, tmp_path: Path, settings: Any
) -> None:
    settings.SOURCE_FOLDERS = (tmp_path,)
    (tmp_path / "plays.csv").write_text(
        "sid;t;state;bitrate;live\ns1;1719824400000;play;1.021,5;yes\ns2;1719824401000;stop;7,5;perhaps\n"
    )
    os.utime(tmp_path / "plays.csv", (1, 1))
    mapping = [
        {"to": "session_id", "from": "sid"},
        {"to": "player_state", "from": "state"},
        {"to": "bitrate", "cast": "decimal_comma"},
        {"to": "live", "cast": "bool"},
        {"to": "site", "constant": "Berlin"},
    ]
    body = {"kind": "csv", "options": {"path": str(tmp_path), "pattern": "*.csv"}, "mapping": mapping}
    first, second = api.post(f"{AT}check/", body, format="json").json()["messages"]
    [shown_event] = first["events"]
    assert (first["problems"], shown_event["refusal"]) == ([], "")
    assert (shown_event["before"]["state"], shown_event["before"]["bitrate"]) == ("play", "1.021,5")
    assert "state" not in shown_event["after"]
    assert {name: shown_event["after"][name] for name in ("session_id", "player_state", "bitrate", "live", "site")} == {
        "session_id": "s1", "player_state": "play", "bitrate": "1021.5", "live": "true", "site": "Berlin",
    }  # fmt: skip
    assert [problem["code"] for problem in second["problems"]] == ["bad_cast"]
    assert "'live' has the value 'perhaps'" in second["events"][0]["refusal"]

    api.put(AT, body, format="json")
    source = StreamSource.objects.get()
    known = SourceProgress.from_source(source)
    with closing(build_source(source).open(known.standing)) as reader:
        portion = reader.take()
        assert take_portion(stream=player, portion=portion, progress=known) == 1
    [event] = api.get("/api/streams/player/events/").json()["results"]
    assert (event["key"], event["values"]["bitrate"], event["values"]["site"]) == ("s1", "1021.5", "Berlin")
    stored = RejectedEvent.objects.get()
    assert (stored.code, stored.field) == ("bad_cast", "live")
    mended = stored.text.replace('"perhaps"', "false")
    lines = {"lines": [{"id": stored.pk, "text": mended}]}
    assert api.post("/api/streams/player/rejected/retry/", lines, format="json").json()["taken"] == 1
    newest = api.get("/api/streams/player/events/").json()["results"][0]
    assert (newest["key"], newest["values"]["bitrate"], newest["values"]["live"]) == ("s2", "7.5", "false")
