"""Creating, running, stopping and deleting plans."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from timeline_app.compiler import Compiled
from timeline_app.web.core import audit_writing, notifications
from timeline_app.web.core.permissions import Right, require_role
from timeline_app.web.core.quotas import enforce_quotas, get_holder
from timeline_app.web.core.sandboxed_work import compile_slot
from timeline_app.web.core.sharing import lock_permitted, lock_person
from timeline_app.web.core.term_writing import write_plan_terms
from timeline_app.web.core.transactions import retry_on_deadlock
from timeline_app.web.models import Node, Plan, PlanNode, Stream
from timeline_app.web.models.people import Role
from timeline_app.web.nodes.hosting import is_moving_running_nodes
from timeline_app.web.nodes.services import detach_nodes, join, stop_unused_nodes
from timeline_app.web.plans.checks import compile_or_refuse
from timeline_app.web.plans.drafts import set_document_name
from timeline_app.web.plans.version_services import Reason, create_version
from timeline_app.web.streams.generations import refuse_trashed_streams
from timeline_app.web.streams.granted_streams import select_streams_of_owner
from timeline_app.web.streams.selectors import collect_stream_names
from timeline_app.web.streams.stream_grants import grant_streams


def create_plan(*, user: User, name: str | None, document: dict[str, Any], edit: str = "") -> Plan:
    """Create a plan, which may have problems. Sent twice with one `edit`, it is created once."""
    require_role(user, Role.EDITOR, "To make a plan")
    document = set_document_name(name, document)
    with transaction.atomic():
        # The second of two concurrent requests waits here, and finds the plan of the first.
        lock_person(user)
        if edit and (earlier := Plan.objects.filter(owner=user, edit=edit).first()):
            return earlier
        plan = Plan(
            owner=user,
            name=document["name"],
            document=document,
            saved_by=user,
            saved_at=timezone.now(),
            edit=edit,
        )
        grant_streams(plan, user)
        with enforce_quotas(user, "plans", "document_bytes"):
            plan.save()
        write_plan_terms(plan)
        audit_writing.note(user=user, act="plan.create", thing=plan)
    return plan


@retry_on_deadlock
def run_plan(*, plan: Plan, user: User, placement: str) -> Plan:
    """Run the saved draft as a version; a running plan joins new nodes and leaves removed ones."""
    with compile_slot(plan.document, user.pk), transaction.atomic():
        plan = lock_permitted(plan, user, Right.OPERATE)
        before = describe_run(plan)
        compiled = compile_or_refuse(plan.document, user, plan)
        grant_streams(plan, user)
        if plan.open_to_all and not plan.versions.exists():
            close_open_plan(plan, user, collect_stream_names(plan.document))
        with enforce_quotas(get_holder(plan), "running_nodes", "running_queries", "all_queries"):
            attach_nodes(plan, compiled, user, placement)
        plan.opened, plan.ended = _list_opened_streams(plan, user), ""
        plan.running, plan.placement, plan.running_document = True, placement, plan.document
        plan.running_version = create_version(plan, user, Reason.RUN).number
        plan.save(
            update_fields=[
                "running",
                "placement",
                "running_document",
                "running_version",
                "open_to_all",
                "lent",
                "opened",
                "ended",
            ]
        )
        write_plan_terms(plan)
        audit_writing.note(user=user, act="plan.run", thing=plan, before=before, after=describe_run(plan))
        notifications.notify_change()
        notifications.notify_plan_change(plan.pk)
    return plan


@retry_on_deadlock
def stop_plan(*, plan: Plan, user: User) -> Plan:
    """Leave every node; nodes that no other plan uses stop."""
    with transaction.atomic():
        plan = lock_permitted(plan, user, Right.OPERATE)
        before = describe_run(plan)
        detach_nodes(plan)
        plan.running, plan.running_document, plan.running_version = False, None, None
        plan.save(update_fields=["running", "running_document", "running_version"])
        write_plan_terms(plan)
        audit_writing.note(user=user, act="plan.stop", thing=plan, before=before, after=describe_run(plan))
        notifications.notify_change()
        notifications.notify_plan_change(plan.pk)
    return plan


@retry_on_deadlock
def delete_plan(*, plan: Plan, user: User) -> None:
    with transaction.atomic():
        plan = lock_permitted(plan, user, Right.OWN)
        before = describe_run(plan) | {"document": plan.document}
        audit_writing.note(user=user, act="plan.delete", thing=plan, before=before)
        detach_nodes(plan)
        notifications.notify_plan_change(plan.pk)
        plan.delete()
        notifications.notify_change()


def _list_opened_streams(plan: Plan, user: User) -> dict[str, int]:
    """Return the streams that are read by the user's rights, because the plan's owner may not read them."""
    reads = collect_stream_names(plan.document)
    return dict.fromkeys(sorted(reads - select_streams_of_owner(plan, reads)), user.pk)


def close_open_plan(plan: Plan, user: User, streams: Iterable[str]) -> None:
    """Close an open plan that reads a closed stream, until its owner opens it again."""
    if Stream.objects.filter(name__in=list(streams), open_to_all=False).exists():
        plan.open_to_all = False
        before = {"open_to_all": True}
        audit_writing.note(
            user=user, act="plan.share", thing=plan, before=before, after={"open_to_all": False}
        )


def describe_run(plan: Plan) -> dict[str, Any]:
    if not plan.running:
        return {"running": False}
    return {"running": True, "version": plan.running_version, "placement": plan.placement}


def attach_nodes(plan: Plan, compiled: Compiled, user: User, placement: str) -> None:
    """Make the plan use exactly the compiled nodes, each under its names.

    Running nodes stay as they are, unless the plan changes its placement.
    """
    node_uses = {(digest, name) for name, digest in compiled.names.items()}
    node_uses |= {(digest, "") for digest in compiled.programs.keys() - compiled.names.values()}
    used = {(use.node.digest, use.name): use for use in plan.uses.select_related("node")}
    regroup = is_moving_running_nodes(plan, placement)
    nodes = join(compiled.programs, plan, user, placement, regroup=regroup)
    refuse_trashed_streams(compiled.programs.values())
    unused = [use for key, use in used.items() if key not in node_uses]
    PlanNode.objects.filter(pk__in=[use.pk for use in unused]).delete()
    new = [
        PlanNode(plan=plan, node=nodes[digest], name=name) for digest, name in sorted(node_uses - used.keys())
    ]
    PlanNode.objects.bulk_create(new)
    readers = Node.readers.through
    new_readers = [readers(node_id=node.pk, plan_id=plan.pk) for node in nodes.values()]
    readers._default_manager.bulk_create(new_readers, ignore_conflicts=True)
    stop_unused_nodes({use.node_id for use in unused} | {node.pk for node in nodes.values()})
