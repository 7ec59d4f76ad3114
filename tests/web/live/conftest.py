"""Who looks, and at what."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User

from tests.web.log import T, make_node, revise
from timeline_app.web.models import Node, Query


@pytest.fixture
def viewer(transactional_db: None) -> User:
    return User.objects.create_user("viewer")


@pytest.fixture
def node(viewer: User) -> Node:
    node = make_node(viewer)
    Query.objects.update(desired="running", observed="running")
    revise(node, "s1", [[None, False], [T, True]])
    return node
