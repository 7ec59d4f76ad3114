"""Keeps the incidents of alerts up to date: with each batch of their nodes, and between batches where alerts begin."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from django.db import InterfaceError, OperationalError, transaction

from timeline_app.algebra.revisions import Revisions
from timeline_app.web.alerts.following import follow_plans, take_page
from timeline_app.web.alerts.incidents import lock_alerts, write_incidents
from timeline_app.web.alerts.notifications import notify_alerts
from timeline_app.web.models import Node
from timeline_app.web.models.alerts import Alert

log = logging.getLogger(__name__)
FOLLOW_PLANS_EVERY_S = 1.0
WAIT_AFTER_FAILURE_S = 30.0


def write_alerts(node: Node, revisions: Revisions, newest: int | None, known_at: int) -> None:
    """Write the incidents that follow from revisions of a node, in the transaction that writes the revisions.

    A fault here never blocks publishing: the node's alerts start over instead.
    """
    alerts = lock_alerts(node)
    if not alerts:
        return
    try:
        with transaction.atomic():
            notify_alerts(write_incidents(node, alerts, revisions, newest, known_at))
    except (OperationalError, InterfaceError):
        raise
    except Exception:
        log.exception("the incidents of node %s could not be written; its alerts begin anew", node.digest)
        Alert.objects.filter(pk__in=[alert.pk for alert in alerts]).update(taken_until="")


class AlertFollower:
    """Starts alerts on the nodes that their plans run, one page of keys at a time."""

    def __init__(self) -> None:
        self._look_at = 0.0
        self._beginning = True

    def step(self) -> bool:
        """Do the next small part. Return whether there was anything to do."""
        now = time.monotonic()
        if now >= self._look_at:
            self._look_at, self._beginning = now + FOLLOW_PLANS_EVERY_S, True
            self._try(follow_plans)
        if self._beginning:
            self._beginning = self._try(_take_one_page)
        return self._beginning

    def _try(self, act: Callable[[], object]) -> bool:
        try:
            return bool(act())
        except (OperationalError, InterfaceError):
            raise
        except Exception:
            log.exception(
                "alerts could not begin with their nodes; tried again in %.0f s", WAIT_AFTER_FAILURE_S
            )
            self._look_at = time.monotonic() + WAIT_AFTER_FAILURE_S
            return False


def _take_one_page() -> bool:
    transitions = take_page()
    if transitions:
        notify_alerts(transitions)
    return transitions is not None
