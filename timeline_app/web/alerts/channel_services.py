"""Creating, changing, testing and deleting channels, and routing alerts to them."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Mapping
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from timeline_app.connectors import options
from timeline_app.connectors.egress.policy import EgressRefused
from timeline_app.connectors.notifiers.contract import AlertMessage, IncidentNews, Notifier
from timeline_app.connectors.sink_contract import TargetUnavailable
from timeline_app.web.alerts.channel_kinds import KINDS
from timeline_app.web.core import audit_writing
from timeline_app.web.core.connector_forms import (
    check_options,
    explain_unreachable,
    have_options_changed,
    list_changed_options,
    open_secrets,
    restore_kept_secrets,
    split_secrets,
)
from timeline_app.web.core.egress import build_egress
from timeline_app.web.core.errors import ApiError, Invalid, end_sentence
from timeline_app.web.core.permissions import Right, require, require_role, select_own
from timeline_app.web.core.quotas import enforce_quotas
from timeline_app.web.core.secrets import Unreadable, decrypt, encrypt
from timeline_app.web.core.sharing import lock_permitted
from timeline_app.web.core.transactions import retry_on_deadlock
from timeline_app.web.models.alerts import Alert
from timeline_app.web.models.channels import AlertChannel, AlertRoute, new_identity
from timeline_app.web.models.people import Role

log = logging.getLogger(__name__)
MAX_CHANNELS_PER_ALERT = 10
Document = dict[str, Any]


def create_channel(*, user: User, name: str, kind: str, options: Mapping[str, Any]) -> AlertChannel:
    require_role(user, Role.EDITOR, "To make a channel")
    read = _read(kind, options)
    _refuse_unreachable(user, kind, read)
    with transaction.atomic(), enforce_quotas(user, "channels"):
        shown_options, secrets = split_secrets(KINDS[kind], read)
        channel = AlertChannel.objects.create(
            name=name, kind=kind, options=shown_options, secrets=encrypt(secrets), owner=user, set_by=user
        )
        audit_writing.note(user=user, act="channel.create", thing=channel, after=audit_details(channel))
    return channel


@retry_on_deadlock
def change_channel(
    *,
    channel: AlertChannel,
    user: User,
    name: str | None,
    options: Mapping[str, Any] | None,
    paused: bool | None,
) -> AlertChannel:
    """Change the given settings; secrets that are left out stay, unless messages would go elsewhere."""
    require(user, Right.OWN, channel)
    if options is not None:
        _refuse_unreachable(user, channel.kind, _read(channel.kind, _complete_options(channel, options)))
    with transaction.atomic():
        locked = lock_permitted(channel, user, Right.OWN)
        before, was = audit_details(locked), (locked.options, locked.secrets)
        if options is not None:
            shown_options, secrets = split_secrets(
                KINDS[locked.kind], _read(locked.kind, _complete_options(locked, options))
            )
            locked.options, locked.secrets, locked.set_by = shown_options, encrypt(secrets), user
        locked.name = locked.name if name is None else name
        locked.paused = locked.paused if paused is None else paused
        observed = AlertChannel.Observed.PAUSED if locked.paused else AlertChannel.Observed.STARTING
        locked.observed, locked.words, locked.version = observed, observed.value, locked.version + 1
        locked.failing_since = None if options is not None else locked.failing_since
        locked.save()
        changed = list_changed_options(was, (locked.options, locked.secrets))
        after = audit_details(locked) | ({"hidden": changed} if changed else {})
        audit_writing.note(user=user, act="channel.change", thing=locked, before=before, after=after)
    return locked


@retry_on_deadlock
def delete_channel(*, channel: AlertChannel, user: User) -> None:
    """Delete a channel; alerts no longer notify it."""
    with transaction.atomic():
        locked = lock_permitted(channel, user, Right.OWN)
        audit_writing.note(user=user, act="channel.delete", thing=locked, before=audit_details(locked))
        locked.delete()


def set_channels(alert: Alert, user: User, numbers: Iterable[int]) -> None:
    """Let an alert notify exactly these channels; call it in a transaction, with the alert locked.

    A new channel is notified of what is firing now, and of what follows.
    """
    chosen = set(numbers)
    if len(chosen) > MAX_CHANNELS_PER_ALERT:
        message = f"{len(chosen)} channels. At most {MAX_CHANNELS_PER_ALERT} are possible."
        raise Invalid.field("channels", message, "Leave some out.")
    seen = set(select_own(AlertChannel.objects.filter(pk__in=chosen), user).values_list("pk", flat=True))
    routed = set(alert.routes.values_list("channel", flat=True))
    if unusable := sorted(chosen - seen - routed):
        message = f"There is no channel {unusable[0]} that you may use."
        raise Invalid.field("channels", message, "Look at GET /api/channels/.")
    alert.routes.exclude(channel__in=chosen).delete()
    AlertRoute.objects.bulk_create(
        [AlertRoute(alert=alert, channel_id=number) for number in sorted(chosen - routed)]
    )


def try_channel(*, channel: AlertChannel, user: User) -> None:
    """Send a test message; raise `ApiError` with the problem."""
    require(user, Right.OWN, channel)
    now = time.time_ns() // 1000
    alert = {
        "id": 0, "name": "Test", "severity": "info", "labels": {}, "runbook": "", "plan": 0,
        "plan_name": "", "node": "",
    }  # fmt: skip
    text = f"This is a test of the channel {channel.name}."
    news = IncidentNews(0, "test", "resolved", "test", now, now, text)
    notifier: Notifier | None = None
    try:
        notifier = open_channel(channel)
        notifier.send(AlertMessage(f"test-{new_identity()}", alert, f"Test of {channel.name}", [news]))
    except (TargetUnavailable, EgressRefused, OSError) as why:
        raise ApiError(end_sentence(f"The message did not arrive: {why}"), code="channel_trouble") from None
    finally:
        if notifier is not None:
            notifier.close()


def open_channel(channel: AlertChannel) -> Notifier:
    """Return a notifier; raise `TargetUnavailable` if the options are unusable."""
    try:
        own_options = {**channel.options, **decrypt(channel.secrets)}
        notifier = KINDS[channel.kind](**options.read(KINDS[channel.kind], own_options))
    except KeyError:
        raise TargetUnavailable(f"there is no kind of channel {channel.kind!r} any more") from None
    except (Unreadable, options.BadOptions) as why:
        raise TargetUnavailable(f"its options cannot be used: {why}") from None
    notifier.egress = build_egress(channel.set_by)
    return notifier


def audit_details(channel: AlertChannel) -> Document:
    """Return what readers may later know of it: not where messages go."""
    return {name: getattr(channel, name) for name in ("name", "kind", "paused")}


def _read(kind: str, given_options: Mapping[str, Any]) -> Document:
    return check_options("channel", KINDS, kind, lambda: options.read(KINDS[kind], given_options))


def _complete_options(channel: AlertChannel, options: Mapping[str, Any]) -> Document:
    """Add the stored secrets, unless they would be sent elsewhere."""
    kind = KINDS[channel.kind]
    whole = {**channel.options, **open_secrets(channel.secrets)}
    if all(have_options_changed(kind, kind.place, was, options) for was in (channel.options, whole)):
        return dict(options)
    return restore_kept_secrets(kind, channel.options, channel.secrets, options)


def _refuse_unreachable(user: User, kind: str, read: Mapping[str, Any]) -> None:
    """Resolve host names before anything is locked: a slow resolver blocks nobody."""
    with explain_unreachable("channel"):
        build_egress(user, trying=True).check(KINDS[kind](**read).destinations())
