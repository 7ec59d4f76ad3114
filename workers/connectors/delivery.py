"""`python -m workers.connectors.delivery` delivers the revisions of nodes to their sinks, one thread per sink.

Each batch is written to disk before it is sent, and sent under its number until the target has it. Only then is the
position recorded, so the process may be killed or started twice at any moment. It reads only published revisions, so
no sink delays its node.
"""

from __future__ import annotations

import logging
import os
import time

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "timeline_app.settings")
django.setup()

from django.db import DatabaseError, connections
from django.utils import timezone

from timeline_app.connectors.egress.policy import EgressRefused
from timeline_app.connectors.masked_addresses import mask_addresses
from timeline_app.connectors.sink_contract import IdempotentSink, TargetUnavailable
from timeline_app.connectors.spool import Spool, Spooled
from timeline_app.web.core.disk_space import describe_missing_disk_space
from timeline_app.web.core.egress import may_reach_private
from timeline_app.web.core.leases import Hold, lease
from timeline_app.web.core.log_context import log_facts
from timeline_app.web.models.channels import AlertChannel
from timeline_app.web.models.sinks import NodeSink
from timeline_app.web.sinks import deliveries
from timeline_app.web.sinks import services as sink_services
from timeline_app.web.sinks.deliveries import DeliveredElsewhere
from workers.connectors import runner
from workers.connectors.notifications import NotificationSender, select_channels
from workers.connectors.runner import ConnectorKey, ConnectorThread, RunningThreads
from workers.watchdog import Watchdog

log = logging.getLogger("workers.connectors.delivery")
LEASE_S, RENEW_EVERY_S = 15.0, 4.0
MAX_WAIT_S = 60.0
REPORT_EVERY_S = 5.0
Observed = NodeSink.Observed
watchdog = Watchdog("the delivery", 300.0)


class Gone(Exception):
    """The sink was removed or reconfigured."""


