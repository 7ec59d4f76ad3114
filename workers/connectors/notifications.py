"""Sends the notifications of a channel in order, one thread per channel; each is retried until the receiver has it."""

from __future__ import annotations

import logging
import time
from datetime import timedelta

from django.db import DatabaseError, connections
from django.utils import timezone

from timeline_app.connectors.egress.policy import EgressRefused
from timeline_app.connectors.masked_addresses import mask_addresses
from timeline_app.connectors.notifiers.contract import Notifier
from timeline_app.connectors.sink_contract import TargetUnavailable
from timeline_app.web.alerts.channel_services import open_channel
from timeline_app.web.alerts.outbox import make_message, message_of
from timeline_app.web.core.egress import may_reach_private
from timeline_app.web.core.leases import Hold, lease
from timeline_app.web.models.channels import AlertChannel, AlertNotification, AlertRoute
from workers.connectors.runner import ConnectorKey, ConnectorThread

log = logging.getLogger("workers.connectors.delivery")
LEASE_S, RENEW_EVERY_S = 15.0, 4.0
POLL_INTERVAL_S = 0.5
MAX_WAIT_S = 60.0
REPORT_EVERY_S = 5.0
GIVE_UP_AFTER = timedelta(days=1)
Observed = AlertChannel.Observed


class NotificationSender(ConnectorThread):
    """Serves one channel, as configured when the thread started, until it is stopped."""

    def __init__(self, channel: AlertChannel) -> None:
        super().__init__(f"notifications of channel {channel.pk}")
        self.channel = channel
        self._tries = 0
        self._said, self._renewed = 0.0, 0.0

    def run(self) -> None:
        """Open the channel and send; retry after failures."""
        while not self._halt.is_set():
            try:
                self._serve()
            except (TargetUnavailable, EgressRefused, OSError, DatabaseError) as why:
                self._wait(str(why), getattr(why, "wait", None))
            except Exception as why:
                log.exception("nobody can be notified by channel %s", self.channel.pk)
                self._wait(f"the channel failed ({type(why).__name__}; see the log of the delivery)")
        connections.close_all()

    def _serve(self) -> None:
        with lease(f"channel {self.channel.pk}", LEASE_S) as hold:
            if not hold:
                self._halt.wait(1.0)
                return
            notifier = open_channel(self.channel)
            try:
                while not self._halt.is_set() and self._keep(hold):
                    if not self.step(notifier):
                        self._say_idle()
                        self._halt.wait(POLL_INTERVAL_S)
            finally:
                notifier.close()

    def step(self, notifier: Notifier) -> bool:
        """Make the messages that are due, and send the next one. Return whether there was anything to do."""
        routes = (
            AlertRoute.objects.filter(channel=self.channel.pk).order_by("pk").values_list("pk", flat=True)
        )
        messages = [make_message(route, type(notifier)) for route in list(routes)]
        waiting = AlertNotification.objects.filter(route__channel=self.channel.pk, sent_at=None)
        message = waiting.select_related("route").order_by("pk").first()
        if message is not None:
            self._send(message, notifier)
        return message is not None or any(messages)

    def _send(self, message: AlertNotification, notifier: Notifier) -> None:
        row = AlertNotification.objects.filter(pk=message.pk)
        try:
            notifier.send(message_of(message))
        except (TargetUnavailable, EgressRefused, OSError) as why:
            given_up = timezone.now() > message.made_at + GIVE_UP_AFTER
            now = timezone.now() if given_up else None
            row.update(
                attempts=message.attempts + 1,
                answer=mask_addresses(str(why))[:500],
                sent_at=now,
                given_up=given_up,
            )
            raise
        row.update(attempts=message.attempts + 1, answer="", sent_at=timezone.now())
        self._tries = 0
        sent = AlertChannel.objects.filter(pk=self.channel.pk)
        self.channel.sent += 1
        sent.update(sent=self.channel.sent, sent_at=timezone.now(), failing_since=None)
        self.channel.failing_since = None
        self._said = 0.0

    def _keep(self, hold: Hold) -> bool:
        if time.monotonic() - self._renewed <= RENEW_EVERY_S:
            return True
        self._renewed = time.monotonic()
        return bool(hold.renew())

    def _wait(self, why: str, delay: float | None = None) -> None:
        self._tries += 1
        why = mask_addresses(why)  # an address may hold a token, and a library's error may quote the address
        wait = max(min(2.0 ** min(self._tries - 1, 10), MAX_WAIT_S), delay or 0.0)
        log.warning("channel %s: %s; tried again in %.0f s", self.channel.pk, why, wait)
        self._said = 0.0
        try:
            self._note_failure()
            self._say(Observed.RETRYING, f"{why[:440]}; tried again every {wait:.0f} s")
        except DatabaseError as problem:
            log.warning("that could not be written down: %s", problem)
            connections.close_all()
        self._halt.wait(wait)

    def _note_failure(self) -> None:
        """Record since when no message arrives, unless an earlier failure did."""
        if self.channel.failing_since is None:
            self.channel.failing_since = timezone.now()
            row = AlertChannel.objects.filter(pk=self.channel.pk, failing_since=None)
            row.update(failing_since=self.channel.failing_since)

    def _say_idle(self) -> None:
        """Record that nothing waits; after failures only a message that arrives shows that the channel works."""
        if self.channel.failing_since is None:
            self._say(Observed.READY, "ready")
        else:
            self._say(Observed.RETRYING, "the last message did not arrive, and no other waits")

    def _say(self, observed: str, words: str) -> None:
        """Record the status at regular intervals, unless the channel was reconfigured meanwhile."""
        if time.monotonic() - self._said < REPORT_EVERY_S:
            return
        self._said = time.monotonic()
        row = AlertChannel.objects.filter(pk=self.channel.pk, version=self.channel.version)
        if not row.update(observed=observed, words=words, looked_at=timezone.now()):
            self._halt.set()


def select_channels() -> dict[ConnectorKey, AlertChannel]:
    """Return the channels that need a sender, keyed by negative number (sinks use positive ones) and setting."""
    channels = AlertChannel.objects.filter(paused=False).select_related("set_by__member")
    return {
        (-channel.pk, (channel.version, may_reach_private(channel.set_by))): channel for channel in channels
    }
