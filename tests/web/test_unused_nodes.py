"""Nodes that nothing uses leave the list at once, and the disk after a while; what something needs is never taken."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.utils import timezone
from rest_framework.test import APIClient

from tests.web.conftest import build_document, build_negation, has_existed
from tests.web.log import T, make_node, revise
from timeline_app.feed.lineage import Chain, ChainLink
from timeline_app.fs import durable
from timeline_app.fs.layout import Places
from timeline_app.fs.paths import Place
from timeline_app.web.models import Node, NodeKey, Plan, Query, Revision, Stream
from timeline_app.web.models.people import AuditEntry
from timeline_app.web.nodes import removed_nodes
from timeline_app.web.nodes.removed_nodes import remove_leftovers
from timeline_app.web.plans.drafts import set_document_name
from timeline_app.web.plans.services import delete_plan, run_plan, stop_plan
from timeline_app.web.sinks.services import add_sink
from timeline_app.web.workspace import unused_nodes
from timeline_app.web.workspace.trash import delete_stream, restore_from_trash
from timeline_app.web.workspace.trash_purge import purge_trash
from timeline_app.web.workspace.unused_nodes import remove_unused_nodes

LATER = timedelta(days=7, minutes=1)


def build_places() -> Places:
    return Places(settings.TIMELINE_DATA)


def write_files(query: Query) -> list[Place]:
    """A feed and a checkpoint, as Spark leaves them."""
    folders = [build_places().feed(query.name), build_places().checkpoint(query.name)]
    for folder in folders:
        durable.make_folders(folder)
        durable.replace(folder / "a", b"x")
    return folders


def remove_unused() -> list[str]:
    """Now, and when what is unused now is due."""
    gone = remove_unused_nodes() + remove_unused_nodes(timezone.now() + LATER)
    remove_leftovers()
    return gone


def draw(plan: Plan, **nodes: Any) -> Plan:
    Plan.objects.filter(pk=plan.pk).update(document=set_document_name("A plan", build_document(**nodes)))
    return Plan.objects.get(pk=plan.pk)


def run(plan: Plan, ada: User) -> Plan:
    return run_plan(plan=Plan.objects.get(pk=plan.pk), user=ada, placement="isolated")


def stop_unwanted() -> None:
    """As the supervisor leaves queries that nobody wants."""
    Query.objects.filter(desired=Query.Desired.STOPPED).update(observed=Query.Observed.STOPPED)


def list_digests(api: APIClient, q: str = "") -> set[str]:
    return {node["digest"] for node in api.get("/api/nodes/", {"q": q}).json()["results"]}


def test_unused_nodes_leave_the_list_at_once_and_are_found_on_request(
    api: APIClient, ada: User, plan: Plan
) -> None:
    run(plan, ada)
    used = list_digests(api)
    assert len(used) == 2
    run(draw(plan, played=has_existed('cdn == "x"')), ada)
    unused = set(Node.objects.values_list("digest", flat=True)) - list_digests(api)
    assert len(unused) == 2
    assert unused == used
    assert list_digests(api, "is:unused") == unused
    assert list_digests(api, "is:stopped") == unused
    assert list_digests(api, "-is:unused") == list_digests(api)


def test_what_an_applied_change_left_is_removed_when_it_is_due(ada: User, plan: Plan) -> None:
    run(plan, ada)
    old = list(Node.objects.order_by("operator"))
    revise(old[0], "a", [[None, False], [T, True]])
    Chain(build_places(), old[0].digest).write([ChainLink(old[0].query.name, 0)])
    folders = [folder for node in old for folder in write_files(node.query)]
    run(draw(plan, other=has_existed('cdn == "x"')), ada)
    stop_unwanted()
    (kept,) = Node.objects.exclude(pk__in=[node.pk for node in old])
    kept_folders = write_files(kept.query)
    assert remove_unused_nodes() == []
    assert remove_unused_nodes(timezone.now() + timedelta(days=6)) == []
    assert sorted(remove_unused_nodes(timezone.now() + LATER)) == sorted(node.digest for node in old)
    remove_leftovers()
    assert list(Node.objects.all()) == [kept]
    assert not any(folder.exists() for folder in folders)
    assert not build_places().chain(old[0].digest).exists()
    assert all(folder.exists() for folder in kept_folders)
    assert not NodeKey.objects.exists()
    assert not Revision.objects.exists()
    assert [query.pk for query in Query.objects.all()] == [kept.query_id]
    assert AuditEntry.objects.filter(act="node.remove", actor=None).count() == 2


def test_a_stopped_plan_keeps_its_nodes_and_a_deleted_one_does_not(ada: User, plan: Plan) -> None:
    run(plan, ada)
    digests = set(Node.objects.values_list("digest", flat=True))
    stop_plan(plan=Plan.objects.get(pk=plan.pk), user=ada)
    stop_unwanted()
    assert remove_unused() == []
    draw(plan, other=has_existed('cdn == "x"'))  # a draft that was never run: what was run last is kept
    assert remove_unused() == []
    delete_plan(plan=Plan.objects.get(pk=plan.pk), user=ada)
    assert set(remove_unused()) == digests


def test_time_without_use_counts_from_the_last_use(ada: User, plan: Plan) -> None:
    run(plan, ada)
    first = Node.objects.get(operator="has_existed")
    run(draw(plan, other=has_existed('cdn == "x"')), ada)
    remove_unused_nodes(timezone.now() - LATER)
    assert Node.objects.filter(pk=first.pk, unused_since__isnull=False).exists()
    run(draw(plan, played=has_existed()), ada)
    assert Node.objects.filter(pk=first.pk, unused_since=None).exists()
    run(draw(plan, other=has_existed('cdn == "x"')), ada)
    stop_unwanted()
    assert first.digest not in remove_unused_nodes()


def test_a_node_with_a_sink_is_kept(ada: User, plan: Plan) -> None:
    run(plan, ada)
    node = Node.objects.get(operator="has_existed")
    add_sink(node=node, user=ada, kind="parquet", delivers="revisions", options={"folder": "there"})
    delete_plan(plan=Plan.objects.get(pk=plan.pk), user=ada)
    stop_unwanted()
    assert node.digest not in remove_unused()
    assert Node.objects.filter(pk=node.pk).exists()


def test_a_node_whose_feed_another_one_reads_is_kept(ada: User, plan: Plan) -> None:
    players = {"op": "aggregate", "inputs": {"of": "played"}, "params": {"function": "count"}}
    run(draw(plan, played=has_existed(), players=players, never=build_negation("played")), ada)
    above, below = Node.objects.get(operator="aggregate"), Node.objects.get(operator="has_existed")
    sink = add_sink(node=above, user=ada, kind="parquet", delivers="revisions", options={"folder": "there"})
    delete_plan(plan=Plan.objects.get(pk=plan.pk), user=ada)
    stop_unwanted()
    assert len(remove_unused()) == 1
    assert set(Node.objects.all()) == {above, below}
    sink.delete()
    assert set(remove_unused()) == {above.digest, below.digest}


def test_a_node_is_kept_while_the_trash_holds_its_stream(ada: User, plan: Plan, player: Stream) -> None:
    run(plan, ada)
    digests = set(Node.objects.values_list("digest", flat=True))
    trashed = delete_stream(stream=player, user=ada, stop_plans=True)
    stop_unwanted()
    assert remove_unused() == []
    restore_from_trash(number=trashed.pk, user=ada)
    assert remove_unused() == []  # the plan would use it again
    delete_stream(stream=Stream.objects.get(), user=ada)
    purge_trash(timezone.now() + timedelta(days=2))
    assert set(remove_unused()) == digests


def test_what_was_computed_of_purged_events_is_due_at_once(ada: User, plan: Plan, player: Stream) -> None:
    run(plan, ada)
    delete_stream(stream=player, user=ada, stop_plans=True)
    stop_unwanted()
    purge_trash(timezone.now() + timedelta(days=2))
    assert len(remove_unused_nodes()) == 2


def test_a_feed_stays_while_another_node_lies_in_it(ada: User) -> None:
    stays, goes = make_node(ada, "d1"), make_node(ada, "d2")
    Chain(build_places(), "d1").write([ChainLink(goes.query.name, 0, 7), ChainLink(stays.query.name, 0)])
    feed, checkpoint = write_files(goes.query)
    Node.objects.filter(pk=goes.pk).delete()
    remove_leftovers()
    assert (feed.exists(), checkpoint.exists()) == (True, False)
    assert Query.objects.filter(pk=goes.query_id).exists()
    Node.objects.filter(pk=stays.pk).delete()
    remove_leftovers()
    assert not feed.exists()
    assert not Query.objects.exists()


def test_a_node_goes_though_its_query_goes_on_for_others(ada: User, plan: Plan) -> None:
    both = run_plan(
        plan=draw(plan, played=has_existed(), never=build_negation("played")), user=ada, placement="together"
    )
    query = Query.objects.get()
    feed, checkpoint = write_files(query)
    never = Node.objects.get(operator="not")
    run_plan(plan=draw(both, played=has_existed()), user=ada, placement="together")
    Query.objects.update(stale=False)
    assert remove_unused() == [never.digest]
    assert feed.exists()
    assert checkpoint.exists()
    assert Query.objects.get().nodes.get().operator == "has_existed"


@pytest.mark.parametrize("state", [Query.Observed.RUNNING, Query.Observed.STOPPING, Query.Observed.RETRYING])
def test_nothing_is_taken_before_the_query_has_stopped(ada: User, state: str) -> None:
    node = make_node(ada)
    Query.objects.update(observed=state)
    assert remove_unused() == []
    Query.objects.update(observed=Query.Observed.STOPPED)
    assert remove_unused() == [node.digest]


def test_a_plan_that_is_run_at_the_same_moment_keeps_its_nodes(
    ada: User, plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is run after the nodes were found to be unused, before they are removed."""
    run(plan, ada)
    old = set(Node.objects.values_list("digest", flat=True))
    run(draw(plan, other=has_existed('cdn == "x"')), ada)
    stop_unwanted()
    find = unused_nodes.find_needed_digests

    def find_and_run(nodes: Any) -> set[str]:
        needed = find(nodes)
        run(draw(plan, played=has_existed(), never=build_negation("played")), ada)
        return needed

    monkeypatch.setattr(unused_nodes, "find_needed_digests", find_and_run)
    assert set(remove_unused()).isdisjoint(old)
    assert set(Plan.objects.get(pk=plan.pk).nodes.values_list("digest", flat=True)) == old


