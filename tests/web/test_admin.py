"""Admin pages: for staff; what the system writes is only looked at, and a few actions work."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from rest_framework.test import APIClient

from tests.web.conftest import find_owner, log_in_client
from tests.web.log import T, make_node, revise
from timeline_app.web.dashboards.services import create_dashboard
from timeline_app.web.models import Dashboard, Node, Plan, PlanNode, Query, Revision, Stream
from timeline_app.web.models.alerts import Alert
from timeline_app.web.models.channels import AlertChannel, Silence
from timeline_app.web.models.samples import Sample
from timeline_app.web.plans.services import run_plan
from timeline_app.web.samples.services import keep_sample

MODELS = (
    "alert",
    "alertchannel",
    "silence",
    "dashboard",
    "node",
    "query",
    "plan",
    "sample",
    "stream",
    "revision",
)


@pytest.fixture
def running_plan(ada: User, plan: Plan) -> Plan:
    run_plan(plan=plan, user=ada, placement="isolated")
    Node.objects.update(final_until=T)
    return plan


def make_alert(plan: Plan) -> Alert:
    """An alert on a plan, with a channel and a silence of the same owner."""
    owner = find_owner(plan)
    secret = {"url": "https://example.org/hidden-path"}
    AlertChannel.objects.create(
        name="On call", owner=owner, kind="webhook", options=secret, observed="retrying"
    )
    now = timezone.now()
    alert = Alert.objects.create(name="Too hot", owner=owner, plan=plan, node_name="hot")
    Silence.objects.create(
        owner=owner, alert=alert, reason="repair", begins_at=now, ends_at=now + timedelta(1)
    )
    return alert


def post_action(client: APIClient, model: str, action: str, chosen: list[int], **more: Any) -> Any:
    form = {"action": action, "_selected_action": chosen, "apply": "1", **more}
    return client.post(f"/admin/web/{model}/", form, follow=True)


@pytest.fixture
def looker(db: None) -> APIClient:
    """Staff who may look at everything, and operate it."""
    return log_in_client(User.objects.create_user("looker", is_staff=True))


@pytest.mark.parametrize("model", MODELS)
def test_lists_are_shown_searched_and_sorted(
    roots: APIClient, ada: User, running_plan: Plan, model: str
) -> None:
    revise(make_node(ada), "s1", [[None, True]])
    for query in ("", "?q=a", "?q=%00x", "?q=" + "x" * 2000, "?o=1.2.3", "?p=99", "?nonsense=1"):
        answer = roots.get(f"/admin/web/{model}/{query}")
        assert answer.status_code in (200, 302), query


@pytest.mark.parametrize("model", MODELS)
def test_one_of_each_is_shown_and_not_changed_by_hand(
    roots: APIClient, ada: User, running_plan: Plan, model: str
) -> None:
    revise(make_node(ada), "s1", [[None, True]])
    create_dashboard(user=ada, name="Mine")
    keep_sample(user=ada, name="Mine", events={})
    make_alert(running_plan)
    kinds: dict[str, Any] = {
        "node": Node,
        "query": Query,
        "plan": Plan,
        "stream": Stream,
        "revision": Revision,
        "dashboard": Dashboard,
        "sample": Sample,
        "alert": Alert,
        "alertchannel": AlertChannel,
        "silence": Silence,
    }
    address = f"/admin/web/{model}/{kinds[model].objects.first().pk}/change/"
    assert roots.get(address).status_code == 200
    assert roots.post(address, {"name": "x"}).status_code == 403
    assert roots.post(address.replace("change", "delete"), {"post": "yes"}).status_code == 403
    assert roots.get(f"/admin/web/{model}/add/").status_code == 403


def test_channels_do_not_show_where_they_send(roots: APIClient, running_plan: Plan) -> None:
    make_alert(running_plan)
    channel = AlertChannel.objects.get()
    for address in ("", f"{channel.pk}/change/"):
        page = roots.get(f"/admin/web/alertchannel/{address}").content.decode()
        assert "On call" in page
        assert "hidden-path" not in page


def test_silences_are_ended(roots: APIClient, running_plan: Plan) -> None:
    make_alert(running_plan)
    silence = Silence.objects.get()
    assert "1 silence ended." in post_action(roots, "silence", "end", [silence.pk]).content.decode()
    silence.refresh_from_db()
    assert silence.ends_at <= timezone.now()


def test_the_list_of_nodes_says_what_matters(roots: APIClient, running_plan: Plan) -> None:
    fields = {"words": "retry 3 of 20 in 8 s", "observed": "retrying", "looked_at": timezone.now()}
    Query.objects.update(**fields, error="out of memory", spark_query_id="9a1f")
    page = roots.get("/admin/web/node/").content.decode()
    for words in (
        "has_existed",
        "ada",
        "retry 3 of 20 in 8 s",
        "out of memory",
        "9a1f",
        "A plan</a> of ada as played",
        "2024-07-01 08:00:00",
    ):
        assert words in page


@pytest.mark.parametrize(
    "query", ["owner__id__exact=1", "query__observed=failed", "operator=not", "kind__exact=bool"]
)
def test_nodes_are_filtered(roots: APIClient, running_plan: Plan, query: str) -> None:
    assert roots.get(f"/admin/web/node/?{query}").status_code == 200


def test_restart_gives_the_budget_back_and_tries_now(roots: APIClient, running_plan: Plan) -> None:
    Query.objects.update(observed="failed", restarts=20)
    node = Node.objects.select_related("query").first()
    assert node
    answer = post_action(roots, "node", "restart", [node.pk])
    assert "tried again" in answer.content.decode()
    node.query.refresh_from_db()
    assert node.query.restarts == 0
    assert node.query.retry_at is not None
    assert node.query.retry_at <= timezone.now()
    assert Query.objects.filter(restarts=20).count() == 1


@pytest.mark.parametrize(
    ("model", "kind"),
    [
        ("node", Node),
        ("plan", Plan),
        ("stream", Stream),
        ("dashboard", Dashboard),
        ("sample", Sample),
        ("alert", Alert),
        ("alertchannel", AlertChannel),
        ("silence", Silence),
    ],
)
def test_ownership_is_transferred_after_asking_to_whom(
    roots: APIClient, bob: User, running_plan: Plan, model: str, kind: Any
) -> None:
    create_dashboard(user=find_owner(running_plan), name=None)
    keep_sample(user=find_owner(running_plan), name="Mine", events={})
    make_alert(running_plan)
    chosen = list(kind.objects.values_list("pk", flat=True))
    body = {"action": "transfer", "_selected_action": chosen}
    page = roots.post(f"/admin/web/{model}/", body).content.decode()
    assert "New owner" in page
    assert "ada" in page
    if model == "node":
        assert f" in “{running_plan.name}”" in page, "told by its name in a plan"
    assert kind.objects.filter(owner=bob).count() == 0
    post_action(roots, model, "transfer", chosen, to=str(bob.pk))
    assert kind.objects.filter(owner=bob).count() == len(chosen)


@pytest.mark.parametrize(
    "to", ["", "x", "0", "-1", "99999999999999999999", "\0", "1; drop", "None", "1.5", "[1]"]
)
def test_a_transfer_to_nobody_asks_again(roots: APIClient, running_plan: Plan, to: str) -> None:
    answer = post_action(roots, "plan", "transfer", [running_plan.pk], to=to)
    assert answer.status_code == 200
    assert "New owner" in answer.content.decode()
    assert "transferred to" not in answer.content.decode()
    running_plan.refresh_from_db()
    assert running_plan.owner_name == "ada"


def test_plans_are_stopped_and_removed(roots: APIClient, running_plan: Plan) -> None:
    post_action(roots, "plan", "stop", [running_plan.pk])
    assert set(Query.objects.values_list("desired", flat=True)) == {"stopped"}
    post_action(roots, "plan", "remove", [running_plan.pk])
    assert (Plan.objects.count(), PlanNode.objects.count()) == (0, 0)


def test_operators_stop_what_runs_and_give_nothing_away(
    looker: APIClient, bob: User, running_plan: Plan
) -> None:
    for model in MODELS:
        page = looker.get(f"/admin/web/{model}/")
        assert page.status_code == 200
        assert 'value="transfer"' not in page.content.decode()
    post_action(looker, "plan", "transfer", [running_plan.pk], to=str(bob.pk))
    running_plan.refresh_from_db()
    assert running_plan.owner_name == "ada"
    post_action(looker, "plan", "stop", [running_plan.pk])
    running_plan.refresh_from_db()
    assert not running_plan.running


@pytest.mark.parametrize("address", ["/admin/", "/admin/web/node/", "/admin/auth/user/", "/admin/login/"])
def test_who_is_no_staff_is_told_so(api: APIClient, address: str) -> None:
    answer = api.get(address, follow=True)
    assert answer.status_code == 403
    assert "may not open this page" in answer.content.decode()
