"""A new Spark server is warmed up once, while nothing is wanted of it, and nobody sees anything of that."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_django.fixtures import Settings

from tests.workers.conftest import MakeNode, build_state, compile_programs
from timeline_app.fs.layout import Places
from timeline_app.web.models import Node, Query
from workers.engine import supervisor
from workers.engine.warming import QUERY_NAME, WARMED_UP, warm_up
from workers.spark.connect.session import get_session, list_active_queries
from workers.stack.health import find_free_port

pytestmark = pytest.mark.django_db


def test_a_server_that_is_not_there_yet_is_asked_again(data: Path, settings: Settings) -> None:
    settings.SPARK_REMOTE = f"sc://127.0.0.1:{find_free_port()}"
    assert warm_up() is None


@pytest.mark.spark
def test_a_plan_is_run_once_in_the_scratch_of_the_server(
    transactional_db: None, remote: str, data: Path
) -> None:
    query = warm_up()
    assert query is not None
    assert query.awaitTermination(120)
    assert query.exception() is None
    folder = data / "spark" / QUERY_NAME
    assert Places(folder).feed(QUERY_NAME).is_dir(), "it has answered"
    assert sorted(path.name for path in data.iterdir() if path.is_dir()) == ["spark"]
    assert warm_up() is None
    assert not Query.objects.exists()
    assert not Node.objects.exists()
    assert supervisor.reconcile() == []


@pytest.mark.spark
def test_whoever_wants_something_is_not_made_to_wait(make_node: MakeNode, remote: str, data: Path) -> None:
    make_node(compile_programs({"a": build_state("x")})["a"])
    assert warm_up() is None
    assert list_active_queries(get_session(remote, str(data))) == {}
    Query.objects.update(desired="stopped", observed="stopped")
    assert get_session(remote, str(data)).conf.get(WARMED_UP) == "1"
    assert warm_up() is None, "what was wanted has warmed it up"
