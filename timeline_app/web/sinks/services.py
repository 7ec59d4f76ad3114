"""Adding, changing, pausing, testing and removing sinks."""

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
DUPLICATE_MESSAGE = "This node is delivered there already. Change that sink, or choose another place."
MAX_SINKS_PER_NODE_AND_OWNER = 20
"""Others who share the node have their own limit."""


def add_sink(
    *, node: Node, user: User, kind: str, delivers: str, options: Mapping[str, Any], paused: bool = False
) -> NodeSink:
    """Deliver the node to another target, from the beginning of its history. The sink belongs to the user."""
    _refuse_unreachable(user, kind, _read(kind, options))
    with transaction.atomic(), enforce_quotas(user, "sinks"):
        node = lock_permitted(node, user, Right.OPERATE)
        if NodeSink.objects.filter(node=node, owner=user).count() >= MAX_SINKS_PER_NODE_AND_OWNER:
            raise Conflict(
                f"You have {MAX_SINKS_PER_NODE_AND_OWNER} sinks at this node. Remove one that is not needed.",
                code="too_many_sinks",
            )
        read = _read(kind, options)
        public_options, secrets = split_secrets(KINDS[kind], read)
        refuse_folder_of_others(read, user)
        _refuse_twice(node, user, kind, read)
        _refuse_at_once(node, user, kind, read)
        sink = NodeSink.objects.create(
            node=node, kind=kind, delivers=delivers, options=public_options, secrets=encrypt(secrets), paused=paused,
            owner=user, set_by=user, changed_at=timezone.now(), **describe_new_status(paused=paused),
        )  # fmt: skip
        audit_writing.note(
            user=user, act="node.sink", thing=node, before=None, after=describe_for_audit(sink)
        )
    return sink


def change_sink(*, sink: NodeSink, user: User, delivers: str, options: Mapping[str, Any]) -> NodeSink:
    """Change the options. If the sink delivers something else, or elsewhere, it starts from the beginning."""
    require(user, Right.OWN, sink)
    _refuse_unreachable(user, sink.kind, _read(sink.kind, _complete_options(sink, sink.kind, options)))
    with transaction.atomic():
        node, sink = lock_permitted(sink.node, user, Right.OPERATE), lock_permitted(sink, user, Right.OWN)
        before, was = describe_for_audit(sink), (sink.options, sink.secrets)
        read = _read(sink.kind, _complete_options(sink, sink.kind, options))
        public_options, secrets = split_secrets(KINDS[sink.kind], read)
        elsewhere = _place(sink.kind, read) != _place(sink.kind, _merge_secrets(sink))
        if elsewhere:
            refuse_folder_of_others(read, user)
            _refuse_twice(node, user, sink.kind, read)
            _refuse_at_once(node, user, sink.kind, read)
        if elsewhere or delivers != sink.delivers:
            _restart_delivery(sink)
        sink.options, sink.secrets, sink.delivers, sink.set_by = (
            public_options,
            encrypt(secrets),
            delivers,
            user,
        )
        _reset_sink(sink)
        changed = list_changed_options(was, (sink.options, sink.secrets))
        after = describe_for_audit(sink) | ({"hidden": changed} if changed else {})
        audit_writing.note(user=user, act="node.sink", thing=node, before=before, after=after)
    return sink


def pause_sink(*, sink: NodeSink, user: User, paused: bool) -> NodeSink:
    """Pause delivery, or resume at the stored position."""
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
    """Remove the sink; what was delivered stays at the target."""
    with transaction.atomic():
        sink = lock_permitted(sink, user, Right.OWN)
        audit_writing.note(
            user=user, act="node.sink", thing=sink.node, before=describe_for_audit(sink), after=None
        )
        spool = get_spool(sink)
        sink.delete()
        transaction.on_commit(spool.remove)


def try_sink(
    *,
    node: Node,
    kind: str,
    options: Mapping[str, Any],
    sink: NodeSink | None = None,
    user: User | None = None,
) -> None:
    """Check that the sink could deliver; nothing is kept. Raise `ApiError` with the problem.

    The role of `user` decides what may be reached; None: what a non-administrator may reach.
    """
    read = _read(kind, options if sink is None else _complete_options(sink, kind, options))
    if user is not None:
        refuse_folder_of_others(read, user)
    identity = generate_identity() if sink is None or _has_moved(sink, kind, options) else sink.identity
    _check(node, user, kind, read, identity)


