"""A database of an older version keeps what it holds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from timeline_app.web.models import Node, Plan, Revision
from timeline_app.web.models.terms import PlanTerm
from timeline_app.web.nodes.timelines import peek

pytestmark = pytest.mark.deep

PLAN = {"version": 1, "nodes": {"z": {}, "a": {}}}


def migrate(name: str) -> Any:
    """The models as they were then."""
    executor = MigrationExecutor(connection)
    executor.migrate([("web", name)])
    return MigrationExecutor(connection).loader.project_state([("web", name)]).apps


@pytest.fixture
def newest(transactional_db: None) -> Iterator[str]:
    """The newest migration, to which the database comes back."""
    name = MigrationExecutor(connection).loader.graph.leaf_nodes("web")[0][1]
    yield name
    migrate(name)


def test_a_log_of_0_2_is_the_same_log_afterwards(newest: str) -> None:
    old = migrate("0002_too_late")
    user = old.get_model("auth", "User").objects.create(username="ada")
    query = old.get_model("web", "Query").objects.create(name="d", program={})
    kept = {"operator": "not", "kind": "bool", "owner": user, "query": query, "version": 2, "as_of": 9}
    node = old.get_model("web", "Node").objects.create(digest="d", **kept)
    old.get_model("web", "Plan").objects.create(name="p", owner=user, document=PLAN)
    old.get_model("web", "NodeKey").objects.create(node=node, key="é", birth=0, version=2, known_at=9)
    for version, start, pieces in ((0, None, [[None, False]]), (1, 5, [[5, True]]), (2, 7, [[7, False]])):
        old.get_model("web", "Revision").objects.create(
            node=node, key="é", version=version, known_at=9, birth=0, start=start, end=None, pieces=pieces
        )
    then = migrate("0006_moves")
    row = then.get_model("web", "Node").objects.get()
    kept_node = Node(pk=row.pk, digest=row.digest, kind=row.kind, as_of=row.as_of)
    assert [[p["t"], p["value"]] for p in (peek(kept_node, "é") or {})["points"]] == [
        [None, False],
        [5, True],
        [7, False],
    ]
    assert list(Revision.objects.order_by("version").values_list("known_at", flat=True)) == [9, 10, 11]
    assert kept_node.as_of == 11
    assert [(key.unfolded, key.unfolded_since) for key in kept_node.keys.all()] == [(3, 9)]
    if connection.vendor == "sqlite":  # elsewhere 0.2 had lost the order already
        assert list(then.get_model("web", "Plan").objects.get().document["nodes"]) == ["z", "a"]
    migrate(newest)
    assert set(PlanTerm.objects.values_list("kind", "value")) == {("node", "z"), ("node", "a")}
    assert (Node.objects.count(), Revision.objects.count()) == (0, 0), "they cannot be gone on with"
    assert [(plan.name, plan.running) for plan in Plan.objects.all()] == [("p", False)]
