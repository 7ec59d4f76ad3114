"""Sharing step by step, by the product's one service that sets all of it."""

from __future__ import annotations

from collections.abc import Iterable

from django.contrib.auth.models import User

from timeline_app.web.core.permissions import Right, Rights
from timeline_app.web.core.sharing import set_sharing
from timeline_app.web.models.people import Shared
from timeline_app.web.people.selectors import Holder, describe_sharing, get_holder


def share_exactly(*, thing: Shared, user: User, holder: Holder, rights: Iterable[Right]) -> None:
    """From now on a person or a team has exactly these rights beside the others; none: no share any more."""
    rights_by_holder = list_held_rights(thing) | {holder: frozenset(rights)}
    chosen = {who: what for who, what in rights_by_holder.items() if what}
    thing.refresh_from_db(fields=["open_to_all"])
    set_sharing(thing=thing, user=user, is_open=thing.open_to_all, rights_by_holder=chosen)


def open_to_all(*, thing: Shared, user: User, is_open: bool) -> None:
    """Let everybody who can log in look, or only those with whom it is shared."""
    set_sharing(thing=thing, user=user, is_open=is_open, rights_by_holder=list_held_rights(thing))
    thing.refresh_from_db(fields=["open_to_all"])


def list_held_rights(thing: Shared) -> dict[Holder, Rights]:
    """Who may do what beside the owner."""
    rows = describe_sharing(thing)["shares"]
    return {get_holder(row["kind"], row["name"]): frozenset(map(Right, row["rights"])) for row in rows}
