"""Large plans are checked, read and written in a child: the web process only carries them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from rest_framework.test import APIClient

from tests.web.conftest import build_document, has_existed
from timeline_app.plan.document import MAX_PARAMETER_CHARS
from timeline_app.plan.text import write_text
from timeline_app.web.core.sandboxed_work import MAX_SMALL_PLAN_BYTES, compilations, is_large, plan_turns
from timeline_app.web.jobs import plans
from timeline_app.web.models import Plan, Stream
from timeline_app.web.plans import checks, texts


def build_condition(number: int, length: int = 400) -> dict[str, Any]:
    """A node with a long condition of its own."""
    return has_existed(" or ".join(f'player_state == "s{number}-{item}"' for item in range(length // 26)))


def build_large(nodes: int = 100, **more: Any) -> dict[str, Any]:
    """A document that is larger than what the web process looks at."""
    return build_document(**{f"n{number}": build_condition(number) for number in range(nodes)}, **more)


WRONG = {"op": "not", "inputs": {"of": "nobody"}}
CALLS: dict[str, Callable[[APIClient, dict[str, Any]], Any]] = {
    "check": lambda api, created: api.post("/api/plans/check/", {"document": created}, format="json"),
    "write": lambda api, created: api.post("/api/text/", {"document": created}, format="json"),
    "read": lambda api, created: api.post("/api/text/", {"text": write_text(created)}, format="json"),
}


@pytest.fixture
def no_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    """The web process cannot parse plans."""

    def refuse(*_: Any) -> None:
        raise AssertionError("the web process has parsed a large plan")

    for module, name in (
        (checks, "describe_check"), (texts, "describe_text"), (texts, "parse_plan_text"), (texts, "format_plan"),
    ):  # fmt: skip
        monkeypatch.setattr(module, name, refuse)


@pytest.mark.usefixtures("no_parser")
@pytest.mark.parametrize("call", CALLS)
def test_the_web_process_does_not_parse_a_large_plan(api: APIClient, player: Stream, call: str) -> None:
    assert is_large(build_large())
    answer = CALLS[call](api, build_large())
    assert answer.status_code == 200, answer.content[:300]
    assert answer.json().get("problems") == []


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("more", [{}, {"wrong": WRONG}])
def test_a_child_says_of_a_large_plan_what_the_web_process_would(
    api: APIClient, player: Stream, monkeypatch: pytest.MonkeyPatch, call: str, more: dict[str, Any]
) -> None:
    answer = CALLS[call](api, build_large(**more))
    monkeypatch.setattr("timeline_app.web.core.sandboxed_work.MAX_SMALL_PLAN_BYTES", 2**30)
    here = CALLS[call](api, build_large(**more))
    assert (answer.status_code, answer.json()) == (here.status_code, here.json())


def test_a_text_that_a_child_cannot_read_is_refused_at_its_place(api: APIClient, plan: Plan) -> None:
    body = {"text": "x = " + "-" * MAX_SMALL_PLAN_BYTES, "version": plan.version}
    answer = api.put(f"/api/plans/{plan.pk}/text/", body, format="json")
    assert answer.status_code == 400
    assert answer.json()["code"] == "bad_text"
    assert answer.json()["problems"][0]["line"] == 1


def test_the_conditions_of_a_plan_have_a_length_together(api: APIClient, player: Stream) -> None:
    made = build_document(**{f"n{number}": build_condition(number, 9_000) for number in range(60)})
    answer = CALLS["check"](api, made).json()
    (result,) = [problem for problem in answer["problems"] if problem["severity"] == "error"]
    assert result["code"] == "long_parameters"
    assert f"{MAX_PARAMETER_CHARS:,}" in result["message"]
    assert "several plans" in result["hint"]


def test_whoever_finds_no_turn_for_a_large_plan_is_told_to_come_again(
    api: APIClient, player: Stream, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("timeline_app.web.core.sandboxed_work.MAX_TURN_WAIT_S", 0.1)
    monkeypatch.setattr("timeline_app.web.core.sandboxed_work.MAX_COMPILATION_WAIT_S", 0.1)
    with plan_turns.turn("a", 1), plan_turns.turn("b", 1), compilations.turn("c", 1):
        assert CALLS["check"](api, build_large()).status_code == 429
        foreseen = api.post("/api/plans/consequences/", {"document": build_large()}, format="json")
        assert foreseen.status_code == 429
        assert CALLS["check"](api, build_document(seen=has_existed())).status_code == 200, (
            "a small one needs no turn"
        )
    assert api.post("/api/plans/consequences/", {"document": build_large()}, format="json").status_code == 200


def test_a_kept_plan_is_checked_once(api: APIClient, plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    requests: list[object] = []

    def count(document: Any, streams: Any) -> dict[str, Any]:
        requests.append(document)
        return plans.describe_check(document, streams)

    monkeypatch.setattr(checks, "describe_check", count)
    Plan.objects.update(document=build_large())
    for _ in range(2):
        assert api.get(f"/api/plans/{plan.pk}/").json()["problems"] == []
    assert len(requests) == 1
