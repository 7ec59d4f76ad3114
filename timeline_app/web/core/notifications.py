"""Tell the workers and the open pages that something changed; both find out by themselves if this fails."""

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
SOON = 1.0
log = logging.getLogger(__name__)


@cache
def get_task_sender() -> Celery:
    """A Celery client that only sends; the tasks live in another package, which is never imported here."""
    client = Celery("timelines", set_as_current=False)
    client.config_from_object("django.conf:settings", namespace="CELERY")
    # Somebody waits for the page: one try, not five seconds of them.
    client.conf.broker_transport_options |= {"max_retries": 1, "interval_start": 0, "interval_step": 0}
    return client


def notify_change() -> None:
    """After this transaction: the supervisor looks now, and pages read the status again."""
    transaction.on_commit(send, robust=True)


def plan_changed(plan: int) -> None:
    """After this transaction: the pages of this plan look at it again."""
    transaction.on_commit(lambda: send_to_pages(plan), robust=True)


def notify_access_change() -> None:
    """After this transaction: every open page looks whether it may still see what it shows."""
    transaction.on_commit(send_access, robust=True)


def send_access() -> None:
    """Have all sockets look after their rights."""
    send_to_groups((STATUSES, {"type": "access.changed"}))


def send_access_soon() -> None:
    """The same a little later: when the answer that is under way has brought a browser its new session.

    A page of that browser that asked for the login with the old one before would be told to forget both.
    """
    timer = threading.Timer(SOON, send_access)
    timer.daemon = True
    timer.start()


def send_to_pages(plan: int) -> None:
    """Wake the pages of one plan."""
    send_to_groups((group_of_plan(plan), {"type": "plan.changed", "plan": plan}))


def send() -> None:
    """Ask for a supervision and wake the pages that watch."""
    try:
        get_task_sender().send_task(SUPERVISE, retry=False, expires=2)
    except (OperationalError, RedisError, OSError) as why:
        log.warning("could not announce a change, it will be noticed within seconds: %s", why)
    else:
        send_to_groups((STATUSES, {"type": "status.changed"}))
