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


def both(letters: str) -> Rule:
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
CHANNEL = both("u44444...")
OWN_CHANNEL = both("u44444.3.")
ON_PLAN = Rule("u44......", "u3.......")
ANYBODY = both("u........")
ADMINS = both("u3333333.")
MAKE = both("u3.......")
OWN_TOKEN = both("u44444.44")
OWN_TRASH = both("u44444.4.")
FIGURES = both("u333333..")
PAGE = both("l........")
ADMIN_LOOK = both("l333333..")
ADMIN_ONLY = both("l3333333.")
ADMIN_NEVER = both("l33333333")
OPEN = both(".........")


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


def drawn(w: World) -> dict[str, Any]:
    return {"document": w.plan.document}


def draft(w: World) -> dict[str, Any]:
    return {"document": w.plan.document, "version": w.plan.version}


def text_of(w: World) -> dict[str, Any]:
    return {"text": "", "version": w.plan.version}


def trial_of(w: World) -> dict[str, Any]:
    return {"name": "t", "sample": w.spare.pk, "expected": []}


def pin(w: World) -> dict[str, Any]:
    return {"plan": w.plan.pk, "node": f"{SECRET}played", "type": "lane"}


def stream_of(w: World) -> dict[str, Any]:
    return {"name": "fresh", **STREAM}


def same_stream(_: World) -> dict[str, Any]:
    return dict(STREAM)


def board(w: World) -> dict[str, Any]:
    return {"document": {"charts": [], "range": "5m", "key": ""}, "version": w.board.version}


def alert_on(w: World) -> dict[str, Any]:
    return {"plan": w.plan.pk, "node": f"{SECRET}played", "name": "fresh"}


def silence_of(_: World) -> dict[str, Any]:
    return {"reason": "move", "ends_at": (timezone.now() + timedelta(days=1)).isoformat()}


def chosen(w: World) -> dict[str, Any]:
    return {"of": "plan", "ids": [str(w.plan.pk)], "to": {"kind": "person", "name": "member"}}


