"""A round of the supervisor: what one query does never keeps the others waiting."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from timeline_app.web.models import Query
from workers import supervisor
from workers.watch import Stuck

pytestmark = pytest.mark.django_db


def test_claims_that_ran_out_keep_no_place() -> None:
    """A worker that is killed while it starts eight queries leaves eight claims behind."""
    past = timezone.now() - timedelta(minutes=5)
    claimed = {"desired": "running", "observed": "starting", "claimed_until": past, "program": {}}
    queries = [Query.objects.create(name=f"q{number}", **claimed) for number in range(9)]
    assert len(supervisor._round(queries, None, {})) == supervisor.A_ROUND


def test_a_query_that_does_not_let_itself_be_stopped_is_counted_and_left_to_itself() -> None:
    class Hangs:
        def stop(self) -> None:
            raise TimeoutError("it does not stop")

    query = Query.objects.create(name="q", desired="running", observed="running", program={})
    supervisor._free_the_way([(Stuck(90.0, "stuck", at_work=True), query, Hangs())])
    query.refresh_from_db()
    assert (query.observed, query.restarts) == ("retrying", 1)