def _refuse_unreachable(user: User, kind: str, read: Mapping[str, Any]) -> None:
    """Resolve host names before anything is locked: a slow resolver blocks nobody."""
    with explain_unreachable("sink"):
        build_egress(user, trying=True).check(KINDS[kind](**read).destinations())


def _refuse_at_once(node: Node, user: User, kind: str, read: Mapping[str, Any]) -> None:
    """Check local targets now; remote ones may be unreachable just for the moment."""
    if KINDS[kind].nearby:
        _check(node, user, kind, read, generate_identity())


def _check(node: Node, user: User | None, kind: str, read: Mapping[str, Any], identity: str) -> None:
    target = KINDS[kind](**read)
    target.egress = build_egress(user, trying=True)
    try:
        target.check(_build_delivery(node, identity))
    except (TargetUnavailable, EgressRefused) as why:
        raise ApiError(end_sentence(f"Nothing can be delivered there: {why}"), code="sink_trouble") from None
    except Exception as why:  # a custom sink may raise anything
        log.exception("the sink %s cannot be tried", kind)
        reason = f"the sink failed ({type(why).__name__}; see the log of the server)"
        raise ApiError(f"Nothing can be delivered there: {reason}.", code="sink_trouble") from None
    finally:
        target.close()


def list_sinks(node: Node) -> list[NodeSink]:
    return list(NodeSink.objects.filter(node=node).select_related("owner", "team"))


def get_sink(node: Node, number: int) -> NodeSink:
    """Return one sink of a node; raise `Missing`."""
    sink = NodeSink.objects.filter(node=node, pk=number).select_related("node", "owner", "team").first()
    if sink is None:
        raise Missing(
            f"This node has no sink {number}. GET its sinks to see which it has.", code="unknown_sink"
        )
    return sink


def build_sink(sink: NodeSink) -> IdempotentSink:
    """Return a sink ready to open; raise `TargetUnavailable` if its options are unusable."""
    try:
        own_options = {**sink.options, **decrypt(sink.secrets)}
        target = KINDS[sink.kind](**options.read(KINDS[sink.kind], own_options))
    except KeyError:
        raise TargetUnavailable(
            f"there is no kind of sink {sink.kind!r} any more: bring it back, or remove the sink"
        ) from None
    except (Unreadable, options.BadOptions) as why:
        raise TargetUnavailable(f"its options cannot be used: {why}") from None
    target.egress = build_egress(sink.set_by)
    return target


def build_delivery(sink: NodeSink) -> Delivery:
    """Return what the sink delivers."""
    return _build_delivery(sink.node, sink.identity)


def get_spool(sink: NodeSink) -> Spool:
    """Return the spool that holds a batch while it is delivered."""
    return Spool(settings.TIMELINE_LOCAL / "spool" / sink.identity)


def describe_new_status(*, paused: bool) -> Document:
    """Return the state of a sink that was just set."""
    observed = NodeSink.Observed.PAUSED if paused else NodeSink.Observed.STARTING
    return {"observed": observed, "words": observed.value}


def is_used(node: Node) -> bool:
    """Return whether the node may still get results."""
    return PlanNode.objects.filter(node=node).exists()


def describe_silence(node: Node) -> str:
    """Return why the node gets no results, in the words of its query; "" if it runs."""
    silent = Query.objects.filter(nodes=node).exclude(observed=Query.Observed.RUNNING)
    return silent.values_list("words", flat=True).first() or ""


def describe_sinks(sinks: Sequence[NodeSink], user: User) -> list[Document]:
    """Return sinks in their wire type; of other people's sinks only their existence and state."""
    rights = compute_rights(user, sinks)
    return [_describe_sink(sink, rights.get(sink.pk, NONE)) for sink in sinks]


SHOWN = ("kind", "delivers", "paused", "lag", "rows", "corrected", "known_at", "final_until")


