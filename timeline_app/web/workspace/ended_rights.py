"""Ending what depends on a lost right: plans that read a stream, ownership of nodes, sinks, recordings.

`end_lost_rights` runs in the transaction that takes a right away, and periodically for other ways of losing one. What
it ends does not restart when the right comes back: somebody who may has to do that.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from django.db import transaction
from django.utils import timezone

from timeline_app.web.alerts.following import release_node
from timeline_app.web.core import audit_writing, notifications
from timeline_app.web.core.term_writing import write_plan_terms
from timeline_app.web.models import Node, Plan, PlanNode, Stream
from timeline_app.web.models.alerts import Alert
from timeline_app.web.models.samples import Sample
from timeline_app.web.models.sinks import NodeSink
from timeline_app.web.nodes.services import decide_alone, detach_nodes
from timeline_app.web.streams.read_rights import (
    HolderKey,
    HolderRights,
    find_first_administrator,
    get_holder_key,
    map_closed_streams,
    map_nodes_by_plan,
    select_lost_recordings,
)

MAX_REASON_CHARS = 500
LOST_STREAMS = "may not look at all of its streams any more"


@transaction.atomic
def end_lost_rights() -> None:
    """End whatever depends on a lost right."""
    reach, reads = HolderRights(), map_closed_streams()
    if reads:
        _end_plans(reach, reads)
        _give_nodes_away(reach, reads)
    _pause_sinks(reach)
    _disable_alerts(reach)
    for sample in select_lost_recordings(reach):
        end_recording(sample, LOST_STREAMS)


def end_recording(sample: Sample, why: str) -> None:
    """End a sample's recording; the audit gives `why` as the owner's reason."""
    sample.recording = None
    sample.save(update_fields=["recording", "updated_at"])
    audit_writing.note(
        user=None, act="sample.end_recording", thing=sample, reason=f"{sample.owner_name} {why}"
    )


def _end_plans(reach: HolderRights, reads: Mapping[int, set[str]]) -> None:
    """Stop plans that read streams without the right, and hide those results from their readers."""
    used = map_nodes_by_plan(reads)
    lost = {}
    for plan in Plan.objects.filter(pk__in=used).only("owner", "team", "opened"):
        may = reach.of_plan(plan)
        if nodes := {node for node in used[plan.pk] if reads[node] - may}:
            lost[plan.pk] = nodes
    if not lost:
        return
    # Running plans lock in the same order: plans, then nodes.
    plans = list(
        Plan.objects.select_for_update(of=("self",)).select_related("owner", "team").filter(pk__in=lost)
    )
    decide_alone()
    for plan in sorted(plans, key=lambda item: item.pk):
        nodes = lost[plan.pk]
        _end_plan(plan, nodes, sorted({name for node in nodes for name in reads[node] - reach.of_plan(plan)}))


def _end_plan(plan: Plan, nodes: set[int], names: list[str]) -> None:
    """Let a plan no longer read some closed streams, nor show results of them."""
    by_it = Node.readers.through._default_manager.filter(plan=plan.pk, node__in=nodes)
    by_it.delete()
    plan.lent = {name: value for name, value in plan.lent.items() if name not in names}
    plan.opened = {name: value for name, value in plan.opened.items() if name not in names}
    if plan.uses.filter(node__in=nodes).exists():
        _stop_plan(plan, names)
    plan.save(update_fields=["running", "running_document", "running_version", "ended", "lent", "opened"])
    write_plan_terms(plan)
    notifications.notify_plan_change(plan.pk)


def _stop_plan(plan: Plan, names: list[str]) -> None:
    streams = ", ".join(names)
    reason = f"{plan.owner_name} may not look at {streams} any more, which this plan reads"[:MAX_REASON_CHARS]
    before = {"running": True, "version": plan.running_version, "placement": plan.placement}
    detach_nodes(plan)
    plan.running, plan.running_document, plan.running_version, plan.ended = False, None, None, reason
    audit_writing.note(
        user=None, act="plan.stop", thing=plan, before=before, after={"running": False}, reason=reason
    )
    notifications.notify_change()


def _give_nodes_away(reach: HolderRights, reads: Mapping[int, set[str]]) -> None:
    """Transfer nodes whose owners may no longer read their streams."""
    owned = (
        Node.objects.filter(pk__in=list(reads))
        .select_related("owner", "team")
        .only("digest", "operator", "owner", "team")
    )
    for node in owned:
        if reads.get(node.pk, set()) - reach.streams(get_holder_key(node)):
            _give_node_away(node, reach, reads[node.pk])


def _give_node_away(node: Node, reach: HolderRights, names: set[str]) -> None:
    before = node.owner_told()
    node.owner_id, node.team_id = _find_heir(node, reach, names)
    node.save(update_fields=["owner", "team"])
    after = (
        Node.objects.select_related("owner", "team")
        .only("digest", "owner", "team")
        .get(pk=node.pk)
        .owner_told()
    )
    reason = f"{before['owner']} may not look at all that it reads any more"
    audit_writing.note(user=None, act="node.transfer", thing=node, before=before, after=after, reason=reason)


def _find_heir(node: Node, reach: HolderRights, names: set[str]) -> HolderKey:
    """Return the new owner of a node: one of a plan that uses it, or of a stream, who may read all its streams."""
    uses = PlanNode.objects.filter(node=node.pk).order_by("plan")
    plans = uses.values_list("plan__owner", "plan__team")
    streams = Stream.objects.filter(name__in=names).order_by("name").values_list("owner", "team")
    for holder in [*plans, *streams]:
        if names <= reach.streams(holder):
            return holder
    admin = find_first_administrator()
    return (admin.pk, None) if admin is not None else get_holder_key(node)


def _pause_sinks(reach: HolderRights) -> None:
    """Pause the sinks of owners who may no longer read the node."""
    by_holder: dict[HolderKey, list[NodeSink]] = defaultdict(list)
    for sink in NodeSink.objects.filter(paused=False).select_related("owner", "team", "node").order_by("pk"):
        by_holder[get_holder_key(sink)].append(sink)
    for holder, sinks in by_holder.items():
        readable = reach.nodes(holder, (item.node_id for item in sinks))
        _pause(item for item in sinks if item.node_id not in readable)


def _disable_alerts(reach: HolderRights) -> None:
    """Disable the alerts of owners who may no longer read the plan."""
    by_holder: dict[HolderKey, list[Alert]] = defaultdict(list)
    for alert in Alert.objects.filter(enabled=True).select_related("owner", "team").order_by("pk"):
        by_holder[get_holder_key(alert)].append(alert)
    for holder, alerts in by_holder.items():
        readable = reach.plans(holder, (item.plan_id for item in alerts))
        for alert in alerts:
            if alert.plan_id not in readable:
                _disable_alert(alert)


def _disable_alert(alert: Alert) -> None:
    release_node(alert)
    alert.enabled, alert.version = False, alert.version + 1
    alert.save(update_fields=["enabled", "version", "node", "taken_until", "updated_at"])
    reason = f"{alert.owner_name} may not look at the plan any more"
    was, now = {"enabled": True}, {"enabled": False}
    audit_writing.note(user=None, act="alert.change", thing=alert, before=was, after=now, reason=reason)


def _pause(sinks: Iterable[NodeSink]) -> None:
    for sink in sinks:
        reason = f"{sink.owner_name} may not look at the node any more"
        sink.paused, sink.changed_at = True, timezone.now()
        sink.observed, sink.words = NodeSink.Observed.PAUSED, f"paused: {reason}"
        sink.save(update_fields=["paused", "changed_at", "observed", "words"])
        fields = {"kind": sink.kind, "delivers": sink.delivers, "number": sink.pk}
        was, now = fields | {"paused": False}, fields | {"paused": True}
        audit_writing.note(user=None, act="node.sink", thing=sink.node, before=was, after=now, reason=reason)
