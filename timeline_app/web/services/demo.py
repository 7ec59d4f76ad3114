"""The demo: a user, a stream, and a plan that runs. Made once; whoever changes it keeps the changes."""

from __future__ import annotations

import json
import os
import secrets
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from rest_framework.authtoken.models import Token

from timeline_app.web.models import Plan, Stream
from timeline_app.web.services.plans import plan_create, plan_run
from timeline_app.web.services.streams import stream_create

USERNAME = "demo"
PLAN = "Connection-induced rebuffering"
STREAM: dict[str, Any] = {
    "key": "session_id",
    "time": "t",
    "unit": "ms",
    "id": "event_id",
    "fields": {"player_state": "text", "user_action": "text", "cdn": "text"},
    "allowed_lateness": "30s",
    "retention": "7d",
}


def leaf(op: str, **params: str) -> dict[str, Any]:
    """A node that reads the stream."""
    return {"op": op, "stream": "player", "params": params}


DOCUMENT: dict[str, Any] = {
    "version": 1,
    "name": PLAN,
    "nodes": {
        "played": leaf("has_existed", where='player_state == "play"'),
        "seeking": leaf("has_existed_within", where='user_action == "seek"', duration="5s"),
        "calm": {"op": "not", "inputs": {"of": "seeking"}},
        "state": leaf("latest_event_to_state", field="player_state"),
        "buffering": {"op": "equal_to", "inputs": {"of": "state"}, "params": {"value": "buffer"}},
        "cdn": leaf("latest_event_to_state", field="cdn"),
        "induced": {"op": "and", "inputs": {"of": ["played", "calm", "buffering"]}},
        "cirr": {"op": "duration_where", "inputs": {"of": "induced"}},
        "cirr_by_cdn": {
            "op": "aggregate",
            "inputs": {"of": "cirr", "by": "cdn"},
            "params": {"function": "sum"},
        },
    },
    "results": ["cirr", "cirr_by_cdn"],
    "layout": {
        "played": [0, 0],
        "seeking": [0, 160],
        "state": [0, 320],
        "cdn": [0, 480],
        "calm": [300, 160],
        "buffering": [300, 320],
        "induced": [600, 0],
        "cirr": [900, 0],
        "cirr_by_cdn": [1200, 320],
    },
}


def login_file() -> Path:
    """Where the demo user's login is kept."""
    return Path(settings.TIMELINE_DATA) / "demo-login"


def read_login() -> dict[str, str]:
    """The demo user's name, password and token; raises ValueError when there is no demo."""
    try:
        login = json.loads(login_file().read_text())
        return {name: str(login[name]) for name in ("username", "password", "token")}
    except (OSError, ValueError, TypeError, KeyError):
        raise ValueError(f"there is no demo login at {login_file()}; make it with `manage.py demo`") from None


def ensure_demo() -> dict[str, str]:
    """Make what of the demo is missing; the login."""
    with transaction.atomic():
        login = ensure_user()
        user = User.objects.get(username=USERNAME)
        if not Stream.objects.filter(name="player").exists():
            stream_create(user=user, name="player", document=STREAM)
        if not Plan.objects.filter(owner=user).exists():
            plan = plan_create(user=user, name=PLAN, document=DOCUMENT)
            plan_run(plan=plan, user=user, placement="isolated")
    return login


def ensure_user() -> dict[str, str]:
    """The demo user, who may do everything here, with the password in the login file."""
    user, _ = User.objects.get_or_create(username=USERNAME, defaults={"is_staff": True, "is_superuser": True})
    token, _ = Token.objects.get_or_create(user=user)
    try:
        login = read_login()
    except ValueError:
        login = {"username": USERNAME, "password": secrets.token_urlsafe(12), "token": ""}
    if login["token"] != token.key or not user.check_password(login["password"]):
        login["token"] = token.key
        user.set_password(login["password"])
        user.save()
        write_login(login)
    return login


def write_login(login: dict[str, str]) -> None:
    """Keep the login where only this account can read it; whole or not at all."""
    draft = login_file().with_suffix(f".{os.getpid()}")
    draft.touch(mode=0o600)
    draft.write_text(json.dumps(login) + "\n")
    draft.replace(login_file())
