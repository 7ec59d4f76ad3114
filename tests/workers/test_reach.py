"""Whoever is no administrator any more: the open connections of their sources and sinks end, and are made anew."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User

from tests.web.conftest import log_in_client
from tests.web.log import make_node
from timeline_app.demos.player import STREAM
from timeline_app.web.core.sharing import delete_person, set_role
from timeline_app.web.models.people import Role
from timeline_app.web.people.services import set_active
from timeline_app.web.streams.services import create_stream
from workers.connectors import delivery, intake, runner

pytestmark = pytest.mark.django_db


@pytest.fixture
def list_served(monkeypatch: pytest.MonkeyPatch) -> Any:
    """What the intake and the delivery want to serve, each time that they look."""
    collected: list[set[Any]] = []
    monkeypatch.setattr(
        runner, "reconcile_threads", lambda _running, item, _made: collected.append(set(item))
    )

    def get_served() -> list[set[Any]]:
        collected.clear()
        intake.reconcile({})
        delivery.reconcile({})
        return list(collected)

    return get_served


@pytest.mark.parametrize(("loss", "served"), [("role", [1, 0]), ("login", [1, 0]), ("account", [1, 1])])
def test_with_the_role_what_it_reached_is_opened_anew(list_served: Any, loss: str, served: list[int]) -> None:
    """A sink of a person who may not see its node any more is paused; the source of a stream goes on."""
    root = User.objects.create_superuser("root", password="all the engines")
    ada = User.objects.create_superuser("ada", password="difference engine")
    create_stream(user=root, name="player", document=STREAM)
    node, api = make_node(root), log_in_client(ada)
    source = {"kind": "http", "options": {"url": "http://10.0.0.7/x"}}
    assert api.put("/api/streams/player/source/", source, format="json").status_code == 200
    options = {"url": "http://10.0.0.7/x", "secret": "a secret of the tests"}
    sink = {"kind": "webhook", "options": options, "delivers": "revisions"}
    assert api.post(f"/api/nodes/{node.digest}/sinks/", sink, format="json").status_code == 201
    before = list_served()
    assert before == list_served(), "nothing is opened anew for nothing"
    assert [len(item) for item in before] == [1, 1]
    if loss == "role":
        set_role(person=ada, user=root, role=Role.EDITOR)
    elif loss == "login":
        set_active(person=ada, user=root, active=False)
    else:
        delete_person(person=ada, user=root, to=root)
    after = list_served()
    assert [len(item) for item in after] == served
    assert all(not was & now for was, now in zip(before, after, strict=True))