class SinkWriter(ConnectorThread):
    """Serves one sink, as configured when the thread started, until it is stopped."""

    def __init__(self, sink: NodeSink) -> None:
        super().__init__(f"delivery to sink {sink.pk}")
        self.sink = sink
        self._tries = 0
        self._reported_at = self._renewed = 0.0
        self._said = "", 0
        self._published = -1e9

    def run(self) -> None:
        """Open the sink and deliver; retry after failures."""
        with log_facts(node=self.sink.node.digest):
            while not self._halt.is_set():
                try:
                    self._once()
                except Gone:
                    break
                except DeliveredElsewhere:
                    self._halt.wait(0.5)
                except (TargetUnavailable, EgressRefused, OSError, DatabaseError) as why:
                    self._again_later(str(why), getattr(why, "wait", None))
                except Exception as why:
                    log.exception("nothing can be delivered to the sink")
                    self._again_later(f"the sink failed ({type(why).__name__}; see the log of the delivery)")
            try:
                self._sweep()
            except DatabaseError as why:
                log.warning("what is left of the delivery could not be looked at: %s", why)
            connections.close_all()

    def _once(self) -> None:
        with lease(f"delivery {self.sink.pk}", LEASE_S) as hold:
            if not hold:
                self._halt.wait(1.0)
                return
            self._reload_sink()
            target = sink_services.build_sink(self.sink)
            try:
                target.open(sink_services.build_delivery(self.sink))
                target.sweep()
                self._agree(target)
                self._deliver(target, hold)
            finally:
                target.close()

    def _sweep(self) -> None:
        """Remove the spooled batch of a sink that no longer exists."""
        if not NodeSink.objects.filter(identity=self.sink.identity).exists():
            sink_services.get_spool(self.sink).remove()

    def _reload_sink(self) -> None:
        """Reload the sink; raises `Gone` where it was removed or reconfigured."""
        queryset = NodeSink.objects.filter(pk=self.sink.pk, changed_at=self.sink.changed_at).select_related(
            "node"
        )
        if (sink := queryset.first()) is None:
            raise Gone
        self.sink = sink

    def _agree(self, target: IdempotentSink) -> None:
        """Refuse a target that lost batches, or that holds more than were sent: it would skip ours as duplicates."""
        last, spool = target.last(), sink_services.get_spool(self.sink)
        sent = self.sink.batch + (spool.get(self.sink.batch + 1) is not None)
        if last is not None and last < self.sink.batch:
            raise TargetUnavailable(
                f"the target has {last + 1} batches of this sink, and {self.sink.batch + 1} were delivered: bring back"
                " what was taken away, or remove the sink and add it again, so that all is delivered anew"
            )
        if last is not None and last > sent:
            raise TargetUnavailable(
                f"the target has {last + 1} batches of this sink, and only {sent + 1} are known here, as after a"
                " restored backup: remove the sink and add it again, at another place or after emptying this one"
            )

    def _deliver(self, target: IdempotentSink, hold: Hold) -> None:
        spool = sink_services.get_spool(self.sink)
        while not self._halt.is_set():
            step = spool.get(self.sink.batch + 1) or deliveries.read_next_batch(
                self.sink, begin=time.monotonic() - self._published >= target.every
            )
            if step is not None:
                self._carry(step, target, spool)
            self._tries = 0
            lag = deliveries.count_waiting(self.sink)
            self._tell_new(self._words(lag, idle=step is None), lag)
            self._keep(hold)
            if step is None:
                self._halt.wait(runner.POLL_INTERVAL_S)

    def _carry(self, step: Spooled, target: IdempotentSink, spool: Spool) -> None:
        """Publish a batch and record the position; a batch without rows only moves the position."""
        batch = self.sink.batch + 1
        if len(step.rows):
            if (words := describe_missing_disk_space()) is not None:
                raise TargetUnavailable(f"there is no room on the server's disk ({words}): make room")
            step = spool.put(batch, step)
            target.stage(batch, step.rows)
            target.publish(batch)
            self._published = time.monotonic()
        deliveries.record_step(self.sink, step)
        spool.drop(batch)

    def _keep(self, hold: Hold) -> None:
        if time.monotonic() - self._renewed > RENEW_EVERY_S:
            self._renewed = time.monotonic()
            if not hold.renew():
                raise DeliveredElsewhere

    def _words(self, lag: int, *, idle: bool) -> str:
        rows = f"{self.sink.rows:,} row{'' if self.sink.rows == 1 else 's'}"
        if lag or not idle:
            return f"delivering, {rows} so far"
        if not sink_services.is_used(self.sink.node):
            return f"all is delivered, {rows}; no plan runs the node, so nothing new comes"
        if self.sink.place:
            return f"all is delivered, {rows}"
        why = sink_services.describe_silence(self.sink.node)
        silent = f", which does not run: {why}" if why else ""
        return f"waiting for the first rows of the node{silent}"

    def _again_later(self, why: str, delay: float | None = None) -> None:
        self._tries += 1
        why = mask_addresses(why)  # an address may hold a token, and a library's error may quote the address
        wait = max(min(2.0 ** min(self._tries - 1, 10), MAX_WAIT_S), delay or 0.0)
        log.warning("%s; tried again in %.0f s", why, wait)
        try:
            self._tell(
                Observed.RETRYING,
                f"{why[:440]}; tried again every {wait:.0f} s",
                deliveries.count_waiting(self.sink),
            )
        except DatabaseError as problem:
            log.warning("that could not be written down: %s", problem)
            connections.close_all()
        self._halt.wait(wait)

    def _tell_new(self, words: str, lag: int) -> None:
        """Record the status when it changes, and at regular intervals."""
        since = time.monotonic() - self._reported_at
        if since > REPORT_EVERY_S or ((words, lag) != self._said and since > 1.0):
            self._said = words, lag
            self._tell(Observed.DELIVERING, words, lag)

    def _tell(self, observed: str, words: str, lag: int) -> None:
        """Record the status, unless the sink was reconfigured meanwhile."""
        self._reported_at = time.monotonic()
        row = NodeSink.objects.filter(pk=self.sink.pk, changed_at=self.sink.changed_at)
        if not row.update(observed=observed, words=words, lag=lag, looked_at=timezone.now()):
            self._halt.set()


def reconcile(running: RunningThreads) -> None:
    """Give each configured sink and channel one thread; a change of its setting or network rights starts a new one."""
    queryset = NodeSink.objects.filter(paused=False).select_related("node", "set_by__member")
    sinks: dict[ConnectorKey, NodeSink | AlertChannel] = {
        (sink.pk, (sink.changed_at, may_reach_private(sink.set_by))): sink for sink in queryset
    }
    runner.reconcile_threads(running, sinks | select_channels(), _make_thread)


def _make_thread(setting: NodeSink | AlertChannel) -> ConnectorThread:
    return NotificationSender(setting) if isinstance(setting, AlertChannel) else SinkWriter(setting)


if __name__ == "__main__":
    runner.run_until_stopped(watchdog, reconcile)