def _describe_sink(sink: NodeSink, rights: Rights) -> Document:
    """Return a sink; only its owner and administrators see where it delivers to."""
    document = {name: getattr(sink, name) for name in SHOWN} | sink.owner_told()
    document |= {"number": sink.pk, "rights": format_rights(rights)}
    goes_on = sink.observed == NodeSink.Observed.DELIVERING
    observed, words = as_seen(sink.observed, sink.words, sink.looked_at, goes_on=goes_on, by="the delivery")
    document |= {
        "observed": observed,
        "words": mask_addresses(words) if Right.OWN in rights else str(observed),
    }
    kind = KINDS.get(sink.kind)
    moments = {
        name: moment.isoformat() if (moment := getattr(sink, name)) else None
        for name in ("delivered_at", "looked_at")
    }
    about = {"title": kind.title if kind else sink.kind, "once": kind.once.value if kind else ""}
    return document | moments | about | {"units": list_units(kind)} | _describe_target(sink, rights)


def _describe_target(sink: NodeSink, rights: Rights) -> Document:
    """Return the target for those who may change it."""
    if Right.OWN not in rights:
        return {"place": "", "options": {}, "secrets": []}
    target = ", ".join(str(item) for item in _place(sink.kind, sink.options) if item not in (None, ""))
    return {"place": target, "options": sink.options, "secrets": list_secret_names(sink.secrets)}


def describe_for_audit(sink: NodeSink) -> Document:
    """Return what readers of the node may later know: not the target."""
    return {name: getattr(sink, name) for name in ("kind", "delivers", "paused")} | {"number": sink.pk}


def _build_delivery(node: Node, identity: str) -> Delivery:
    return Delivery(identity, node.digest, Kind(node.kind), settings.DELIVERY_FOLDER)


def _reset_sink(sink: NodeSink) -> None:
    """Reset the state after a change of the settings."""
    sink.changed_at = timezone.now()
    for name, value in describe_new_status(paused=sink.paused).items():
        setattr(sink, name, value)
    sink.save()


def _restart_delivery(sink: NodeSink) -> None:
    """Discard the delivery position and take a new identity."""
    spool = get_spool(sink)
    transaction.on_commit(spool.remove)
    SinkKey.objects.filter(sink=sink).delete()
    sink.identity, sink.batch, sink.place, sink.step = generate_identity(), -1, {}, sink.step + 1
    sink.rows, sink.corrected, sink.known_at, sink.final_until, sink.delivered_at = 0, 0, None, None, None


def _refuse_lost(sink: NodeSink) -> None:
    """Refuse to deliver for an owner who may no longer read the node."""
    if not HolderRights().nodes(get_holder_key(sink), [sink.node_id]):
        raise Conflict(
            f"{sink.owner_name}, whose sink this is, may not look at the node. Transfer the sink to somebody who may.",
            code="owner_may_not_look",
        )


def refuse_folder_of_others(read: Mapping[str, Any], user: User) -> None:
    """Refuse a folder that begins with the name of another person, or of a team without the user."""
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
    """Refuse a second sink of a node with the same target.

    Other people's sinks are compared only by what the user may see: otherwise the answer would confirm a guessed
    address or topic. Folders are always compared, because no two sinks may write to one.
    """
    sinks = list(NodeSink.objects.filter(node=node, kind=kind))
    rights = compute_rights(user, sinks)
    for other in sinks:
        if Right.OWN not in rights[other.pk] and "folder" not in KINDS[kind].place:
            continue
        if _place(kind, _merge_secrets(other)) == _place(kind, read):
            raise Conflict(DUPLICATE_MESSAGE, code="sink_is_there")


def _merge_secrets(sink: NodeSink) -> Document:
    """Return the options with the legible secrets."""
    return {**sink.options, **open_secrets(sink.secrets)}


def _place(kind: str, public_options: Mapping[str, Any]) -> list[Any]:
    names = KINDS[kind].place if kind in KINDS else ()
    return [public_options.get(name) for name in names]


def _has_moved(sink: NodeSink, kind: str, options: Mapping[str, Any]) -> bool:
    if kind != sink.kind or kind not in KINDS:
        return True
    return all(
        have_options_changed(KINDS[kind], KINDS[kind].place, was, options)
        for was in (sink.options, _merge_secrets(sink))
    )


def _complete_options(sink: NodeSink, kind: str, options: Mapping[str, Any]) -> Document:
    """Add the stored secrets, unless they would be sent elsewhere."""
    if _has_moved(sink, kind, options):
        return dict(options)
    return restore_kept_secrets(KINDS[kind], sink.options, sink.secrets, options)


def _read(kind: str, given_options: Mapping[str, Any]) -> Document:
    return check_options("sink", KINDS, kind, lambda: options.read(KINDS[kind], given_options))
