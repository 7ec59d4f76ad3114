"""The demos: a user, streams and plans, one of which runs. They are created once; changes by people stay."""

from __future__ import annotations

import json
import os
import secrets
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from knox.crypto import hash_token

from timeline_app.demos import Demo, load_demos
from timeline_app.demos.base import Document
from timeline_app.web.alerts.services import create_alert
from timeline_app.web.dashboards.services import create_dashboard
from timeline_app.web.models import Plan, Stream
from timeline_app.web.models.tokens import ApiToken, Scope
from timeline_app.web.people.token_services import MAX_TOKEN_DAYS, create_token
from timeline_app.web.plans.services import create_plan, run_plan
from timeline_app.web.streams.services import create_stream

USERNAME = "demo"
DEMO_SCOPES = [Scope.READ, Scope.WRITE, Scope.EVENTS, Scope.OPERATE]


def get_login_file() -> Path:
    """Return the path of the demo user's login."""
    return Path(settings.TIMELINE_LOCAL) / "demo-login"


def read_login() -> dict[str, str]:
    """Return the demo user's name, password and token; raise ValueError without a demo."""
    try:
        login = json.loads(get_login_file().read_text())
        return {name: str(login[name]) for name in ("username", "password", "token")}
    except (OSError, ValueError, TypeError, KeyError):
        raise ValueError(
            f"there is no demo login at {get_login_file()}; make it with `manage.py demo`"
        ) from None


def ensure_demo() -> dict[str, str]:
    """Create missing parts of the demos; return the login."""
    with transaction.atomic():
        login = ensure_user()
        user = User.objects.get(username=USERNAME)
        # Create the running demo last, because lists show the newest plan first.
        for demo in reversed(list(load_demos().values())):
            # Plans are created with their stream; once it exists, changes by people are kept.
            if not Stream.objects.filter(name=demo.stream).exists():
                create_demo(demo, user)
    return login


def create_demo(demo: Demo, user: User) -> None:
    """Create a demo's stream and plans; run the plans if the demo does."""
    create_stream(user=user, name=demo.stream, document=demo.declaration)
    for document in demo.plans.values():
        plan = create_plan(user=user, name=document["name"], document=document)
        if demo.runs:
            run_plan(plan=plan, user=user, placement="isolated")
        if demo.alert:
            alert_settings = {name: value for name, value in demo.alert.items() if name != "node"}
            create_alert(user=user, plan=plan, node=demo.alert["node"], settings=alert_settings)
        if demo.board:
            create_dashboard(
                user=user, name=demo.board["name"], document=build_demo_dashboard(demo.board, plan)
            )


def build_demo_dashboard(board: Document, plan: Plan) -> Document:
    """Return a demo's dashboard of this plan."""
    digests = dict(plan.uses.exclude(name="").values_list("name", "node__digest"))
    charts = [
        item | {"id": f"c{n}", "plan": plan.pk, "digest": digests.get(item["node"])}
        for n, item in enumerate(board["charts"], start=1)
    ]
    return {"charts": charts, "range": "5m", "key": "", "group": ""}


def ensure_user() -> dict[str, str]:
    """Return the login of the demo user, an administrator; create what is missing."""
    user, _ = User.objects.get_or_create(username=USERNAME, defaults={"is_staff": True, "is_superuser": True})
    try:
        login = read_login()
    except ValueError:
        login = {"username": USERNAME, "password": secrets.token_urlsafe(12), "token": ""}  # nosec B105
    token = login["token"] if is_valid_token(user, login["token"]) else ""
    if not token or not user.check_password(login["password"]):
        login["token"] = (
            token or create_token(user=user, name=USERNAME, scopes=DEMO_SCOPES, days=MAX_TOKEN_DAYS)[1]
        )
        user.set_password(login["password"])
        user.save()
        write_login(login)
    return login


def is_valid_token(user: User, text: str) -> bool:
    """Return whether this token of the user stays valid for a while."""
    soon = timezone.now() + timedelta(days=30)
    return bool(ApiToken.objects.filter(user=user, digest=hash_token(text), expiry__gt=soon).exists())


def write_login(login: dict[str, str]) -> None:
    """Write the login atomically, readable only by this account."""
    draft = get_login_file().with_suffix(f".{os.getpid()}")
    draft.touch(mode=0o600)
    draft.write_text(json.dumps(login) + "\n")
    draft.replace(get_login_file())
