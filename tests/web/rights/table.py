"""The table: every address and method, who may, and which scope a token needs for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.utils import timezone

from tests.web.log import T
from tests.web.rights.world import EVENT, SECRET, World
from timeline_app.demos.player import STREAM

Body = Callable[[World], Any]


@dataclass(frozen=True)
class Rule:
    """What each person is told, in the order of `PEOPLE`: of what is shared with some, and of what is open to all.

    `.` it is done, `u` log in (401), `l` log in (the login page), `3` you may not (403), `4` there is none (404),
    `9` it is in use (409).
    """

    closed: str
    open: str


def ignore_open(letters: str) -> Rule:
    """Whether it is open does not matter."""
    return Rule(letters, letters)


# nobody, viewer, stranger, reader, changer, runner, member, operator, admin
LOOK = Rule("u44......", "u........")
EDIT = Rule("u443.3.3.", "u333.3.3.")
RUN = Rule("u4433....", "u3333....")
STOP_NODE = Rule("u44339...", "u33339...")
OWN = Rule("u44333.3.", "u33333.3.")
SAMPLE = Rule("u44444...", "u........")
OWN_SAMPLE = Rule("u44444.3.", "u33333.3.")
CHANNEL = ignore_open("u44444...")
OWN_CHANNEL = ignore_open("u44444.3.")
ON_PLAN = Rule("u44......", "u3.......")
ANYBODY = ignore_open("u........")
ADMINS = ignore_open("u3333333.")
MAKE = ignore_open("u3.......")
OWN_TOKEN = ignore_open("u44444.44")
OWN_TRASH = ignore_open("u44444.4.")
FIGURES = ignore_open("u333333..")
PAGE = ignore_open("l........")
ADMIN_LOOK = ignore_open("l333333..")
ADMIN_ONLY = ignore_open("l3333333.")
ADMIN_NEVER = ignore_open("l33333333")
OPEN = ignore_open(".........")
LINK = ignore_open("uuuuuuuuu")
"""Neither a session nor a token opens it, only a public link."""


@dataclass(frozen=True)
class Call:
    """One method of one address: the rule, the scope, and a body with which it succeeds."""

    rule: Rule
    scopes: str = "read"
    body: Body | None = None
    query: str = ""
    more: tuple[int, ...] = field(default=())
    """Answers beside 2xx that come only after the door, such as 409 of what is in use."""
    kind: str = "application/json"

    @property
    def addresses_nothing(self) -> bool:
        """Whether what is asked for is not in the address: then no answer may tell the secret."""
        return self.rule in (ANYBODY, MAKE)


def build_plan_body(w: World) -> dict[str, Any]:
    return {"document": w.plan.document}


def build_draft_body(w: World) -> dict[str, Any]:
    return {"document": w.plan.document, "version": w.plan.version}


def build_text_body(w: World) -> dict[str, Any]:
    return {"text": "", "version": w.plan.version}


def build_test_body(w: World) -> dict[str, Any]:
    return {"name": "t", "sample": w.spare.pk, "expected": []}


def pin(w: World) -> dict[str, Any]:
    return {"plan": w.plan.pk, "node": f"{SECRET}played", "type": "lane"}


def build_stream_body(w: World) -> dict[str, Any]:
    return {"name": "fresh", **STREAM}


def repeat_stream_body(_: World) -> dict[str, Any]:
    return dict(STREAM)


def build_board_body(w: World) -> dict[str, Any]:
    return {"document": {"charts": [], "range": "5m", "key": ""}, "version": w.board.version}


def build_alert_body(w: World) -> dict[str, Any]:
    return {"plan": w.plan.pk, "node": f"{SECRET}played", "name": "fresh"}


def build_silence_body(_: World) -> dict[str, Any]:
    return {"reason": "move", "ends_at": (timezone.now() + timedelta(days=1)).isoformat()}


def build_transfer_body(w: World) -> dict[str, Any]:
    return {"of": "plan", "ids": [str(w.plan.pk)], "to": {"kind": "person", "name": "member"}}


def make_body(body: Any) -> Body:
    return lambda _: body


A, C, INCIDENT = "alerts/{alert}/", "channels/{channel}/", "incidents/{incident}/"
S, P, D, N, M = (
    "streams/{stream}/",
    "plans/{plan}/",
    "dashboards/{board}/",
    "nodes/{node}/",
    "samples/{sample}/",
)
LINES = "application/x-ndjson"
GIVEN = {"kind": "person", "name": "member"}
SINK = {"kind": "parquet", "options": {"folder": "fresh"}}
MAIL = {"name": "fresh", "kind": "mail", "options": {"to": "a@example.org"}}
SOURCE = {"kind": "kafka", "options": {"servers": "127.0.0.1:1", "topics": "t"}}

CALLS: dict[tuple[str, str], Call] = {
    ("GET", "operators/"): Call(ANYBODY),
    ("GET", "streams/"): Call(ANYBODY),
    ("POST", "streams/"): Call(MAKE, "write", build_stream_body),
    ("GET", S): Call(LOOK),
    ("PUT", S): Call(EDIT, "write", repeat_stream_body),
    ("PATCH", S + "display/"): Call(EDIT, "write", make_body({"display": {"state": {"decimals": 1}}})),
    ("DELETE", S): Call(OWN, "write", more=(409,)),
    ("GET", S + "removal/"): Call(LOOK),
    ("POST", S + "empty/"): Call(OWN, "write", make_body({}), more=(409,)),
    ("GET", "trash/"): Call(ANYBODY),
    ("GET", "storage/"): Call(ANYBODY),
    ("GET", "operations/"): Call(FIGURES),
    ("POST", "trash/{trash}/restore/"): Call(OWN_TRASH, "write", make_body({})),
    ("GET", S + "events/"): Call(LOOK),
    ("POST", S + "events/"): Call(RUN, "events", make_body(EVENT), kind=LINES),
    ("POST", S + "sample/"): Call(RUN, "events", make_body(EVENT), kind=LINES),
    ("GET", S + "ticks/"): Call(LOOK, query="?key=s1&from=0&to=9", more=(400,)),
    ("GET", S + "activity/"): Call(LOOK),
    ("GET", S + "values/"): Call(LOOK),
    ("GET", S + "rejected/"): Call(LOOK),
    ("DELETE", S + "rejected/"): Call(EDIT, "write"),
    ("POST", S + "rejected/retry/"): Call(RUN, "events", make_body({"lines": [{"id": 1}]}), more=(400, 404)),
    ("POST", S + "consequences/"): Call(LOOK, "read", repeat_stream_body),
    ("GET", "source-kinds/"): Call(ANYBODY),
    ("GET", S + "source/"): Call(LOOK, more=(404,)),
    ("PUT", S + "source/"): Call(EDIT, "write", make_body(SOURCE)),
    ("DELETE", S + "source/"): Call(EDIT, "write", more=(404,)),
    ("POST", S + "source/check/"): Call(EDIT, "write", make_body(SOURCE), more=(400,)),
    ("POST", S + "source/pause/"): Call(RUN, "operate", make_body({}), more=(404,)),
    ("POST", S + "source/resume/"): Call(RUN, "operate", make_body({}), more=(404,)),
    ("POST", "guess/"): Call(ANYBODY, "read", make_body(EVENT), kind=LINES),
    ("GET", "plans/"): Call(ANYBODY),
    ("POST", "plans/"): Call(MAKE, "write", make_body({"document": {"version": 1, "nodes": {}}})),
    ("POST", "plans/check/"): Call(ANYBODY, "read", make_body({"document": {"version": 1, "nodes": {}}})),
    ("POST", "plans/consequences/"): Call(
        ANYBODY, "read", make_body({"document": {"version": 1, "nodes": {}}}), more=(422,)
    ),
    ("GET", P): Call(LOOK),
    ("PUT", P): Call(EDIT, "write", build_draft_body),
    ("PATCH", P + "display/"): Call(EDIT, "write", make_body({"display": {"state": {"decimals": 1}}})),
    ("DELETE", P): Call(OWN, "write operate"),
    ("GET", P + "text/"): Call(LOOK),
    ("PUT", P + "text/"): Call(EDIT, "write", build_text_body),
    ("POST", "text/"): Call(ANYBODY, "read", make_body({"text": ""})),
    ("POST", P + "merge/"): Call(LOOK, "read", build_draft_body),
    ("GET", P + "changes/"): Call(LOOK, query="?since=1"),
    ("GET", P + "versions/"): Call(LOOK),
    ("POST", P + "versions/"): Call(EDIT, "write", make_body({"name": "v"})),
    ("GET", P + "versions/{version}/"): Call(LOOK),
    ("PUT", P + "versions/{version}/"): Call(EDIT, "write", make_body({"name": "v"})),
    ("POST", P + "versions/{version}/restore/"): Call(EDIT, "write"),
    ("GET", P + "compare/"): Call(LOOK, query="?from=1"),
    ("POST", P + "run/"): Call(RUN, "operate", make_body({})),
    ("GET", P + "consequences/"): Call(LOOK),
    ("GET", P + "stop/consequences/"): Call(LOOK),
    ("GET", P + "explain/"): Call(LOOK),
    ("POST", P + "stop/"): Call(RUN, "operate", make_body({})),
    ("GET", P + "tests/"): Call(LOOK),
    ("POST", P + "tests/"): Call(EDIT, "write", build_test_body),
    ("POST", P + "tests/run/"): Call(LOOK, "read", make_body({})),
    ("GET", P + "tests/export/"): Call(LOOK),
    ("GET", P + "tests/{test}/"): Call(LOOK),
    ("PUT", P + "tests/{test}/"): Call(EDIT, "write", lambda w: build_test_body(w) | {"version": 1}),
    ("DELETE", P + "tests/{test}/"): Call(EDIT, "write"),
    ("POST", "alerts/test/"): Call(ANYBODY, "read", make_body({"plan": {}, "node": ""}), more=(400, 422)),
    ("POST", "evaluate/"): Call(ANYBODY, "read", make_body({"plan": {}, "events": {}}), more=(400, 422)),
    ("GET", "samples/"): Call(ANYBODY),
    ("POST", "samples/"): Call(MAKE, "write", make_body({"name": "fresh", "events": {}})),
    ("GET", M): Call(SAMPLE),
    ("PUT", M): Call(OWN_SAMPLE, "write", make_body({"name": "better"})),
    ("DELETE", M): Call(OWN_SAMPLE, "write", more=(409,)),
    ("GET", M + "events/"): Call(SAMPLE),
    ("GET", "nodes/"): Call(ANYBODY),
    ("GET", N): Call(LOOK),
    ("POST", N + "restart/"): Call(RUN, "operate", make_body({"reason": "x"})),
    ("POST", N + "stop/"): Call(STOP_NODE, "operate", make_body({})),
    ("GET", N + "keys/"): Call(LOOK),
    ("GET", N + "states/"): Call(LOOK),
    # The node is no sequence: whoever may look at it is told so.
    ("GET", N + "funnel/"): Call(LOOK, more=(400,)),
    ("GET", N + "timelines/"): Call(LOOK, query=f"?from={T}&to={T + 5}"),
    ("GET", N + "revisions/"): Call(LOOK, query="?key=s1"),
    ("GET", N + "difference/"): Call(LOOK, query=f"?key=s1&known_at={T}"),
    ("GET", N + "timeline/"): Call(LOOK, query="?key=s1"),
    ("GET", N + "why/"): Call(LOOK, query=f"?key=s1&at={T + 5}"),
    ("GET", "sink-kinds/"): Call(ANYBODY),
    ("GET", N + "sinks/"): Call(LOOK),
    ("POST", N + "sinks/"): Call(RUN, "write", make_body(SINK | {"delivers": "final"})),
    ("POST", N + "sinks/check/"): Call(RUN, "write", make_body(SINK)),
    ("GET", N + "sinks/{sink}/"): Call(LOOK),
    ("PUT", N + "sinks/{sink}/"): Call(OWN, "write", make_body({"delivers": "final", "options": SINK["options"]})),
    ("DELETE", N + "sinks/{sink}/"): Call(OWN, "write"),
    ("POST", N + "sinks/{sink}/pause/"): Call(OWN, "operate", make_body({})),
    ("POST", N + "sinks/{sink}/resume/"): Call(OWN, "operate", make_body({})),
    ("POST", N + "sinks/{sink}/transfer/"): Call(OWN, "write", make_body(GIVEN)),
    ("GET", "dashboards/"): Call(ANYBODY),
    ("POST", "dashboards/"): Call(MAKE, "write", make_body({"name": "fresh"})),
    ("POST", "dashboards/sources/"): Call(ANYBODY, "read", lambda w: {"sources": [{"plan": w.plan.pk, "node": "a"}]}),
    ("GET", D): Call(LOOK),
    ("PUT", D): Call(EDIT, "write", build_board_body),
    ("DELETE", D): Call(OWN, "write"),
    ("POST", D + "charts/"): Call(EDIT, "write", pin),
    ("GET", D + "versions/"): Call(LOOK),
    ("GET", D + "links/"): Call(OWN),
    ("POST", D + "links/"): Call(OWN, "login", make_body({"name": "fresh"})),
    ("DELETE", D + "links/{link}/"): Call(OWN, "write"),
    ("GET", "public/dashboard/"): Call(LINK, ""),
    ("GET", "public/nodes/{node}/timelines/"): Call(LINK, "", query=f"?from={T}&to={T + 5}"),
    ("GET", "public/nodes/{node}/funnel/"): Call(LINK, ""),
    ("GET", "alerts/"): Call(ANYBODY),
    ("POST", "alerts/"): Call(ON_PLAN, "write", build_alert_body),
    ("GET", A): Call(LOOK),
    ("PATCH", A): Call(OWN, "write", make_body({"severity": "critical"})),
    ("DELETE", A): Call(OWN, "write"),
    ("GET", A + "incidents/"): Call(LOOK),
    ("POST", A + "transfer/"): Call(OWN, "write", make_body(GIVEN)),
    ("GET", A + "audit/"): Call(LOOK),
    ("GET", "incidents/"): Call(ANYBODY),
    ("GET", "incidents/summary/"): Call(ANYBODY, query="?since=0&until=1"),
    ("GET", INCIDENT): Call(LOOK),
    ("POST", INCIDENT + "acknowledge/"): Call(RUN, "operate", make_body({})),
    ("POST", INCIDENT + "assign/"): Call(RUN, "operate", make_body({"to": "member"})),
    ("POST", INCIDENT + "comment/"): Call(RUN, "operate", make_body({"text": "seen"})),
    ("GET", "channel-kinds/"): Call(ANYBODY),
    ("GET", "channels/"): Call(ANYBODY),
    ("POST", "channels/"): Call(MAKE, "write", make_body(MAIL)),
    ("GET", C): Call(CHANNEL),
    ("PATCH", C): Call(OWN_CHANNEL, "write", make_body({"paused": True})),
    ("DELETE", C): Call(OWN_CHANNEL, "write"),
    ("POST", C + "test/"): Call(OWN_CHANNEL, "write", more=(400,)),
    ("POST", C + "transfer/"): Call(OWN_CHANNEL, "write", make_body(GIVEN)),
    ("GET", "silences/"): Call(ANYBODY),
    ("POST", "silences/"): Call(MAKE, "write", build_silence_body),
    ("GET", "silences/{silence}/"): Call(LOOK),
    ("DELETE", "silences/{silence}/"): Call(OWN, "write"),
    ("GET", "me/"): Call(ANYBODY),
    ("PATCH", "me/"): Call(ANYBODY, "write", make_body({"theme": "dark"})),
    ("GET", "me/quotas/"): Call(ANYBODY),
    ("GET", "tokens/"): Call(ANYBODY),
    ("POST", "tokens/"): Call(ANYBODY, "login", make_body({"name": "t", "scopes": ["read"]})),
    ("DELETE", "tokens/{token}/"): Call(OWN_TOKEN, "login"),
    ("GET", "schema/"): Call(ANYBODY),
    ("POST", "transfer/"): Call(OWN, "write", build_transfer_body),
    ("POST", "transfer/consequences/"): Call(ANYBODY, "read", make_body({"of": "plan", "q": "zzz"})),
    ("GET", "search/"): Call(ANYBODY, query=f"?q={SECRET[:4]}"),
    ("GET", "audit/"): Call(ANYBODY),
    ("GET", "people/"): Call(ANYBODY),
    ("POST", "people/"): Call(ADMINS, "admin", make_body({"name": "fresh", "role": "editor"})),
    ("GET", "people/{person}/"): Call(ANYBODY),
    ("PUT", "people/{person}/"): Call(ADMINS, "admin", make_body({"active": False})),
    ("DELETE", "people/{person}/"): Call(ADMINS, "admin", make_body({"to": GIVEN})),
    ("POST", "people/{person}/password/"): Call(ADMINS, "admin"),
    ("POST", "people/{person}/transfer/"): Call(ADMINS, "admin", make_body(GIVEN)),
    ("GET", "people/{person}/audit/"): Call(ignore_open("u3.33333."), "read"),
    ("GET", "teams/"): Call(ANYBODY),
    ("POST", "teams/"): Call(ADMINS, "admin", make_body({"name": "fresh"})),
    ("GET", "teams/{team}/"): Call(ANYBODY),
    ("PUT", "teams/{team}/"): Call(ADMINS, "admin", make_body({"name": "better"})),
    ("DELETE", "teams/{team}/"): Call(ADMINS, "admin"),
    ("POST", "teams/{team}/transfer/"): Call(ADMINS, "admin", make_body(GIVEN)),
    ("POST", "me/password/"): Call(ANYBODY, "login", make_body({"old": "x", "new": "y"}), more=(400,)),
    **{("GET", item + "sharing/"): Call(LOOK) for item in (P, S, D)},
    **{
        ("PUT", item + "sharing/"): Call(OWN, "write", make_body({"open_to_all": True, "shares": []}))
        for item in (P, S, D)
    },
    **{("POST", item + "transfer/"): Call(OWN, "write", make_body(GIVEN)) for item in (P, S, D, N)},
    ("POST", M + "transfer/"): Call(OWN_SAMPLE, "write", make_body(GIVEN)),
    **{("GET", item + "audit/"): Call(LOOK) for item in (P, S, D, N)},
    ("GET", M + "audit/"): Call(SAMPLE),
}  # fmt: skip
"""Of the API, behind `/api/`."""

PAGES: dict[str, Rule] = {
    "/login/": OPEN,
    "/logout/": PAGE,
    "/favicon.ico": OPEN,
    "/healthz": OPEN,
    "/readyz": OPEN,
    "/metrics": FIGURES,
    "/api/docs/": PAGE,
    "/": PAGE,
    "/plans/": PAGE,
    "/plans/new/": PAGE,
    "/plans/{plan}/": PAGE,
    "/dashboards/": PAGE,
    "/dashboards/{board}/": PAGE,
    "/dashboards/{board}/kiosk/": PAGE,
    "/public/": OPEN,
    "/looks/": PAGE,
    "/operations/": PAGE,
    "/storage/": PAGE,
    "/tokens/": PAGE,
    "/streams/": PAGE,
    "/streams/declare-new/": PAGE,
    "/streams/{stream}/": PAGE,
    "/nodes/": PAGE,
    "/nodes/{node}/": PAGE,
    "/alerts/": PAGE,
    "/alerts/{alert}/": PAGE,
    "/incidents/": PAGE,
    "/incidents/{incident}/": PAGE,
    "/silences/": PAGE,
    "/channels/": PAGE,
    "/people/": PAGE,
    "/audit/": PAGE,
    "/password/": PAGE,
}
"""Looked at; what the pages of the application show, they ask the API for."""