def test_a_plan_that_is_run_after_the_removal_computes_its_nodes_anew(ada: User, plan: Plan) -> None:
    run(plan, ada)
    digest, name = Node.objects.values_list("digest", "query__name").get(operator="has_existed")
    Chain(build_places(), digest).write([ChainLink("elsewhere", 3, 9), ChainLink(name, 0)])
    write_files(Query.objects.get(name=name))
    run(draw(plan, other=has_existed('cdn == "x"')), ada)
    stop_unwanted()
    remove_unused_nodes()
    assert digest in remove_unused_nodes(timezone.now() + LATER)
    run(draw(plan, played=has_existed()), ada)  # before what it left is removed
    again = Node.objects.get(digest=digest)
    assert again.query.name != name
    assert again.version == -1
    assert Chain(build_places(), digest).segments() == [ChainLink(digest, 0)]
    folders = write_files(again.query)
    remove_leftovers()
    assert all(folder.exists() for folder in folders)
    assert Node.objects.filter(pk=again.pk).exists()


def test_a_round_that_was_killed_is_finished_by_the_next(ada: User, monkeypatch: pytest.MonkeyPatch) -> None:
    node = make_node(ada)
    for key in "abc":
        revise(node, key, [[None, False], [T, True]])
    Chain(build_places(), node.digest).write([ChainLink(node.query.name, 0)])
    folders = write_files(node.query)
    remove_unused_nodes()
    remove_unused_nodes(timezone.now() + LATER)
    monkeypatch.setattr("timeline_app.web.nodes.removed_nodes.MAX_ROWS_PER_TRANSACTION", 1)
    rows, interrupted = removed_nodes.remove_rows, iter([False, True])

    def remove_one_row() -> bool:
        if next(interrupted, False):
            interrupt()
        return rows()

    steps = {"remove_chains": interrupt, "remove_dead_queries": interrupt, "remove_rows": remove_one_row}
    for name, instead in steps.items():
        with monkeypatch.context() as patched:
            patched.setattr(removed_nodes, name, instead)
            with pytest.raises(KeyboardInterrupt):
                remove_leftovers()
    assert 0 < Revision.objects.count() < 3
    remove_leftovers()
    assert not any(folder.exists() for folder in folders)
    assert not NodeKey.objects.exists()
    assert not Revision.objects.exists()
    assert not Query.objects.exists()


def test_files_that_were_removed_before_a_kill_take_their_query_along(
    ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    node = make_node(ada)
    folders = write_files(node.query)
    Node.objects.all().delete()
    with monkeypatch.context() as patched:
        patched.setattr(Query, "delete", interrupt)
        with pytest.raises(KeyboardInterrupt):
            remove_leftovers()
    assert not any(folder.exists() for folder in folders)
    remove_leftovers()
    assert not Query.objects.exists()


def interrupt(*_: Any) -> None:
    raise KeyboardInterrupt
