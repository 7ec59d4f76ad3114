"""Display options of streams and plans."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from timeline_app.web.core import audit_writing
from timeline_app.web.core.errors import Conflict
from timeline_app.web.core.permissions import Right
from timeline_app.web.core.sharing import lock_permitted
from timeline_app.web.models import Plan, Stream

Displays = dict[str, Any]
MAX_DISPLAYS_PER_THING = 500


def _is_there(thing: Stream | Plan, name: str) -> bool:
    """Return whether a plan draws or runs such a node; a stream's fields come and go, so each is accepted."""
    if isinstance(thing, Stream):
        return True
    return any(
        name in (document or {}).get("nodes", {}) for document in (thing.document, thing.running_document)
    )


def change_display(*, thing: Stream | Plan, user: User, chosen: Displays) -> Displays:
    """Update the display options of these fields or nodes. No digest and no version depends on them."""
    with transaction.atomic():
        thing = lock_permitted(thing, user, Right.EDIT)
        before: Displays = thing.display
        inherited = {name: value for name, value in before.items() if _is_there(thing, name)}
        after = {name: value for name, value in {**inherited, **chosen}.items() if value}
        if len(after) > MAX_DISPLAYS_PER_THING:
            message = f"At most {MAX_DISPLAYS_PER_THING} names can have colours and formats"
            raise Conflict(f"{message}; send null for those that are gone.", code="too_many")
        if after == before:
            return after
        thing.display = after
        type(thing).objects.filter(pk=thing.pk).update(display=after)
        was = {name: before.get(name) for name in chosen}
        audit_writing.note(
            user=user, act=f"{thing.kind_name()}.display", thing=thing, before=was, after=chosen
        )
    return after
