"""The kinds of channels, by name."""

from __future__ import annotations

from timeline_app.connectors.notifiers.alertmanager import AlertmanagerNotifier
from timeline_app.connectors.notifiers.contract import Notifier
from timeline_app.connectors.notifiers.webhook import WebhookNotifier
from timeline_app.web.alerts.mail import MailNotifier

KINDS: dict[str, type[Notifier]] = {
    "webhook": WebhookNotifier,
    "mail": MailNotifier,
    "alertmanager": AlertmanagerNotifier,
}
