"""A disk that fills up: a warning, then no new nodes, then no events; with room again all is accepted again."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from pytest_django.fixtures import Settings
from rest_framework.test import APIClient

from tests.web.conftest import build_document, has_existed
from timeline_app.web.models import Node, Plan, Stream
from timeline_app.web.ops import probes
from timeline_app.web.ops.probes import Degraded
from timeline_app.web.plans.drafts import set_document_name

MIB = 2**20


class Disk:
    """The free space that is found, in reserves."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, settings: Settings) -> None:
        settings.DISK_RESERVE_BYTES = 100 * MIB
        self.reserves = 10.0
        monkeypatch.setattr(
            "shutil.disk_usage", lambda _: SimpleNamespace(free=int(self.reserves * 100 * MIB))
        )


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> Disk:
    return Disk(monkeypatch, settings)


def run(api: APIClient, plan: Plan) -> tuple[int, str]:
    answer = api.post(f"/api/plans/{plan.pk}/run/", {}, format="json")
    return answer.status_code, answer.json().get("code", "")


def push_event(api: APIClient) -> int:
    body = b'{"session_id": "a", "t": 1719820800000}'
    return api.post("/api/streams/player/events/", body, content_type="application/x-ndjson").status_code


def test_the_less_room_the_less_is_accepted(api: APIClient, plan: Plan, player: Stream, disk: Disk) -> None:
    for reserves, warned, started, taken in (
        (10, False, True, True), (3.9, True, True, True), (1.9, True, False, True), (0.9, True, False, False),
        (10, False, True, True),
    ):  # fmt: skip
        disk.reserves = reserves
        Node.objects.all().delete()
        if warned:
            with pytest.raises(Degraded, match="MiB are left; below 200 MiB no new nodes"):
                probes.probe_disk()
        else:
            assert probes.probe_disk() == "1,000 MiB are free"
        assert (run(api, plan)[0] == 200) is started
        assert (push_event(api) == 202) is taken


def test_what_needs_no_new_node_is_run_on_a_disk_with_little_room(
    api: APIClient, plan: Plan, disk: Disk
) -> None:
    assert run(api, plan)[0] == 200
    disk.reserves = 1.5
    assert run(api, plan)[0] == 200
    nodes = Node.objects.count()
    Plan.objects.filter(pk=plan.pk).update(
        document=set_document_name("A plan", build_document(new=has_existed('cdn == "new"')))
    )
    assert run(api, plan) == (507, "disk_full")
    assert Node.objects.count() == nodes
    disk.reserves = 2.5
    assert run(api, plan)[0] == 200
