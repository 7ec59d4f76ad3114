"""One supervisor at a time, whoever dies."""

from __future__ import annotations

import subprocess
import sys
from datetime import timedelta

import pytest
from django.utils import timezone

from timeline_app.web.core import processes
from timeline_app.web.core.leases import lease
from timeline_app.web.models import Lease

pytestmark = pytest.mark.django_db


def test_a_lease_is_held_once_and_given_back() -> None:
    with lease("supervisor", 60) as acquired:
        with lease("supervisor", 60) as acquired_twice:
            assert (bool(acquired), bool(acquired_twice)) == (True, False)
        with lease("supervisor", 60) as still_theirs:
            assert not still_theirs, "who did not get it must not give it back"
    with lease("supervisor", 60) as again:
        assert again


def test_a_lease_whose_holder_died_expires() -> None:
    Lease.objects.create(name="supervisor", holder="dead", expires_at=timezone.now() - timedelta(seconds=1))
    with lease("supervisor", 60) as acquired:
        assert acquired


def test_what_a_process_that_was_killed_held_is_free_at_once() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        held = processes.mark_of(other.pid)
        Lease.objects.create(
            name="supervisor", holder=f"id {held}", expires_at=timezone.now() + timedelta(seconds=60)
        )
        with lease("supervisor", 60) as acquired:
            assert not acquired, "it lives"
        other.kill()
    with lease("supervisor", 60) as acquired:
        assert acquired
        assert acquired.renew()
        with lease("supervisor", 60) as another:
            assert not another


def test_a_holder_that_was_away_too_long_takes_nothing_from_the_next_one() -> None:
    with lease("supervisor", -1) as late:
        assert late
        with lease("supervisor", 60) as acquired:
            assert acquired
            Lease.objects.filter(name="supervisor").update(holder="the next one")
        assert Lease.objects.get(name="supervisor").holder == "the next one"
    assert Lease.objects.get(name="supervisor").holder == "the next one"


def test_leases_of_different_names_do_not_meet() -> None:
    with lease("one", 60) as left, lease("other", 60) as right:
        assert left
        assert right


def test_who_was_away_too_long_is_told_that_another_one_acts() -> None:
    with lease("supervisor", -1) as late:
        with lease("supervisor", 60) as acquired:
            assert acquired.renew()
            assert not late.renew()
        assert not late.renew(), "it was given back by its new holder, who may have changed everything"
    with lease("supervisor", 60) as acquired, lease("supervisor", 60) as other:
        assert acquired.renew()
        assert not other.renew()
