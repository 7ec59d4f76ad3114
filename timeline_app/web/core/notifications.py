"""Tell the workers and the open pages about changes; without these messages both notice by polling."""

from __future__ import annotations

import logging
import threading
from functools import cache

from celery import Celery
from django.db import transaction
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from timeline_app.web.core.channel_groups import STATUSES, group_of_plan, send_to_groups

SUPERVISE = "workers.tasks.supervise"
ACCESS_DELAY_S = 1.0
log = logging.getLogger(__name__)


@cache
def get_task_sender() -> Celery:
    """Return a Celery client that only sends; the tasks live in a package that is never imported here."""
    client = Celery("timelines", set_as_current=False)
    client.config_from_object("django.conf:settings", namespace="CELERY")
    # A user waits for the page: try once, not for five seconds.
    client.conf.broker_transport_options |= {"max_retries": 1, "interval_start": 0, "interval_step": 0}
    return client


def notify_change() -> None:
    """After this transaction, trigger the supervisor and let pages reload the status."""
    transaction.on_commit(send, robust=True)


def notify_plan_change(plan: int) -> None:
    """After this transaction, let the pages of this plan reload it."""
    transaction.on_commit(lambda: send_to_pages(plan), robust=True)


def notify_access_change() -> None:
    """After this transaction, let every open page check its rights again."""
    transaction.on_commit(send_access, robust=True)


def send_access() -> None:
    send_to_groups((STATUSES, {"type": "access.changed"}))


def send_access_soon() -> None:
    """Let pages check their rights after the current response has brought the browser its new session.

    An earlier check would still use the old session, and the page would lose both.
    """
    timer = threading.Timer(ACCESS_DELAY_S, send_access)
    timer.daemon = True
    timer.start()


def send_to_pages(plan: int) -> None:
    send_to_groups((group_of_plan(plan), {"type": "plan.changed", "plan": plan}))


def send() -> None:
    """Ask for a supervision, and wake the pages that follow the status."""
    try:
        get_task_sender().send_task(SUPERVISE, retry=False, expires=2)
    except (OperationalError, RedisError, OSError) as why:
        log.warning("could not announce a change, it will be noticed within seconds: %s", why)
    else:
        send_to_groups((STATUSES, {"type": "status.changed"}))
