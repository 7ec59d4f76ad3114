"""Where a stream is fed from: set, shown without its secrets, tried, paused, taken away."""

from __future__ import annotations

from typing import Any

import pytest
from rest_framework.test import APIClient

from timeline_app.web.models import Stream
from timeline_app.web.people_models import AuditEntry
from timeline_app.web.secrets import Unreadable, opened, sealed
from timeline_app.web.source_models import StreamSource

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
    told = answer.json()
    assert told["options"] == {
        "servers": "broker:9092", "topics": "orders", "start": "earliest", "security": "sasl_ssl",
        "mechanism": "PLAIN", "user": "u", "ca": "", "certificate": "",
    }  # fmt: skip
    assert told["secrets"] == ["password"]
    assert (told["observed"], told["words"], told["lag"], told["missed"]) == ("starting", "starting", 0, 0)
    assert api.get(AT).json() == told
    assert "hush" not in answer.content.decode()
    kept = StreamSource.objects.values().get()
    assert "hush" not in str(kept)
    assert opened(str(kept["secrets"])) == {"password": "hush"}
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


def test_secrets_under_another_key_are_said_to_be_unreadable(settings: Any) -> None:
    text = sealed({"password": "hush"})
    settings.SECRET_KEY = "another"
    with pytest.raises(Unreadable, match="give them again"):
        opened(text)


@pytest.mark.parametrize(
    ("options", "fields"),
    [
        ({}, ["servers", "topics"]),
        ({"servers": "broker", "topics": "orders"}, ["servers"]),
        ({"servers": "broker:99999", "topics": "orders"}, ["servers"]),
        ({"servers": "broker:1", "topics": "or ders"}, ["topics"]),
        ({"servers": "broker:1", "topics": ""}, ["topics"]),
        ({"servers": "broker:1", "topics": "o", "start": "middle"}, ["start"]),
        ({"servers": "broker:1", "topics": 7, "colour": "blue"}, ["colour", "topics"]),
    ],
)
def test_what_is_wrong_with_options_is_said_all_at_once(
    api: APIClient, player: Stream, options: Any, fields: list[str]
) -> None:
    answer = put(api, **options)
    assert answer.status_code == 400
    assert sorted(one["field"] for one in answer.json()["problems"]) == [f"options.{name}" for name in fields]
    assert not StreamSource.objects.exists()


def test_there_are_no_other_kinds_than_those_that_are_told(api: APIClient, player: Stream) -> None:
    [kind] = api.get("/api/source-kinds/").json()["kinds"]
    assert (kind["name"], kind["title"]) == ("kafka", "Kafka")
    assert [one["name"] for one in kind["options"] if one["required"]] == ["servers", "topics"]
    assert [one["name"] for one in kind["options"] if one["secret"]] == ["password", "private_key"]
    answer = api.put(AT, {"kind": "pulsar", "options": {}}, format="json")
    assert answer.json()["problems"][0]["cure"] == "Choose one of kafka."


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


def test_a_broker_that_is_not_there_is_said(api: APIClient, player: Stream) -> None:
    body = {"kind": "kafka", "options": {"servers": "127.0.0.1:1", "topics": "orders"}}
    answer = api.post(f"{AT}check/", body, format="json")
    assert answer.status_code == 400
    assert answer.json()["code"] == "source_trouble"
    assert "no broker answers at 127.0.0.1:1" in answer.json()["message"]
    assert "Connection refused" in answer.json()["message"]
    assert not StreamSource.objects.exists()
