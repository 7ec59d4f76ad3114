"""Sharing and transferring resources, and assigning roles."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from django.contrib.auth.models import User
from django.db import transaction
from guardian.shortcuts import assign_perm, remove_perm

from timeline_app.web.core import audit_writing, notifications
from timeline_app.web.core.errors import Conflict, Missing
from timeline_app.web.core.permissions import SHARED_WITH, Right, Rights, get_role, require, require_role
from timeline_app.web.core.quotas import QUOTAS_OF, enforce_quotas
from timeline_app.web.core.transactions import retry_on_deadlock
from timeline_app.web.models import Plan
from timeline_app.web.models.people import Member, Owned, Role, Shared
from timeline_app.web.people.selectors import KINDS, Holder, describe_sharing, list_sharing_holders
from timeline_app.web.workspace.bulk_transfer import find_first_not_own
from timeline_app.web.workspace.ended_rights import end_lost_rights

Thing = TypeVar("Thing", bound=Owned)
TRANSFER_BATCH_SIZE = 500
"""Resources per query."""


def lock_permitted(thing: Thing, user: User, right: Right) -> Thing:
    """Return the locked, current row if the user has this right on it. Call it in a transaction."""
    locked = lock(thing)
    require(user, right, locked)
    return locked


def lock(thing: Thing) -> Thing:
    """Return the locked, current row. Call it in a transaction."""
    return lock_all([thing])[0]


@retry_on_deadlock
def set_sharing(
    *, thing: Shared, user: User, is_open: bool, rights_by_holder: Mapping[Holder, Rights]
) -> None:
    """Open a resource to all or not, and share it with exactly these holders."""
    with transaction.atomic():
        locked = lock_permitted(thing, user, Right.OWN)
        before = describe_sharing(locked)
        locked.open_to_all = is_open
        locked.save(update_fields=["open_to_all"])
        for holder in list_sharing_holders(locked):
            if holder not in rights_by_holder:
                give(locked, holder, frozenset())
        for holder, rights in rights_by_holder.items():
            give(locked, holder, rights)
        _note_change(user, locked, "share", before, describe_sharing(locked))


def give(thing: Shared, holder: Holder, rights: Rights) -> None:
    """Grant somebody exactly these rights; each right includes reading. Call it in a transaction."""
    granted = rights | {Right.READ} if rights else rights
    for word, right in SHARED_WITH.items():
        permission = f"{word}_{thing._meta.model_name}"
        if right in granted and permission in list_permissions(thing):
            assign_perm(permission, holder, thing)
        elif permission in list_permissions(thing):
            remove_perm(permission, holder, thing)


def transfer(*, things: Iterable[Owned], user: User, to: Holder, reason: str | None = None) -> int:
    """Transfer resources to another person or team, all or none; return how many changed their owner."""
    refuse_inactive(to)
    kinds: dict[type[Owned], list[Owned]] = defaultdict(list)
    for thing in things:
        kinds[type(thing)].append(thing)
    parts = [
        things_of_kind[at : at + TRANSFER_BATCH_SIZE]
        for things_of_kind in kinds.values()
        for at in range(0, len(things_of_kind), TRANSFER_BATCH_SIZE)
    ]
    return _transfer_parts(parts, user, to, reason)


@retry_on_deadlock
def _transfer_parts(parts: Sequence[Sequence[Owned]], user: User, to: Holder, reason: str | None) -> int:
    """Transfer batches of resources, each of one kind."""
    kinds = {type(part[0]) for part in parts}
    with (
        transaction.atomic(),
        enforce_quotas(to, *(name for kind in kinds for name in QUOTAS_OF.get(kind, ()))),
    ):
        locked_parts = [lock_all(part) for part in parts]
        for part in locked_parts:
            if strange := find_first_not_own(part, user):
                require(user, Right.OWN, strange)
        moved = sum(_give_things(part, user, to, reason) for part in locked_parts)
        if moved:
            end_lost_rights()
            notifications.notify_access_change()
    return moved


def is_owner(thing: Owned, holder: Holder) -> bool:
    """Return whether somebody owns a resource."""
    return holder.pk == (thing.owner_id if isinstance(holder, User) else thing.team_id)


def _give_things(candidates: Sequence[Owned], user: User, to: Holder, reason: str | None) -> int:
    """Change the owner of resources of one kind and audit each change; return how many changed."""
    things = [item for item in candidates if not is_owner(item, to)]
    if not things:
        return 0
    model = type(things[0])
    owner, team = (to, None) if isinstance(to, User) else (None, to)
    before = [thing.owner_told() for thing in things]
    # Streams that were opened to the former owner are not opened to the next one.
    more: dict[str, Any] = {"opened": {}} if model is Plan else {}
    model._default_manager.filter(pk__in=[thing.pk for thing in things]).update(
        owner=owner, team=team, **more
    )
    for thing in things:
        thing.owner, thing.team = owner, team
    changes = [(item, was, item.owner_told()) for item, was in zip(things, before, strict=True)]
    audit_writing.note_many(user=user, act=f"{model.kind_name()}.transfer", changes=changes, reason=reason)
    return len(things)


@retry_on_deadlock
def transfer_all(*, holder: Holder, user: User, to: Holder, reason: str | None = None) -> int:
    """Transfer everything that a person or a team owns, at once."""
    require_role(user, Role.ADMIN, "To give away all that somebody owns")
    if holder == to:
        raise Conflict(
            f"All that {to} owns belongs to {to} already. Choose somebody else.", code="same_owner"
        )
    with transaction.atomic():
        return transfer(things=list_holdings(holder), user=user, to=to, reason=reason)


def list_holdings(holder: Holder) -> list[Owned]:
    """Return everything that a person or a team owns directly."""
    field = "owner" if isinstance(holder, User) else "team"
    return [
        thing for kind in KINDS for thing in kind._default_manager.filter(**{field: holder}).order_by("pk")
    ]


@retry_on_deadlock
def delete_person(*, person: User, user: User, to: Holder | None = None) -> None:
    """Delete a person. Refuse it while the person owns anything, unless it goes to somebody else."""
    require_role(user, Role.ADMIN, "To delete a person")
    if person.pk == user.pk:
        raise Conflict("Nobody can delete themselves. Ask another administrator.", code="yourself")
    with transaction.atomic():
        refuse_last_admin(person, user)
        # While the row is locked, the person cannot get anything new.
        locked = lock_person(person)
        if to is not None:
            transfer_all(holder=locked, user=user, to=to)
        refuse_owner(person, person.get_username())
        audit_writing.note(
            user=user, act="person.delete", thing=person, before={"role": get_role(person).value}
        )
        person.delete()
        end_lost_rights()


@retry_on_deadlock
def set_role(*, person: User, user: User, role: Role) -> None:
    """Set a person's role; the last administrator keeps it."""
    require_role(user, Role.ADMIN, "To give roles")
    with transaction.atomic():
        if role != Role.ADMIN:
            refuse_last_admin(person, user)
        locked = lock_person(person)
        before = {"role": get_role(locked).value}
        locked.is_staff = role in (Role.OPERATOR, Role.ADMIN)
        locked.is_superuser = role == Role.ADMIN
        locked.save(update_fields=["is_staff", "is_superuser"])
        Member.objects.update_or_create(user=locked, defaults={"role": role})
        audit_writing.note(
            user=user, act="person.role", thing=locked, before=before, after={"role": role.value}
        )
        end_lost_rights()
        notifications.notify_access_change()


