"""A team that owns one of each, and everybody who might want something of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import Group, User
from django.test import override_settings
from django.utils import timezone

from tests.web.conftest import build_document, build_negation, has_existed
from tests.web.giving import share_exactly
from tests.web.log import T, revise
from timeline_app.algebra.kinds import OPEN
from timeline_app.demos.player import STREAM
from timeline_app.evaluate.backtest.incident_matching import Matching
from timeline_app.web.alerts.channel_services import create_channel
from timeline_app.web.alerts.services import create_alert
from timeline_app.web.alerts.silence_services import create_silence
from timeline_app.web.alerts.transitions import Transitions
from timeline_app.web.core.permissions import Right
from timeline_app.web.core.sharing import transfer
from timeline_app.web.dashboards.public_links import create_link
from timeline_app.web.dashboards.services import create_dashboard
from timeline_app.web.models import Dashboard, Node, Plan, Stream
from timeline_app.web.models.alerts import Alert, Incident
from timeline_app.web.models.channels import AlertChannel, Silence
from timeline_app.web.models.people import Role
from timeline_app.web.models.samples import PlanTest, Sample
from timeline_app.web.people.token_services import create_token
from timeline_app.web.plans.services import create_plan, run_plan
from timeline_app.web.samples.services import keep_sample
from timeline_app.web.samples.test_services import create_plan_test
from timeline_app.web.sinks.services import add_sink
from timeline_app.web.streams.services import create_stream
from timeline_app.web.workspace.trash import delete_stream

PEOPLE = ("nobody", "viewer", "stranger", "reader", "changer", "runner", "member", "operator", "admin")
"""Nobody; who only looks; who edits something else; with a share to read, to edit, to operate; of the team; …"""
SECRET = "hushhush"
"""What every name has in it that a stranger must not learn."""
SHARES = {"reader": Right.READ, "changer": Right.EDIT, "runner": Right.OPERATE}
EVENT = {"session_id": "s1", "t": T // 1000, "event_id": "e1", "player_state": "play"}


@dataclass
class World:
    """The things, and the persons by their names."""

    people: dict[str, User]
    stream: Stream
    plan: Plan
    board: Dashboard
    sample: Sample
    spare: Sample
    test: PlanTest
    node: Node
    token: int
    sink: int
    trash: int
    alert: Alert
    incident: Incident
    channel: AlertChannel
    silence: Silence
    link: int
    link_text: str

    def open(self, is_open: bool) -> None:
        """Let everybody look at everything, or only those with whom it is shared."""
        for item in (self.stream, self.plan, self.board, self.sample):
            type(item)._default_manager.filter(pk=item.pk).update(open_to_all=is_open)

    def place(self) -> dict[str, str]:
        """What stands in addresses for the parts that vary."""
        return {
            "plan": str(self.plan.pk),
            "stream": self.stream.name,
            "board": str(self.board.pk),
            "sample": str(self.sample.pk),
            "test": str(self.test.pk),
            "node": self.node.digest,
            "token": str(self.token),
            "sink": str(self.sink),
            "trash": str(self.trash),
            "alert": str(self.alert.pk),
            "incident": str(self.incident.pk),
            "channel": str(self.channel.pk),
            "silence": str(self.silence.pk),
            "link": str(self.link),
            "version": "1",
            "person": "stranger",
            "team": "others",
            "user": str(self.people["stranger"].pk),
        }


def create_people() -> dict[str, User]:
    """Everybody, each with the role that the name says, or an editor."""
    roles = {"viewer": Role.VIEWER}
    flags: dict[str, dict[str, Any]] = {
        "operator": {"is_staff": True},
        "admin": {"is_staff": True, "is_superuser": True},
    }
    result = {}
    for name in PEOPLE[1:]:
        user = User.objects.create_user(name, **flags.get(name, {}))
        if name in roles:
            user.member.role = roles[name]
            user.member.save()
        result[name] = user
    return result


def create_world() -> World:
    """Made by a member, given to the team, shared with three."""
    result = create_people()
    member = result["member"]
    crew, _ = Group.objects.create(name="crew"), Group.objects.create(name="others")
    member.groups.add(crew)
    stream = create_stream(user=member, name=f"{SECRET}stream", document=STREAM)
    drawn = {
        name: item | {"stream": stream.name} if "stream" in item else item
        for name, item in build_nodes().items()
    }
    plan = create_plan(
        user=member, name=f"{SECRET}plan", document=build_document(**drawn) | {"name": f"{SECRET}plan"}
    )
    plan = run_plan(plan=plan, user=member, placement="isolated")
    board = create_dashboard(user=member, name=f"{SECRET}board")
    sample = keep_sample(user=member, name=f"{SECRET}sample", events={})
    spare = keep_sample(user=member, name="nothing", events={})
    test = create_plan_test(plan=plan, user=member, sample=sample, name=f"{SECRET}test", expected=[])
    node = Node.objects.get(operator="has_existed")
    sink = add_sink(node=node, user=member, kind="parquet", delivers="revisions", options={"folder": "there"})
    trashed = create_stream(user=member, name=f"{SECRET}gone", document=STREAM)
    alert = create_alert(user=member, plan=plan, node=f"{SECRET}played", settings={"name": f"{SECRET}alert"})
    channel = create_channel(
        user=member, name=f"{SECRET}channel", kind="mail", options={"to": f"{SECRET}@example.org"}
    )
    silence = create_silence(
        user=member,
        alert=alert,
        settings={"reason": f"{SECRET}reason", "ends_at": timezone.now() + timedelta(days=1)},
    )
    things = [trashed, stream, plan, board, sample, *Node.objects.all(), sink, alert, channel, silence]
    transfer(things=things, user=member, to=crew)
    trash = delete_stream(stream=trashed, user=member).pk
    for thing in (stream, plan, board):
        for name, right in SHARES.items():
            if not (thing is board and right == Right.OPERATE):
                share_exactly(thing=thing, user=result["admin"], holder=result[name], rights=[right])
    share_exactly(thing=board, user=result["admin"], holder=result["runner"], rights=[Right.READ])
    create_plan(user=result["stranger"], name="another", document={"version": 1, "nodes": {}})
    revise(Node.objects.get(pk=node.pk), "s1", [[None, False], [T, True]])
    token = create_token(user=result["member"], name="mine", scopes=["read"])[0].pk
    for item in (stream, plan, board, sample, alert):
        item.refresh_from_db()
    incident = make_incident(alert, node.digest)
    with override_settings(PUBLIC_LINKS=True):
        link, text = create_link(dashboard=board, user=member, name=f"{SECRET}wall")
    node = Node.objects.get(pk=node.pk)
    return World(
        result, stream, plan, board, sample, spare, test, node, token, sink.pk, trash, alert, incident,
        channel, silence, link.pk, text,
    )  # fmt: skip


def make_incident(alert: Alert, digest: str, key: str = f"{SECRET}key") -> Incident:
    """Make a firing incident, as the publisher does."""
    transitions = Transitions(alert, digest, event_time=T + 1, known_at=T + 2)
    transitions.match(key, Matching((), [(T, OPEN)], ()))
    return transitions.write()[0].incident


def build_nodes() -> dict[str, Any]:
    """What the plan computes."""
    return {f"{SECRET}played": has_existed(), f"{SECRET}never": build_negation(f"{SECRET}played")}
