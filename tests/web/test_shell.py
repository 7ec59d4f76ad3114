"""Plans and nodes from the shell: as a named person, by the same rights, and written into the audit."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from tests.web.giving import open_to_all
from tests.web.log import SECOND, T, revise
from timeline_app.web.models import Node, Plan
from timeline_app.web.models.people import AuditEntry


def run(*arguments: str) -> str:
    """What is printed."""
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def test_a_plan_is_listed_run_shown_and_stopped(plan: Plan, ada: User) -> None:
    assert run("plan", "list", "owner:me", "--as", "ada").splitlines()[1].split()[-2:] == ["stopped", "0"]
    assert "running" in run("plan", "run", "A plan", "--as", "ada", "--reason", "for the night")
    answer = json.loads(run("plan", "show", str(plan.pk), "--as", "ada", "--json"))
    assert (answer["running"], len(answer["nodes"])) == (True, 2)
    assert "stopped" in run("plan", "stop", str(plan.pk), "--as", "ada")
    acts = AuditEntry.objects.filter(act__in=["plan.run", "plan.stop"]).order_by("pk")
    assert [(act.act, act.actor_name, act.source, act.reason) for act in acts] == [
        ("plan.run", "ada", "shell", "for the night"),
        ("plan.stop", "ada", "shell", ""),
    ]


@pytest.mark.parametrize("text", [False, True])
def test_what_is_exported_is_imported_again(plan: Plan, ada: User, tmp_path: Path, text: bool) -> None:
    file = tmp_path / "plan"
    file.write_text(run("plan", "export", "A plan", "--as", "ada", *(["--text"] if text else [])))
    run("plan", "import", str(file), "--as", "ada")
    assert Plan.objects.exclude(pk=plan.pk).get().document["nodes"] == plan.document["nodes"]


def test_a_node_is_listed_peeked_at_and_restarted(plan: Plan, ada: User) -> None:
    run("plan", "run", "A plan", "--as", "ada")
    node = Node.objects.get(operator="has_existed")
    revise(node, "s1", [[None, False], [T + SECOND, True]])
    assert "played" in run("node", "list", "op:has_existed", "--as", "ada")
    assert "True" in run("node", "peek", "A plan/played", "--key", "s1", "--as", "ada")
    at = ["--key", "s1", "--at", str(T + SECOND), "--as", "ada", "--json"]
    assert json.loads(run("node", "peek", node.digest[:12], *at))["points"][0]["value"] is True
    run("node", "restart", node.digest, "--as", "ada", "--reason", "it hangs")
    entry = AuditEntry.objects.get(act="node.restart")
    assert (entry.source, entry.reason, entry.actor_name) == ("shell", "it hangs", "ada")


def test_who_acts_is_the_only_administrator_unless_it_is_said(plan: Plan, root: User) -> None:
    run("plan", "run", "A plan")
    assert AuditEntry.objects.get(act="plan.run").actor_name == "root"
    User.objects.create_superuser("second")
    with pytest.raises(CommandError, match="several administrators"):
        run("plan", "stop", "A plan")


BAD = {
    "nobody": (["plan", "list", "--as", "zoe"], "Nobody here"),
    "no plan": (["plan", "run", "--as", "ada"], "Say which plan"),
    "a name that is none": (["plan", "show", "Nonsense", "--as", "ada"], "There is no plan"),
    "a number that is none": (["plan", "stop", "999999999999999999", "--as", "ada"], "There is no plan"),
    "not for others": (["plan", "run", "A plan", "--as", "bob"], "There is no plan"),
    "a bad search": (["plan", "list", "x:y", "--as", "ada"], "There is no term"),
    "no file": (["plan", "import", "/nowhere/plan.json", "--as", "ada"], "cannot be read"),
    "no node": (["node", "peek", "--as", "ada"], "Say which node"),
    "too short": (["node", "peek", "ab", "--key", "s1", "--as", "ada"], "at least 6"),
    "no such digest": (["node", "restart", "zzzzzzzz", "--as", "ada"], "No node has"),
    "no such name": (["node", "peek", "A plan/x", "--key", "k", "--as", "ada"], "runs no node"),
    "a bad node search": (["node", "list", "is:open", "--as", "ada"], "says nothing of nodes"),
}


@pytest.mark.parametrize(("arguments", "words"), BAD.values(), ids=BAD)
def test_what_cannot_be_done_is_refused_in_words(
    plan: Plan, ada: User, bob: User, arguments: list[str], words: str
) -> None:
    open_to_all(thing=plan, user=ada, is_open=False)
    with pytest.raises(CommandError, match=words):
        run(*arguments)