def lock_person(person: User) -> User:
    """Return a person, locked until the end of the transaction; raise `Missing`."""
    user = User.objects.select_for_update().filter(pk=person.pk).first()
    if user is None:
        raise Missing.person(person.get_username())
    return user


def refuse_last_admin(person: User, user: User) -> None:
    """Keep at least one administrator. Call it first in the transaction that takes the role from a person."""
    admins = User.objects.filter(is_superuser=True, is_active=True).order_by("pk")
    # Lock all of them: the second of two mutual removals waits, and is no longer an administrator.
    numbers = {item.pk for item in admins.select_for_update()}
    require_role(lock_person(user), Role.ADMIN, "To take something from a person")
    if numbers == {person.pk}:
        message = f"{person.get_username()} is the only administrator. Make another one first."
        raise Conflict(message, code="last_admin")


def refuse_owner(holder: Holder, called: str) -> None:
    """Refuse to remove a holder who owns anything."""
    if owned := list_holdings(holder):
        names = ", ".join(f"{item._meta.verbose_name} “{item}”" for item in owned[:3])
        more = f" and {len(owned) - 3} more" if len(owned) > 3 else ""
        raise Conflict(f"{called} owns {names}{more}. Transfer them first.", code="owns_things")


def refuse_inactive(to: Holder) -> None:
    """Refuse to transfer anything to a user who cannot log in."""
    if isinstance(to, User) and not to.is_active:
        raise Conflict(f"{to.get_username()} cannot log in any more. Choose somebody else.", code="inactive")


def list_permissions(thing: Shared) -> Sequence[str]:
    """Return the permissions of this kind of resource."""
    own = [name for name, _ in thing._meta.permissions]
    return [*own, f"view_{thing._meta.model_name}", f"change_{thing._meta.model_name}"]


def lock_all(things: Sequence[Thing]) -> list[Thing]:
    """Return resources of one kind as they are now, locked."""
    rows = type(things[0])._default_manager.select_related("owner", "team").order_by("pk")
    locked = {
        item.pk: item
        for item in rows.select_for_update(of=("self",)).filter(
            pk__in=[thing_to_lock.pk for thing_to_lock in things]
        )
    }
    for thing in things:
        if thing.pk not in locked:
            message = f"The {thing._meta.verbose_name} {thing} was deleted in the meantime."
            raise Missing(message, code=f"unknown_{thing.kind_name()}")
    return list(locked.values())


def _note_change(user: User, thing: Shared, act: str, before: Any, after: Any) -> None:
    if before != after:
        name = f"{thing._meta.model_name}.{act}"
        audit_writing.note(user=user, act=name, thing=thing, before=before, after=after)
        end_lost_rights()
        notifications.notify_access_change()
