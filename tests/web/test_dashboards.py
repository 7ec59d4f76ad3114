"""Dashboards are kept in versions, changed by their owners, and know what runs of what they show."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from pytest_django import DjangoAssertNumQueries
from rest_framework.test import APIClient

from tests.web.conftest import build_document, build_negation, find_owner, has_existed
from timeline_app.web.dashboards.chart_types import CHART_TYPES, OPTIONS
from timeline_app.web.dashboards.documents import ChartSerializer
from timeline_app.web.dashboards.selectors import resolve_chart_sources
from timeline_app.web.dashboards.services import (
    GRID_COLUMNS,
    MAX_CHARTS_PER_DASHBOARD,
    MAX_SELECTED_KEYS,
    create_dashboard,
    do_places_overlap,
    find_free_place,
)
from timeline_app.web.models import Dashboard, Plan, Stream
from timeline_app.web.models.terms import DashboardTerm
from timeline_app.web.plans.draft_services import save_plan
from timeline_app.web.plans.services import create_plan, delete_plan, run_plan, stop_plan

PIN: dict[str, Any] = {"type": "lane", "plan": 1, "node": "played", "place": [0, 0, 6, 4]}
CHART = {"id": "c1", **PIN}
EMPTY: dict[str, Any] = {"charts": [], "range": "5m", "key": "", "group": ""}


@pytest.fixture
def board(ada: User) -> Dashboard:
    return create_dashboard(user=ada, name="Mine")


def build_charts(*charts: dict[str, Any]) -> dict[str, Any]:
    return EMPTY | {"charts": list(charts)}


def test_a_dashboard_comes_back_as_it_was_sent(api: APIClient) -> None:
    answer = api.post("/api/dashboards/", {"name": "Mine", "document": build_charts(CHART)}, format="json")
    assert answer.status_code == 201, answer.content
    document = answer.json()
    assert (document["name"], document["owner"], document["version"], document["newest"]) == (
        "Mine",
        "ada",
        1,
        1,
    )
    assert document["document"]["charts"] == [CHART | {"key": None, "title": ""}]
    assert api.get(f"/api/dashboards/{document['id']}/").json() == document
    [listed] = api.get("/api/dashboards/?owner=me").json()["results"]
    assert (listed["id"], listed["charts"]) == (document["id"], 1)
    assert api.get("/api/dashboards/?owner=bob").json()["results"] == []


@pytest.mark.parametrize("name", CHART_TYPES)
def test_each_type_keeps_its_own_options_and_no_others(api: APIClient, name: str) -> None:
    options = {
        "unit": "s", "top": 5, "order": "least", "change": "1h", "sort": "held", "state": "failed",
        "low": 0.0, "high": 100.0, "sparkline": True, "count": "runs", "repeat": True,
        "text": "**Call** the operator",
        "alert": 1, "severity": "critical", "incident_state": "firing", "measure": "acknowledge",
    }  # fmt: skip
    sent = CHART | {"type": name} | options
    answer = api.post("/api/dashboards/", {"document": build_charts(sent)}, format="json")
    assert answer.status_code == 201, answer.content
    [stored] = answer.json()["document"]["charts"]
    own = CHART_TYPES[name].options
    assert {option: stored[option] for option in own} == {option: options[option] for option in own}
    assert not (options.keys() - set(own)) & stored.keys()


def test_every_option_is_a_field_and_every_type_has_its_words() -> None:
    fields = ChartSerializer().fields
    assert fields.keys() >= OPTIONS
    for item in CHART_TYPES.values():
        assert item.title
        assert item.meaning
        assert item.least[0] <= item.size[0] <= GRID_COLUMNS
        assert item.least[1] <= item.size[1]
        assert (item.most > 0) == ("top" in item.options)


def test_a_text_needs_no_node(api: APIClient) -> None:
    text = {"id": "c1", "type": "text", "text": "  # Words\n", "place": [0, 0, 4, 4]}
    answer = api.post("/api/dashboards/", {"document": build_charts(text)}, format="json").json()
    [kept] = answer["document"]["charts"]
    assert (kept["plan"], kept["node"], kept["text"]) == (0, "", "  # Words\n")
    assert list(DashboardTerm.objects.filter(thing=answer["id"])) == []


def test_several_keys_are_selected_for_charts_that_repeat(api: APIClient) -> None:
    document = build_charts(CHART | {"repeat": True}) | {
        "key": "a",
        "more_keys": ["b", "c"],
        "more_groups": [],
    }
    answer = api.post("/api/dashboards/", {"document": document}, format="json")
    assert answer.status_code == 201, answer.content
    stored = answer.json()["document"]
    assert stored["charts"][0]["repeat"] is True
    assert (stored["key"], stored["more_keys"], stored["more_groups"]) == ("a", ["b", "c"], [])


@pytest.mark.parametrize("name", ["more_keys", "more_groups"])
def test_no_more_keys_are_selected_than_a_chart_is_repeated_for(api: APIClient, name: str) -> None:
    most = [f"k{number}" for number in range(MAX_SELECTED_KEYS - 1)]
    for named, status in ((most, 201), ([*most, "one more"], 400)):
        document = EMPTY | {"key": "a", "group": "a", name: named}
        answer = api.post("/api/dashboards/", {"document": document}, format="json")
        assert answer.status_code == status, answer.content
    assert "At most 24" in answer.content.decode()


def test_without_anything_it_is_empty_and_has_a_name(api: APIClient) -> None:
    answer = api.post("/api/dashboards/", {}, format="json").json()
    assert (answer["name"], answer["document"]) == ("Untitled dashboard", EMPTY)


BAD_CHARTS = {
    "no id": {key: value for key, value in CHART.items() if key != "id"},
    "an unknown type": CHART | {"type": "pie"},
    "no plan": {key: value for key, value in CHART.items() if key != "plan"},
    "plan 0": CHART | {"plan": 0},
    "a plan that is no number": CHART | {"plan": "first"},
    "no node": CHART | {"node": ""},
    "outside of the grid": CHART | {"place": [8, 0, 6, 4]},
    "left of the grid": CHART | {"place": [-1, 0, 6, 4]},
    "of no width": CHART | {"place": [0, 0, 0, 4]},
    "half a place": CHART | {"place": [0, 0]},
    "a place of texts": CHART | {"place": ["a", "b", "c", "d"]},
    "far below": CHART | {"place": [0, 2000, 6, 4]},
    "top 0": CHART | {"top": 0},
    "top 1000": CHART | {"top": 1000},
    "another order": CHART | {"order": "best"},
    "a long key": CHART | {"key": "k" * 2000},
    "a list": [],
    "a gauge that ends where it begins": CHART | {"type": "gauge", "low": 5, "high": 5},
    "infinity as a bound": CHART | {"type": "gauge", "low": "inf"},
    "no words": {"id": "c1", "type": "text", "place": [0, 0, 6, 4]},
    "too many words": {"id": "c1", "type": "text", "text": "x" * 20_001, "place": [0, 0, 6, 4]},
    "another sort": CHART | {"type": "states", "sort": "best"},
}
BAD_DOCUMENTS: dict[str, Any] = {
    "nothing": None,
    "a text": "x",
    "charts that are no list": EMPTY | {"charts": {}},
    "two charts with one id": build_charts(CHART, CHART),
    "too many charts": build_charts(*(CHART | {"id": f"c{n}"} for n in range(MAX_CHARTS_PER_DASHBOARD + 1))),
    "an unknown range": EMPTY | {"range": "5 parsecs"},
    "a range of nothing": EMPTY | {"range": "0m"},
    "no charts": {"range": "5m"},
    **{f"a chart with {name}": build_charts(chart) for name, chart in BAD_CHARTS.items()},  # type: ignore[arg-type]
}


@pytest.mark.parametrize("name", ["1m", "36h", "30d", "today", "yesterday", "week"])
def test_a_range_is_a_length_or_days_of_the_calendar(api: APIClient, board: Dashboard, name: str) -> None:
    body = {"name": "Ranges", "document": EMPTY | {"range": name}, "version": 1}
    answer = api.put(f"/api/dashboards/{board.pk}/", body, format="json")
    assert answer.status_code == 200, answer.content
    assert answer.json()["document"]["range"] == name


@pytest.mark.parametrize("bad", BAD_DOCUMENTS.values(), ids=BAD_DOCUMENTS.keys())
def test_a_bad_document_is_refused_by_its_place(api: APIClient, board: Dashboard, bad: Any) -> None:
    body = {"document": bad}
    for answer in (
        api.post("/api/dashboards/", body, format="json"),
        api.put(f"/api/dashboards/{board.pk}/", {**body, "version": 1}, format="json"),
    ):
        assert answer.status_code == 400, answer.content
        document = answer.json()
        assert document["code"] == "invalid"
        assert all(problem["field"].startswith("document") for problem in document["problems"])
    board.refresh_from_db()
    assert (board.version, Dashboard.objects.count()) == (1, 1)


BAD_BODIES = {
    "not JSON": b"{",
    "an array": b"[]",
    "a text": b'"x"',
    "not UTF-8": b'{"name": "\xff"}',
    "a NUL character": b'{"name": "a\\u0000"}',
    "half a surrogate pair": b'{"name": "\\ud800"}',
    "a name that is an object": b'{"name": {}}',
    "a long name": json.dumps({"name": "x" * 201}).encode(),
    "infinity": b'{"x": 1e999}',
    "depth 100000": b'{"document": ' + b"[" * 100_000,
}


@pytest.mark.parametrize("body", BAD_BODIES.values(), ids=BAD_BODIES.keys())
def test_a_bad_body_is_refused_with_a_reason(api: APIClient, board: Dashboard, body: Any) -> None:
    for method, address in (
        ("POST", "/api/dashboards/"),
        ("PUT", f"/api/dashboards/{board.pk}/"),
        ("POST", f"/api/dashboards/{board.pk}/charts/"),
        ("POST", "/api/dashboards/sources/"),
    ):
        answer = api.generic(method, address, body, content_type="application/json")
        assert (answer.status_code, bool(answer.json()["message"])) == (400, True), answer.content


@pytest.mark.parametrize("chart", BAD_CHARTS.values(), ids=BAD_CHARTS.keys())
def test_a_bad_chart_is_not_pinned(api: APIClient, board: Dashboard, chart: Any) -> None:
    if chart == {key: value for key, value in CHART.items() if key != "id"}:
        chart = {}
    answer = api.post(f"/api/dashboards/{board.pk}/charts/", chart, format="json")
    assert (answer.status_code, answer.json()["code"] in ("invalid", "bad_json")) == (400, True)
    assert api.get(f"/api/dashboards/{board.pk}/").json()["document"]["charts"] == []


@pytest.mark.parametrize(
    "wanted",
    [None, {}, "x", [1], [{}], [{"plan": 1}], [{"node": "a"}], [{"plan": -1, "node": "a"}],
     [{"plan": 2**40, "node": "a"}], [{"plan": 1, "node": ["a"]}], [{"plan": 1, "node": "a"}] * 61],
)  # fmt: skip
def test_bad_sources_are_refused(api: APIClient, wanted: Any) -> None:
    answer = api.post("/api/dashboards/sources/", {"sources": wanted}, format="json")
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid")


def test_a_save_makes_a_version_and_old_ones_can_be_seen(api: APIClient, board: Dashboard) -> None:
    address = f"/api/dashboards/{board.pk}/"
    body = {"name": "Better", "document": build_charts(CHART), "version": 1}
    saved = api.put(address, body, format="json").json()
    assert (saved["name"], saved["version"], saved["newest"]) == ("Better", 2, 2)
    old = api.get(address, {"version": 1}).json()
    assert (old["name"], old["document"], old["version"], old["newest"]) == ("Mine", EMPTY, 1, 2)
    answer = api.get(f"{address}versions/").json()["results"]
    assert [(item["version"], item["name"], item["saved_by"]) for item in answer] == [
        (2, "Better", "ada"),
        (1, "Mine", "ada"),
    ]


@pytest.mark.parametrize("version", ["0", "x", "-1", "1.5", "9" * 30])
def test_an_absurd_version_is_refused(api: APIClient, board: Dashboard, version: str) -> None:
    assert api.get(f"/api/dashboards/{board.pk}/", {"version": version}).status_code == 400


def test_a_version_that_never_was(api: APIClient, board: Dashboard) -> None:
    answer = api.get(f"/api/dashboards/{board.pk}/", {"version": 7})
    assert (answer.status_code, answer.json()["code"]) == (404, "unknown_version")


def test_a_save_on_an_old_version_is_refused(api: APIClient, board: Dashboard) -> None:
    body = {"document": EMPTY, "version": 1}
    assert api.put(f"/api/dashboards/{board.pk}/", body, format="json").status_code == 200
    answer = api.put(f"/api/dashboards/{board.pk}/", body, format="json")
    assert (answer.status_code, answer.json()["code"]) == (409, "conflict")
    assert "version 2" in answer.json()["message"]


def test_others_look_but_do_not_touch(api: APIClient, bobs: APIClient, board: Dashboard) -> None:
    address = f"/api/dashboards/{board.pk}/"
    assert bobs.get(address).json() == api.get(address).json() | {"rights": ["read"]}
    for answer in (
        bobs.put(address, {"document": EMPTY, "version": 1}, format="json"),
        bobs.post(f"{address}charts/", PIN, format="json"),
        bobs.delete(address),
    ):
        assert (answer.status_code, answer.json()["code"]) == (403, "not_yours")
        assert "ada" in answer.json()["message"]


def test_staff_may_do_all_of_it(roots: APIClient, board: Dashboard) -> None:
    address = f"/api/dashboards/{board.pk}/"
    assert roots.put(address, {"document": EMPTY, "version": 1}, format="json").status_code == 200
    assert roots.post(f"{address}charts/", PIN, format="json").status_code == 201
    assert roots.delete(address).status_code == 204
    assert roots.get(address).json()["code"] == "unknown_dashboard"


@pytest.mark.parametrize("number", ["0", "999", str(2**63), "9" * 30])
def test_a_dashboard_that_is_not_there(api: APIClient, number: str) -> None:
    address = f"/api/dashboards/{number}/"
    for answer in (
        api.get(address),
        api.put(address, {"document": EMPTY, "version": 1}, format="json"),
        api.delete(address),
        api.post(f"{address}charts/", PIN, format="json"),
        api.get(f"{address}versions/"),
    ):
        assert (answer.status_code, answer.json()["code"]) == (404, "unknown_dashboard")


def test_pinned_charts_find_free_places_and_ids(api: APIClient, board: Dashboard) -> None:
    for wide in (6, 6, 8, 4, 12):
        body = PIN | {"place": [0, 9, wide, 4]}
        answer = api.post(f"/api/dashboards/{board.pk}/charts/", body, format="json").json()
    charts = answer["document"]["charts"]
    assert [chart["id"] for chart in charts] == ["c1", "c2", "c3", "c4", "c5"]
    places = [chart["place"] for chart in charts]
    assert places == [[0, 0, 6, 4], [6, 0, 6, 4], [0, 4, 8, 4], [8, 4, 4, 4], [0, 8, 12, 4]]
    assert answer["version"] == 6


def test_a_pinned_chart_never_covers_another() -> None:
    charts = [{"place": [0, 0, 12, 2]}, {"place": [0, 2, 4, 6]}, {"place": [4, 2, 8, 3]}]
    place = find_free_place(charts, [0, 0, 6, 4])
    assert not any(do_places_overlap(place, chart["place"]) for chart in charts)
    assert place[0] + place[2] <= GRID_COLUMNS


def test_a_full_dashboard_says_so(api: APIClient, board: Dashboard) -> None:
    board.document = build_charts(*(CHART | {"id": f"c{n}"} for n in range(MAX_CHARTS_PER_DASHBOARD)))
    board.save()
    answer = api.post(f"/api/dashboards/{board.pk}/charts/", PIN, format="json")
    assert (answer.status_code, answer.json()["code"]) == (400, "too_many")


def test_a_list_costs_the_same_however_long(
    api: APIClient, ada: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(4):
        create_dashboard(user=ada, name=f"Board {number}")
    with django_assert_num_queries(6):
        assert len(api.get("/api/dashboards/").json()["results"]) == 4


def get_source(plan: Plan, node: str, digest: str | None = None) -> dict[str, Any]:
    [document] = resolve_chart_sources([{"plan": plan.pk, "node": node, "digest": digest}], find_owner(plan))
    return document


def test_a_source_is_the_digest_that_runs_now(ada: User, plan: Plan) -> None:
    assert get_source(plan, "played")["state"] == "stopped"
    run_plan(plan=plan, user=ada, placement="isolated")
    answer = get_source(plan, "played")
    assert (answer["state"], answer["kind"], answer["operator"]) == ("running", "bool", "has_existed")
    assert (answer["observed"], answer["plan_name"]) == ("starting", "A plan")
    first = answer["digest"]
    other = build_document(played=has_existed('player_state == "pause"'), never=build_negation("played"))
    plan = save_plan(plan=plan, user=ada, version=1, name=None, document=other)
    run_plan(plan=plan, user=ada, placement="isolated")
    assert get_source(plan, "played", first)["digest"] not in (None, first)


def test_a_renamed_source_goes_on_and_why_another_does_not_run_is_told(ada: User, plan: Plan) -> None:
    run_plan(plan=plan, user=ada, placement="isolated")
    digest = get_source(plan, "played")["digest"]
    assert get_source(plan, "nobody")["state"] == "gone"
    renamed = build_document(
        begun=has_existed(), never=build_negation("begun"), more=has_existed('cdn == "CDN1"')
    )
    plan = save_plan(plan=plan, user=ada, version=1, name=None, document=renamed)
    assert get_source(plan, "played", digest)["state"] == "running", "what runs is not touched by a save"
    assert get_source(plan, "more")["state"] == "not_run"
    run_plan(plan=plan, user=ada, placement="isolated")
    answer = get_source(plan, "played", digest)
    assert (answer["state"], answer["now"], answer["digest"]) == ("running", "begun", digest)
    assert get_source(plan, "begun", digest)["now"] is None
    assert (get_source(plan, "played")["state"], get_source(plan, "played")["now"]) == ("running", "begun")
    stop_plan(plan=plan, user=ada)
    answer = get_source(plan, "played", digest)
    assert (answer["state"], answer["now"]) == ("stopped", "begun")
    answer = get_source(plan, "begun", digest)
    assert (answer["state"], answer["digest"], answer["kind"]) == ("stopped", digest, "bool")
    assert get_source(plan, "begun")["digest"] == digest, "as it is drawn, where nobody noted what ran"
    delete_plan(plan=plan, user=ada)
    gone = resolve_chart_sources([{"plan": 1, "node": "begun", "digest": "nonsense"}], ada)[0]
    assert (gone["state"], gone["plan_name"], gone["digest"]) == ("deleted", None, None)


def test_a_source_that_was_renamed_and_then_changed_is_the_same_one(ada: User, plan: Plan) -> None:
    """Nobody saved the dashboard in between: neither its name nor what it computes is what the chart knows."""
    run_plan(plan=plan, user=ada, placement="isolated")
    digest = get_source(plan, "played")["digest"]

    def save_and_run(run: bool = True, **nodes: dict[str, Any]) -> None:
        drawn = Plan.objects.get(pk=plan.pk)
        drawn = save_plan(
            plan=drawn, user=ada, version=drawn.version, name=None, document=build_document(**nodes)
        )
        if run:
            run_plan(plan=drawn, user=ada, placement="isolated")

    def get_state(name: str = "played") -> tuple[str, str | None]:
        answer = get_source(Plan.objects.get(pk=plan.pk), name, digest)
        return answer["state"], answer["now"]

    save_and_run(begun=has_existed(), never=build_negation("begun"))
    save_and_run(begun=has_existed('cdn == "CDN1"'), never=build_negation("begun"))
    assert get_state() == ("running", "begun")
    save_and_run(run=False, started=has_existed('cdn == "CDN1"'), never=build_negation("started"))
    assert get_state() == ("running", "begun"), "what runs is not touched by a save"
    plan.drafts.all().delete()
    assert get_state() == ("running", "begun"), "the versions tell it as well"
    stop_plan(plan=Plan.objects.get(pk=plan.pk), user=ada)
    assert get_state() == ("stopped", "started")
    save_and_run(run=False, other=build_negation("never"), never=has_existed('cdn == "CDN2"'))
    assert get_state() == ("gone", None), "it was taken away"
    assert get_state("nobody") == ("gone", None)


def test_sources_are_told_in_order_and_at_a_constant_cost(
    api: APIClient, ada: User, plan: Plan, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    run_plan(plan=plan, user=ada, placement="isolated")
    sources = [{"plan": plan.pk, "node": node, "digest": None} for node in ("never", "played", "x") * 20]
    with django_assert_num_queries(7):
        answer = api.post("/api/dashboards/sources/", {"sources": sources}, format="json").json()["sources"]
    assert [item["node"] for item in answer] == [request["node"] for request in sources]
    assert [item["state"] for item in answer[:3]] == ["running", "running", "gone"]


def test_the_demo_has_a_dashboard_of_what_runs(roots: APIClient) -> None:
    call_command("demo")
    [listed] = roots.get("/api/dashboards/").json()["results"]
    assert (listed["name"], listed["owner"]) == ("Connection-induced rebuffering by CDN", "demo")
    document = roots.get(f"/api/dashboards/{listed['id']}/").json()
    charts = document["document"]["charts"]
    assert {chart["type"] for chart in charts} == {"lane", "line", "stack", "number", "table", "states"}
    pinned = [{name: chart[name] for name in ("plan", "node", "digest")} for chart in charts]
    answer = roots.post("/api/dashboards/sources/", {"sources": pinned}, format="json").json()
    assert {source["state"] for source in answer["sources"]} == {"running"}
    places = [chart["place"] for chart in charts]
    assert not any(do_places_overlap(item, other) for i, item in enumerate(places) for other in places[:i])
    body = {"document": document["document"], "version": 1}
    assert roots.put(f"/api/dashboards/{listed['id']}/", body, format="json").status_code == 200
    call_command("demo")
    assert Dashboard.objects.count() == 1


def test_a_source_knows_whether_its_keys_are_groups(ada: User, player: Stream) -> None:
    state = {"op": "latest_event_to_state", "stream": "player", "params": {"field": "cdn"}}
    share = {"op": "aggregate", "inputs": {"of": "played", "by": "cdn"}, "params": {"function": "avg"}}
    above = {"op": "greater_than", "inputs": {"of": "share"}, "params": {"value": 0.5}}
    drawn = build_document(played=has_existed(), cdn=state, share=share, above=above)
    plan = create_plan(user=ada, name="By CDN", document=drawn)
    assert [get_source(plan, name)["grouped"] for name in ("played", "cdn", "share", "above")] == [
        False, False, True, True,
    ]  # fmt: skip
    run_plan(plan=plan, user=ada, placement="isolated")
    digest = get_source(plan, "share")["digest"]
    assert get_source(plan, "above")["grouped"]
    delete_plan(plan=plan, user=ada)
    assert get_source(plan, "share", digest)["grouped"], "its operator tells it where no plan does"


@pytest.mark.parametrize(
    ("link", "kept"),
    [
        ({"to": "dashboard", "dashboard": 7}, {"to": "dashboard", "title": "", "dashboard": 7}),
        ({"to": "lanes", "title": "More", "dashboard": 7}, {"to": "lanes", "title": "More"}),
        (
            {"to": "address", "address": "https://wiki.example/{key}?from={from}"},
            {"to": "address", "title": "", "address": "https://wiki.example/{key}?from={from}"},
        ),
        (None, None),
    ],
)
def test_a_chart_leads_elsewhere(api: APIClient, link: Any, kept: Any) -> None:
    body = {"document": build_charts(CHART | {"link": link})}
    answer = api.post("/api/dashboards/", body, format="json")
    assert answer.status_code == 201, answer.content
    assert answer.json()["document"]["charts"][0]["link"] == kept


@pytest.mark.parametrize(
    ("link", "words"),
    [
        ({"to": "dashboard"}, "Give the number of a dashboard."),
        ({"to": "address", "address": "http://wiki.example/"}, "Begin it with https://."),
        ({"to": "address", "address": "javascript:alert(1)"}, "Begin it with https://."),
        ({"to": "address", "address": "https://[wiki/"}, "Begin it with https://."),
        ({"to": "address", "address": "https://{key}.example/"}, "The host of an address is fixed."),
        ({"to": "address", "address": "https://ada@wiki.example/"}, "The host of an address is fixed."),
        ({"to": "address", "address": "https://wiki.example/{kye}"}, "{kye} is no placeholder of a link."),
        ({"to": "page"}, "page"),
    ],
)
def test_a_link_that_leads_nowhere_is_refused(api: APIClient, link: dict[str, Any], words: str) -> None:
    body = {"document": build_charts(CHART | {"link": link})}
    answer = api.post("/api/dashboards/", body, format="json")
    assert answer.status_code == 400
    assert words in answer.json()["message"] + str(answer.json()["problems"])


def test_a_text_has_no_lanes_to_lead_to(api: APIClient) -> None:
    text = {"id": "t1", "type": "text", "text": "words", "place": [0, 0, 4, 4], "link": {"to": "lanes"}}
    answer = api.post("/api/dashboards/", {"document": build_charts(text)}, format="json")
    assert answer.status_code == 400
    assert "has no lanes" in str(answer.json())
