"""What can be done to a plan: make, save, run, stop, delete, give away."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from timeline_app.compiler import Compiled
from timeline_app.web.errors import Conflict, Missing, NotYours
from timeline_app.web.models import Plan, PlanNode
from timeline_app.web.selectors.checks import compiled_or_refused
from timeline_app.web.selectors.hosting import regroups
from timeline_app.web.services import announce
from timeline_app.web.services.nodes import join, leave
from timeline_app.web.services.transactions import retried

UNTITLED = "Untitled plan"


def plan_create(*, user: User, name: str | None, document: dict[str, Any]) -> Plan:
    """A new draft; it may have problems."""
    name, document = named(name, document)
    return Plan.objects.create(owner=user, name=name, document=document)


@retried
def plan_save(*, plan: Plan, user: User, version: int, name: str | None, document: dict[str, Any]) -> Plan:
    """A new version of the draft, if it is still based on the newest one; what runs is not touched."""
    with transaction.atomic():
        plan = mine(plan, user)
        if version != plan.version:
            raise Conflict(
                f"Somebody saved this plan in the meantime: it is at version {plan.version}, "
                f"yours is based on {version}. Load it again and repeat your change."
            )
        plan.name, plan.document = named(name, document)
        plan.version += 1
        plan.save()
    return plan


@retried
def plan_run(*, plan: Plan, user: User, placement: str) -> Plan:
    """Run the document as it is saved now; a running plan joins what is new in it and leaves what is not."""
    with transaction.atomic():
        plan = mine(plan, user)
        compiled = compiled_or_refused(plan.document)
        attach(plan, compiled, user, placement)
        plan.running, plan.placement, plan.running_document = True, placement, plan.document
        plan.save(update_fields=["running", "placement", "running_document"])
        announce.changed()
    return plan


@retried
def plan_stop(*, plan: Plan, user: User) -> Plan:
    """Leave every node; those that nobody else uses stop."""
    with transaction.atomic():
        plan = mine(plan, user)
        detach(plan)
        plan.running, plan.running_document = False, None
        plan.save(update_fields=["running", "running_document"])
        announce.changed()
    return plan


@retried
def plan_delete(*, plan: Plan, user: User) -> None:
    """Stop it and forget it."""
    with transaction.atomic():
        plan = mine(plan, user)
        detach(plan)
        plan.delete()
        announce.changed()


def mine(plan: Plan, user: User) -> Plan:
    """The plan, locked, if this user may change it."""
    locked = Plan.objects.select_for_update().filter(pk=plan.pk).select_related(None).first()
    if locked is None:
        raise Missing("This plan was deleted in the meantime.")
    if locked.owner_id != user.pk and not user.is_staff:
        owner = locked.owner.get_username()
        raise NotYours(f"This plan belongs to {owner}. Ask {owner}, or make a copy of your own.")
    return locked


def named(name: str | None, document: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The plan's name and the document that carries it; without a name the document's own is taken."""
    inside = document.get("name")
    name = (name or (inside if isinstance(inside, str) else "")).strip()[:200] or UNTITLED
    return name, document | {"name": name}


def attach(plan: Plan, compiled: Compiled, user: User, placement: str) -> None:
    """Make the plan use exactly the compiled nodes, each under its names.

    What runs already is left alone, unless the plan runs in another placement than it does now.
    """
    wanted = {(digest, name) for name, digest in compiled.names.items()}
    wanted |= {(digest, "") for digest in compiled.programs.keys() - compiled.names.values()}
    used = {(use.node.digest, use.name): use for use in plan.uses.select_related("node")}
    regroup = regroups(plan, placement)
    nodes = join(compiled.programs, plan, user, placement, regroup=regroup)
    gone = [use for place, use in used.items() if place not in wanted]
    PlanNode.objects.filter(pk__in=[use.pk for use in gone]).delete()
    new = [
        PlanNode(plan=plan, node=nodes[digest], name=name) for digest, name in sorted(wanted - used.keys())
    ]
    PlanNode.objects.bulk_create(new)
    leave({use.node_id for use in gone} | {node.pk for node in nodes.values()})


def detach(plan: Plan) -> None:
    """Make the plan use nothing."""
    nodes = set(plan.uses.values_list("node_id", flat=True))
    plan.uses.all().delete()
    leave(nodes)
