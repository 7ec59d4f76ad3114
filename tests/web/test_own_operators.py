"""An operator of somebody's own is on the palette: where one is gone from a running plan, that says so."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.cache import caches
from rest_framework.test import APIClient

from tests.operators.owned import LASTED, use_own_folders, write
from tests.web.conftest import build_document, has_existed
from timeline_app.compiler import parse_program
from timeline_app.compiler.step import OtherOperator
from timeline_app.web.core.error_responses import find_refusal
from timeline_app.web.models import Plan, Stream
from timeline_app.web.plans.services import create_plan, run_plan

pytestmark = pytest.mark.django_db
NODES = {"played": has_existed(), "off": {"op": "upside_down", "inputs": {"of": "played"}}}
TEXT = 'played = has_existed(player.player_state == "play")\noff = upside_down(played)\n'


@pytest.fixture
def running_plan(ada: User, player: Stream, tmp_path: Path) -> Plan:
    """A plan that runs with such an operator, which is gone by now."""
    with use_own_folders(write(tmp_path / "mine", upside=LASTED)):
        plan = create_plan(user=ada, name="mine", document=build_document(**NODES))
        run_plan(plan=plan, user=ada, placement="isolated")
    caches["checks"].clear()  # as in a process that is started again
    return plan


def test_palette_and_text_know_it_with_where_it_is_from(
    api: APIClient, player: Stream, tmp_path: Path
) -> None:
    with use_own_folders(write(tmp_path / "mine", upside=LASTED)):
        document = {result["name"]: result for result in api.get("/api/operators/").json()["results"]}
        assert (document["upside_down"]["source"], document["upside_down"]["category"]) == (
            "upside.py",
            "timelines",
        )
        assert document["upside_down"]["version"].startswith("code ")
        answer = api.post("/api/text/", {"text": TEXT}, format="json")
        assert answer.status_code == 200, answer.json()
        assert answer.json()["document"]["nodes"]["off"]["op"] == "upside_down"


def test_pages_of_a_plan_whose_operator_is_gone_still_answer(api: APIClient, running_plan: Plan) -> None:
    digest = running_plan.uses.get(name="off").node.digest
    plan, node = f"/api/plans/{running_plan.pk}", f"/api/nodes/{digest}"
    parts = ("stop/consequences", "versions", "explain", "text")
    for address in (plan, *(f"{plan}/{part}" for part in parts), "/api/nodes", node, f"{node}/keys"):
        assert api.get(f"{address}/").status_code == 200, address
    assert api.get(f"{node}/timeline/?key=s1").status_code == 404
    assert api.get(f"{plan}/consequences/").json()["problems"][0]["code"] == "unknown_operator"
    checked = api.post("/api/plans/check/", {"document": build_document(**NODES)}, format="json").json()
    assert [(problem["node"], problem["code"]) for problem in checked["problems"]] == [
        ("off", "unknown_operator")
    ]


def test_a_changed_operator_is_a_new_node_when_the_plan_is_applied_again(
    api: APIClient, ada: User, running_plan: Plan, tmp_path: Path
) -> None:
    with use_own_folders(write(tmp_path / "other", upside=LASTED + "\n")):
        answer = api.get(f"/api/plans/{running_plan.pk}/consequences/").json()
        assert {name: node["fate"] for node in answer["nodes"] for name in node["names"]} == {
            "played": "kept",
            "off": "new",
        }
        before = running_plan.uses.get(name="off").node
        run_plan(plan=running_plan, user=ada, placement="isolated")
        after = running_plan.uses.get(name="off").node
    assert (after.operator, before.operator) == ("upside_down", "upside_down")
    assert after.digest != before.digest


def test_a_plan_whose_operator_is_gone_can_be_stopped(api: APIClient, running_plan: Plan) -> None:
    assert api.post(f"/api/plans/{running_plan.pk}/stop/", {}, format="json").status_code == 200


def test_what_needs_the_operator_itself_is_refused_with_the_hint(api: APIClient, running_plan: Plan) -> None:
    program = parse_program(running_plan.uses.get(name="off").node.program)
    with pytest.raises(OtherOperator) as refusal:
        program.require_operators()
    refused = find_refusal(refusal.value)
    assert refused is not None
    assert (refused.status, refused.body()["code"]) == (409, "other_operator")
    assert str(refused).startswith(
        "The operator upside_down is not here any more; put it back (TIMELINE_OPERATORS)"
    )