def of(body: Any) -> Body:
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
    ("POST", "streams/"): Call(MAKE, "write", stream_of),
    ("GET", S): Call(LOOK),
    ("PUT", S): Call(EDIT, "write", same_stream),
    ("PATCH", S + "display/"): Call(EDIT, "write", of({"display": {"state": {"decimals": 1}}})),
    ("DELETE", S): Call(OWN, "write", more=(409,)),
    ("GET", S + "removal/"): Call(LOOK),
    ("POST", S + "empty/"): Call(OWN, "write", of({}), more=(409,)),
    ("GET", "trash/"): Call(ANYBODY),
    ("GET", "storage/"): Call(ANYBODY),
    ("GET", "operations/"): Call(FIGURES),
    ("POST", "trash/{trash}/restore/"): Call(OWN_TRASH, "write", of({})),
    ("GET", S + "events/"): Call(LOOK),
    ("POST", S + "events/"): Call(RUN, "events", of(EVENT), kind=LINES),
    ("POST", S + "sample/"): Call(RUN, "events", of(EVENT), kind=LINES),
    ("GET", S + "ticks/"): Call(LOOK, query="?key=s1&from=0&to=9", more=(400,)),
    ("GET", S + "activity/"): Call(LOOK),
    ("GET", S + "aside/"): Call(LOOK),
    ("DELETE", S + "aside/"): Call(EDIT, "write"),
    ("POST", S + "aside/again/"): Call(RUN, "events", of({"lines": [{"id": 1}]}), more=(400, 404)),
    ("POST", S + "consequences/"): Call(LOOK, "read", same_stream),
    ("GET", "source-kinds/"): Call(ANYBODY),
    ("GET", S + "source/"): Call(LOOK, more=(404,)),
    ("PUT", S + "source/"): Call(EDIT, "write", of(SOURCE)),
    ("DELETE", S + "source/"): Call(EDIT, "write", more=(404,)),
    ("POST", S + "source/check/"): Call(EDIT, "write", of(SOURCE), more=(400,)),
    ("POST", S + "source/pause/"): Call(RUN, "operate", of({}), more=(404,)),
    ("POST", S + "source/resume/"): Call(RUN, "operate", of({}), more=(404,)),
    ("POST", "guess/"): Call(ANYBODY, "read", of(EVENT), kind=LINES),
    ("GET", "plans/"): Call(ANYBODY),
    ("POST", "plans/"): Call(MAKE, "write", of({"document": {"version": 1, "nodes": {}}})),
    ("POST", "plans/check/"): Call(ANYBODY, "read", of({"document": {"version": 1, "nodes": {}}})),
    ("POST", "plans/consequences/"): Call(ANYBODY, "read", of({"document": {"version": 1, "nodes": {}}}), more=(422,)),
    ("GET", P): Call(LOOK),
    ("PUT", P): Call(EDIT, "write", draft),
    ("PATCH", P + "display/"): Call(EDIT, "write", of({"display": {"state": {"decimals": 1}}})),
    ("DELETE", P): Call(OWN, "write operate"),
    ("GET", P + "text/"): Call(LOOK),
    ("PUT", P + "text/"): Call(EDIT, "write", text_of),
    ("POST", "text/"): Call(ANYBODY, "read", of({"text": ""})),
    ("POST", P + "merge/"): Call(LOOK, "read", draft),
    ("GET", P + "changes/"): Call(LOOK, query="?since=1"),
    ("GET", P + "versions/"): Call(LOOK),
    ("POST", P + "versions/"): Call(EDIT, "write", of({"name": "v"})),
    ("GET", P + "versions/{version}/"): Call(LOOK),
    ("PUT", P + "versions/{version}/"): Call(EDIT, "write", of({"name": "v"})),
    ("POST", P + "versions/{version}/restore/"): Call(EDIT, "write"),
    ("GET", P + "compare/"): Call(LOOK, query="?from=1"),
    ("POST", P + "run/"): Call(RUN, "operate", of({})),
    ("GET", P + "consequences/"): Call(LOOK),
    ("GET", P + "stop/consequences/"): Call(LOOK),
    ("GET", P + "explain/"): Call(LOOK),
    ("POST", P + "stop/"): Call(RUN, "operate", of({})),
    ("GET", P + "tests/"): Call(LOOK),
    ("POST", P + "tests/"): Call(EDIT, "write", trial_of),
    ("POST", P + "tests/run/"): Call(LOOK, "read", of({})),
    ("GET", P + "tests/export/"): Call(LOOK),
    ("GET", P + "tests/{test}/"): Call(LOOK),
    ("PUT", P + "tests/{test}/"): Call(EDIT, "write", lambda w: trial_of(w) | {"version": 1}),
    ("DELETE", P + "tests/{test}/"): Call(EDIT, "write"),
    ("POST", "alerts/test/"): Call(ANYBODY, "read", of({"plan": {}, "node": ""}), more=(400, 422)),
    ("POST", "evaluate/"): Call(ANYBODY, "read", of({"plan": {}, "events": {}}), more=(400, 422)),
    ("GET", "samples/"): Call(ANYBODY),
    ("POST", "samples/"): Call(MAKE, "write", of({"name": "fresh", "events": {}})),
    ("GET", M): Call(SAMPLE),
    ("PUT", M): Call(OWN_SAMPLE, "write", of({"name": "better"})),
    ("DELETE", M): Call(OWN_SAMPLE, "write", more=(409,)),
    ("GET", M + "events/"): Call(SAMPLE),
    ("GET", "nodes/"): Call(ANYBODY),
    ("GET", N): Call(LOOK),
    ("POST", N + "restart/"): Call(RUN, "operate", of({"reason": "x"})),
    ("POST", N + "stop/"): Call(STOP_NODE, "operate", of({})),
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
    ("POST", N + "sinks/"): Call(RUN, "write", of(SINK | {"delivers": "final"})),
    ("POST", N + "sinks/check/"): Call(RUN, "write", of(SINK)),
    ("GET", N + "sinks/{sink}/"): Call(LOOK),
    ("PUT", N + "sinks/{sink}/"): Call(OWN, "write", of({"delivers": "final", "options": SINK["options"]})),
    ("DELETE", N + "sinks/{sink}/"): Call(OWN, "write"),
    ("POST", N + "sinks/{sink}/pause/"): Call(OWN, "operate", of({})),
    ("POST", N + "sinks/{sink}/resume/"): Call(OWN, "operate", of({})),
    ("POST", N + "sinks/{sink}/transfer/"): Call(OWN, "write", of(GIVEN)),
    ("GET", "dashboards/"): Call(ANYBODY),
    ("POST", "dashboards/"): Call(MAKE, "write", of({"name": "fresh"})),
    ("POST", "dashboards/sources/"): Call(ANYBODY, "read", lambda w: {"sources": [{"plan": w.plan.pk, "node": "a"}]}),
    ("GET", D): Call(LOOK),
    ("PUT", D): Call(EDIT, "write", board),
    ("DELETE", D): Call(OWN, "write"),
    ("POST", D + "charts/"): Call(EDIT, "write", pin),
    ("GET", D + "versions/"): Call(LOOK),
    ("GET", "alerts/"): Call(ANYBODY),
    ("POST", "alerts/"): Call(ON_PLAN, "write", alert_on),
    ("GET", A): Call(LOOK),
    ("PATCH", A): Call(OWN, "write", of({"severity": "critical"})),
    ("DELETE", A): Call(OWN, "write"),
    ("GET", A + "incidents/"): Call(LOOK),
    ("POST", A + "transfer/"): Call(OWN, "write", of(GIVEN)),
    ("GET", A + "audit/"): Call(LOOK),
    ("GET", "incidents/"): Call(ANYBODY),
    ("GET", INCIDENT): Call(LOOK),
    ("POST", INCIDENT + "acknowledge/"): Call(RUN, "operate", of({})),
    ("POST", INCIDENT + "assign/"): Call(RUN, "operate", of({"to": "member"})),
    ("POST", INCIDENT + "comment/"): Call(RUN, "operate", of({"text": "seen"})),
    ("GET", "channel-kinds/"): Call(ANYBODY),
    ("GET", "channels/"): Call(ANYBODY),
    ("POST", "channels/"): Call(MAKE, "write", of(MAIL)),
    ("GET", C): Call(CHANNEL),
    ("PATCH", C): Call(OWN_CHANNEL, "write", of({"paused": True})),
    ("DELETE", C): Call(OWN_CHANNEL, "write"),
    ("POST", C + "test/"): Call(OWN_CHANNEL, "write", more=(400,)),
    ("POST", C + "transfer/"): Call(OWN_CHANNEL, "write", of(GIVEN)),
    ("GET", "silences/"): Call(ANYBODY),
    ("POST", "silences/"): Call(MAKE, "write", silence_of),
    ("GET", "silences/{silence}/"): Call(LOOK),
    ("DELETE", "silences/{silence}/"): Call(OWN, "write"),
    ("GET", "me/"): Call(ANYBODY),
    ("PATCH", "me/"): Call(ANYBODY, "write", of({"theme": "dark"})),
    ("GET", "me/quotas/"): Call(ANYBODY),
    ("GET", "tokens/"): Call(ANYBODY),
    ("POST", "tokens/"): Call(ANYBODY, "login", of({"name": "t", "scopes": ["read"]})),
    ("DELETE", "tokens/{token}/"): Call(OWN_TOKEN, "login"),
    ("GET", "schema/"): Call(ANYBODY),
    ("POST", "transfer/"): Call(OWN, "write", chosen),
    ("POST", "transfer/consequences/"): Call(ANYBODY, "read", of({"of": "plan", "q": "zzz"})),
    ("GET", "search/"): Call(ANYBODY, query=f"?q={SECRET[:4]}"),
    ("GET", "audit/"): Call(ANYBODY),
    ("GET", "people/"): Call(ANYBODY),
    ("POST", "people/"): Call(ADMINS, "admin", of({"name": "fresh", "role": "editor"})),
    ("GET", "people/{person}/"): Call(ANYBODY),
    ("PUT", "people/{person}/"): Call(ADMINS, "admin", of({"active": False})),
    ("DELETE", "people/{person}/"): Call(ADMINS, "admin", of({"to": GIVEN})),
    ("POST", "people/{person}/password/"): Call(ADMINS, "admin"),
    ("POST", "people/{person}/transfer/"): Call(ADMINS, "admin", of(GIVEN)),
    ("GET", "people/{person}/audit/"): Call(both("u3.33333."), "read"),
    ("GET", "teams/"): Call(ANYBODY),
    ("POST", "teams/"): Call(ADMINS, "admin", of({"name": "fresh"})),
    ("GET", "teams/{team}/"): Call(ANYBODY),
    ("PUT", "teams/{team}/"): Call(ADMINS, "admin", of({"name": "better"})),
    ("DELETE", "teams/{team}/"): Call(ADMINS, "admin"),
    ("POST", "teams/{team}/transfer/"): Call(ADMINS, "admin", of(GIVEN)),
    ("POST", "me/password/"): Call(ANYBODY, "login", of({"old": "x", "new": "y"}), more=(400,)),
    **{("GET", thing + "sharing/"): Call(LOOK) for thing in (P, S, D)},
    **{("PUT", thing + "sharing/"): Call(OWN, "write", of({"open_to_all": True, "shares": []})) for thing in (P, S, D)},
    **{("POST", thing + "transfer/"): Call(OWN, "write", of(GIVEN)) for thing in (P, S, D, N)},
    ("POST", M + "transfer/"): Call(OWN_SAMPLE, "write", of(GIVEN)),
    **{("GET", thing + "audit/"): Call(LOOK) for thing in (P, S, D, N)},
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
