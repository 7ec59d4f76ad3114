"""Where a node's timelines are delivered to: added, changed, paused, tried, removed."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from django.conf import settings
from django.contrib.auth.models import Group, User
from django.db import transaction
from django.utils import timezone

from timeline_app.algebra.kinds import Kind
from timeline_app.connectors import options
from timeline_app.connectors.egress.policy import EgressRefused
from timeline_app.connectors.masked_addresses import mask_addresses
from timeline_app.connectors.sink_contract import Delivery, IdempotentSink, TargetUnavailable
from timeline_app.connectors.sink_kinds import KINDS
from timeline_app.connectors.spool import Spool
from timeline_app.web.core import audit_writing
from timeline_app.web.core.connector_forms import (
    check_options,
    explain_unreachable,
    have_options_changed,
    list_changed_options,
    list_secret_names,
    list_units,
    open_secrets,
    restore_kept_secrets,
    split_secrets,
)
from timeline_app.web.core.egress import build_egress
from timeline_app.web.core.errors import ApiError, Conflict, Invalid, Missing, end_sentence
from timeline_app.web.core.permissions import NONE, Right, Rights, compute_rights, format_rights, require
from timeline_app.web.core.quotas import enforce_quotas
from timeline_app.web.core.secrets import Unreadable, decrypt, encrypt
from timeline_app.web.core.sharing import lock_permitted
from timeline_app.web.core.stale_status import as_seen
from timeline_app.web.models import Node, PlanNode, Query
from timeline_app.web.models.sinks import NodeSink, SinkKey, generate_identity
from timeline_app.web.streams.read_rights import HolderRights, get_holder_key

log = logging.getLogger(__name__)
Document = dict[str, Any]
THERE_ALREADY = "This node is delivered there already. Change that sink, or choose another place."
MOST = 20
"""Sinks of one person at a node: others who share the node take none of their places."""


def add_sink(
    *, node: Node, user: User, kind: str, delivers: str, given: Mapping[str, Any], paused: bool = False
) -> NodeSink:
    """From now on the node is delivered there, too, from the beginning of its history. The sink belongs to the user."""
    _refuse_unreachable(user, kind, _read(kind, given))
    with transaction.atomic(), enforce_quotas(user, "sinks"):
        node = lock_permitted(node, user, Right.OPERATE)
        if NodeSink.objects.filter(node=node, owner=user).count() >= MOST:
            raise Conflict(
                f"You have {MOST} sinks at this node. Remove one that is not needed.", code="too_many_sinks"
            )
        read = _read(kind, given)
        shown, secrets = split_secrets(KINDS[kind], read)
        refuse_folder_of_others(read, user)
        _refuse_twice(node, user, kind, read)
        _refuse_at_once(node, user, kind, read)
        made = NodeSink.objects.create(
            node=node, kind=kind, delivers=delivers, options=shown, secrets=encrypt(secrets), paused=paused,
            owner=user, set_by=user, changed_at=timezone.now(), **describe_new_status(paused=paused),
        )  # fmt: skip
        audit_writing.note(
            user=user, act="node.sink", thing=node, before=None, after=describe_for_audit(made)
        )
    return made


def change_sink(*, sink: NodeSink, user: User, delivers: str, given: Mapping[str, Any]) -> NodeSink:
    """Its options are these from now on. Where it delivers something else, or elsewhere, it begins anew there."""
    require(user, Right.OWN, sink)
    _refuse_unreachable(user, sink.kind, _read(sink.kind, _complete_options(sink, sink.kind, given)))
    with transaction.atomic():
        node, sink = lock_permitted(sink.node, user, Right.OPERATE), lock_permitted(sink, user, Right.OWN)
        before, was = describe_for_audit(sink), (sink.options, sink.secrets)
        read = _read(sink.kind, _complete_options(sink, sink.kind, given))
        shown, secrets = split_secrets(KINDS[sink.kind], read)
        elsewhere = _place(sink.kind, read) != _place(sink.kind, _merge_secrets(sink))
        if elsewhere:
            refuse_folder_of_others(read, user)
            _refuse_twice(node, user, sink.kind, read)
            _refuse_at_once(node, user, sink.kind, read)
        if elsewhere or delivers != sink.delivers:
            _begin_anew(sink)
        sink.options, sink.secrets, sink.delivers, sink.set_by = shown, encrypt(secrets), delivers, user
        _reset_sink(sink)
        changed = list_changed_options(was, (sink.options, sink.secrets))
        after = describe_for_audit(sink) | ({"hidden": changed} if changed else {})
        audit_writing.note(user=user, act="node.sink", thing=node, before=before, after=after)
    return sink


def pause_sink(*, sink: NodeSink, user: User, paused: bool) -> NodeSink:
    """Deliver nothing for now, or go on where that stopped."""
    with transaction.atomic():
        sink = lock_permitted(sink, user, Right.OWN)
        if not paused:
            _refuse_lost(sink)
            lock_permitted(sink.node, user, Right.OPERATE)
        if sink.paused != paused:
            before = describe_for_audit(sink)
            sink.paused = paused
            _reset_sink(sink)
            audit_writing.note(
                user=user, act="node.sink", thing=sink.node, before=before, after=describe_for_audit(sink)
            )
    return sink


def remove_sink(*, sink: NodeSink, user: User) -> None:
    """Nothing is delivered there any more; what was delivered stays there."""
    with transaction.atomic():
        sink = lock_permitted(sink, user, Right.OWN)
        audit_writing.note(
            user=user, act="node.sink", thing=sink.node, before=describe_for_audit(sink), after=None
        )
        spool = get_spool(sink)
        sink.delete()
        transaction.on_commit(spool.remove)


def try_sink(
    *, node: Node, kind: str, given: Mapping[str, Any], sink: NodeSink | None = None, user: User | None = None
) -> None:
    """Could it be delivered there? Nothing is kept; raises `ApiError` with what is wrong.

    What may be reached goes by the role of `user`; None: as for whoever is no administrator.
    """
    read = _read(kind, given if sink is None else _complete_options(sink, kind, given))
    if user is not None:
        refuse_folder_of_others(read, user)
    identity = generate_identity() if sink is None or _has_moved(sink, kind, given) else sink.identity
    _check(node, user, kind, read, identity)


def _refuse_unreachable(user: User, kind: str, read: Mapping[str, Any]) -> None:
    """Names are looked up here, before anything is locked: a slow resolver holds nobody up."""
    with explain_unreachable("sink"):
        build_egress(user, trying=True).check(KINDS[kind](**read).destinations())


def _refuse_at_once(node: Node, user: User, kind: str, read: Mapping[str, Any]) -> None:
    """What the disk says needs no second question; whoever asks others may find them away just now."""
    if KINDS[kind].nearby:
        _check(node, user, kind, read, generate_identity())


def _check(node: Node, user: User | None, kind: str, read: Mapping[str, Any], identity: str) -> None:
    made = KINDS[kind](**read)
    made.egress = build_egress(user, trying=True)
    try:
        made.check(_build_delivery(node, identity))
    except (TargetUnavailable, EgressRefused) as why:
        raise ApiError(end_sentence(f"Nothing can be delivered there: {why}"), code="sink_trouble") from None
    except Exception as why:  # whatever a sink of one's own raises
        log.exception("the sink %s cannot be tried", kind)
        words = f"the sink failed ({type(why).__name__}; see the log of the server)"
        raise ApiError(f"Nothing can be delivered there: {words}.", code="sink_trouble") from None
    finally:
        made.close()


def list_sinks(node: Node) -> list[NodeSink]:
    """Where a node is delivered to."""
    return list(NodeSink.objects.filter(node=node).select_related("owner", "team"))


def get_sink(node: Node, number: int) -> NodeSink:
    """One of them; raises `Missing`."""
    sink = NodeSink.objects.filter(node=node, pk=number).select_related("node", "owner", "team").first()
    if sink is None:
        raise Missing(
            f"This node has no sink {number}. GET its sinks to see which it has.", code="unknown_sink"
        )
    return sink


def build_sink(sink: NodeSink) -> IdempotentSink:
    """What can be opened; raises `TargetUnavailable` where the options cannot be used (any more)."""
    try:
        given = {**sink.options, **decrypt(sink.secrets)}
        made = KINDS[sink.kind](**options.read(KINDS[sink.kind], given))
    except KeyError:
        raise TargetUnavailable(
            f"there is no kind of sink {sink.kind!r} any more: bring it back, or remove the sink"
        ) from None
    except (Unreadable, options.BadOptions) as why:
        raise TargetUnavailable(f"its options cannot be used: {why}") from None
    made.egress = build_egress(sink.set_by)
    return made


def build_delivery(sink: NodeSink) -> Delivery:
    """What is delivered."""
    return _build_delivery(sink.node, sink.identity)


def get_spool(sink: NodeSink) -> Spool:
    """Where a batch lies while it is on its way."""
    return Spool(settings.TIMELINE_LOCAL / "spool" / sink.identity)


def describe_new_status(*, paused: bool) -> Document:
    """How a sink stands that was just set."""
    observed = NodeSink.Observed.PAUSED if paused else NodeSink.Observed.STARTING
    return {"observed": observed, "words": observed.value}


def is_used(node: Node) -> bool:
    """Whether anything new may come of a node."""
    return PlanNode.objects.filter(node=node).exists()


def describe_silence(node: Node) -> str:
    """Why nothing comes of a node, in the words of its query; nothing where it runs."""
    silent = Query.objects.filter(nodes=node).exclude(observed=Query.Observed.RUNNING)
    return silent.values_list("words", flat=True).first() or ""


def describe_sinks(sinks: Sequence[NodeSink], user: User) -> list[Document]:
    """Sinks as they go over the wire to somebody: of those of others that they are there, and how they go."""
    rights = compute_rights(user, sinks)
    return [_describe_sink(sink, rights.get(sink.pk, NONE)) for sink in sinks]


SHOWN = ("kind", "delivers", "paused", "lag", "rows", "corrected", "known_at", "final_until")


def _describe_sink(sink: NodeSink, rights: Rights) -> Document:
    """A sink; of secrets only which there are. Where it delivers to is for its owner, and for administrators."""
    result = {name: getattr(sink, name) for name in SHOWN} | sink.owner_told()
    result |= {"number": sink.pk, "rights": format_rights(rights)}
    goes_on = sink.observed == NodeSink.Observed.DELIVERING
    observed, words = as_seen(sink.observed, sink.words, sink.looked_at, goes_on=goes_on, by="the delivery")
    result |= {"observed": observed, "words": mask_addresses(words) if Right.OWN in rights else str(observed)}
    kind = KINDS.get(sink.kind)
    moments = {
        name: moment.isoformat() if (moment := getattr(sink, name)) else None
        for name in ("delivered_at", "looked_at")
    }
    about = {"title": kind.title if kind else sink.kind, "once": kind.once.value if kind else ""}
    return result | moments | about | {"units": list_units(kind)} | _describe_target(sink, rights)


def _describe_target(sink: NodeSink, rights: Rights) -> Document:
    """Where it delivers to, for those who may change that; for others nothing."""
    if Right.OWN not in rights:
        return {"place": "", "options": {}, "secrets": []}
    place = ", ".join(str(item) for item in _place(sink.kind, sink.options) if item not in (None, ""))
    return {"place": place, "options": sink.options, "secrets": list_secret_names(sink.secrets)}


def describe_for_audit(sink: NodeSink) -> Document:
    """What all who may look at the node may know of it later: not where it delivers to."""
    return {name: getattr(sink, name) for name in ("kind", "delivers", "paused")} | {"number": sink.pk}


def _build_delivery(node: Node, identity: str) -> Delivery:
    return Delivery(identity, node.digest, Kind(node.kind), settings.DELIVERED)


def _reset_sink(sink: NodeSink) -> None:
    """It was set just now."""
    sink.changed_at = timezone.now()
    for name, value in describe_new_status(paused=sink.paused).items():
        setattr(sink, name, value)
    sink.save()


def _begin_anew(sink: NodeSink) -> None:
    """Nothing was delivered under its new identity."""
    spool = get_spool(sink)
    transaction.on_commit(spool.remove)
    SinkKey.objects.filter(sink=sink).delete()
    sink.identity, sink.batch, sink.place, sink.step = generate_identity(), -1, {}, sink.step + 1
    sink.rows, sink.corrected, sink.known_at, sink.final_until, sink.delivered_at = 0, 0, None, None, None


def _refuse_lost(sink: NodeSink) -> None:
    """Refuse to deliver for somebody who may not look at the node."""
    if not HolderRights().nodes(get_holder_key(sink), [sink.node_id]):
        raise Conflict(
            f"{sink.owner_name}, whose sink this is, may not look at the node. Transfer the sink to somebody who may.",
            code="owner_may_not_look",
        )


def refuse_folder_of_others(read: Mapping[str, Any], user: User) -> None:
    """Refuse a folder that begins with the name of another person, or of a team that the user is not in."""
    first = str(read.get("folder", "")).partition("/")[0]
    if not first or first.lower() == user.get_username().lower():
        return
    is_username = User.objects.filter(username__iexact=first).exists()
    teams = Group.objects.filter(name__iexact=first)
    if (is_username or teams.exists()) and not teams.filter(user=user).exists():
        raise Invalid.field(
            "options.folder",
            f"The folders below {first!r} are for {first} alone.",
            f"Choose another, such as {user.get_username()}/{str(read['folder']).rpartition('/')[2]}.",
        )


def _refuse_twice(node: Node, user: User, kind: str, read: Mapping[str, Any]) -> None:
    """Two sinks of a node at one place would only be in each other's way.

    Other people's sinks are not compared by what the user may not see: the answer would tell whoever guesses an address
    or a topic that it is right. Folders are here, where no two may write one; the words are the same then.
    """
    sinks = list(NodeSink.objects.filter(node=node, kind=kind))
    rights = compute_rights(user, sinks)
    for other in sinks:
        if Right.OWN not in rights[other.pk] and "folder" not in KINDS[kind].place:
            continue
        if _place(kind, _merge_secrets(other)) == _place(kind, read):
            raise Conflict(THERE_ALREADY, code="sink_is_there")


def _merge_secrets(sink: NodeSink) -> Document:
    """The options with what is kept of them encrypted, where that can be read."""
    return {**sink.options, **open_secrets(sink.secrets)}


def _place(kind: str, shown: Mapping[str, Any]) -> list[Any]:
    names = KINDS[kind].place if kind in KINDS else ()
    return [shown.get(name) for name in names]


def _has_moved(sink: NodeSink, kind: str, given: Mapping[str, Any]) -> bool:
    if kind != sink.kind or kind not in KINDS:
        return True
    return all(
        have_options_changed(KINDS[kind], KINDS[kind].place, was, given)
        for was in (sink.options, _merge_secrets(sink))
    )


def _complete_options(sink: NodeSink, kind: str, given: Mapping[str, Any]) -> Document:
    """With the secrets that are kept already, unless somebody else would get them."""
    if _has_moved(sink, kind, given):
        return dict(given)
    return restore_kept_secrets(KINDS[kind], sink.options, sink.secrets, given)


def _read(kind: str, given: Mapping[str, Any]) -> Document:
    return check_options("sink", KINDS, kind, lambda: options.read(KINDS[kind], given))
