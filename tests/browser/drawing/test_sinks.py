"""A sink is added to a node on its page, checked, seen at work, paused, changed and removed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pyarrow.parquet as pq
import pytest
from playwright.sync_api import Page, expect

import bootstrap
from tests.browser.drawing.log import SECOND, Log, compute_now
from tests.browser.product import Api, add_user, build_leaf
from tests.browser.studio import log_in
from workers.stack import Stack

pytestmark = pytest.mark.browser


@pytest.fixture
def delivery(stack: Stack) -> Iterator[None]:
    """The process that delivers, which a product without an engine has not."""
    command = [sys.executable, "-m", "workers.connectors.delivery"]
    running = subprocess.Popen(
        command,
        cwd=bootstrap.ROOT,
        env=stack.layout.environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    yield
    running.terminate()
    running.wait()


def run_node(user: Api, action: str) -> str:
    """A node that runs; its digest."""
    stream = f"sunk_{action}"
    user.declare(stream)
    played = build_leaf("has_existed", stream, where=f'user_action == "{action}"')
    number = int(user.add_plan({"version": 1, "name": f"Sunk {action}", "nodes": {"played": played}})["id"])
    user.run(number)
    return str(user.digests(number)["played"])


def test_a_node_is_delivered_to_files_and_the_page_says_how_that_goes(
    page: Page, stack: Stack, delivery: None
) -> None:
    ada = add_user(stack, "sinker")
    digest = run_node(ada, "play")
    log, start = Log(stack, {"played": digest}), compute_now() - 100 * SECOND
    log.say("played", "ann", [[None, False], [start, True]])
    log.publish()
    log_in(page, "sinker")
    page.goto(f"{ada.url}nodes/{digest}/")
    card = page.get_by_test_id("sinks")
    expect(card).to_contain_text("No sinks yet")
    page.get_by_test_id("add-sink").click()
    expect(page.get_by_test_id("sink-form")).to_contain_text("exactly once")
    page.get_by_test_id("sink-folder").fill("../up")
    page.get_by_test_id("check-sink").click()
    expect(page.get_by_test_id("sink-failure")).to_contain_text("is no folder below the one")
    page.get_by_test_id("sink-folder").fill("video/sunk")
    page.get_by_test_id("sink-every").fill("0")
    page.get_by_test_id("check-sink").click()
    expect(page.get_by_test_id("sink-fits")).to_have_text("Connection works.")
    page.get_by_test_id("sink-folder").fill("video/elsewhere")
    expect(page.get_by_test_id("sink-fits")).to_be_hidden()
    page.get_by_test_id("sink-folder").fill("video/sunk")
    expect(page.get_by_test_id("sink-form")).to_contain_text("Every, in seconds")
    page.get_by_test_id("set-sink").click()
    acts = page.get_by_test_id("act-node.sink")
    expect(acts).to_have_count(1)
    expect(page.get_by_test_id("sink-words")).to_contain_text("all is delivered, 2 rows")
    expect(page.get_by_test_id("sink-lag")).to_have_text("0 versions of the node")
    [file] = (stack.layout.data / "delivered" / "video" / "sunk").glob("*.parquet")
    assert pq.read_table(file)["value"].to_pylist() == [False, True]

    page.get_by_test_id("pause-sink").click()
    expect(page.get_by_test_id("sink-words")).to_have_text("paused")
    log.say("played", "bob", [[None, False]])
    log.publish()
    page.get_by_test_id("pause-sink").click()
    expect(page.get_by_test_id("sink-rows")).to_have_text("3 rows")
    page.get_by_test_id("change-sink").click()
    page.get_by_test_id("sink-delivers").select_option("final")
    page.get_by_test_id("sink-folder").fill("video/final")
    page.get_by_test_id("set-sink").click()
    expect(card).to_contain_text("what is final, exactly once")
    page.get_by_test_id("remove-sink").click()
    dialog = page.get_by_role("dialog", name="Remove “Parquet files to video/final: what is final”?")
    dialog.get_by_role("button", name="Remove").click()
    expect(card).to_contain_text("No sinks yet")
    expect(acts).to_have_count(5)  # added, paused, resumed, changed, removed
    assert file.exists()


def test_what_is_wrong_with_a_target_is_said_and_secrets_are_not_shown(
    page: Page, stack: Stack, delivery: None
) -> None:
    ada = add_user(stack, "sinker_too")
    digest = run_node(ada, "stop")
    log = Log(stack, {"played": digest})
    log.say("played", "ann", [[None, False]])
    log.publish()
    sink = {"kind": "webhook", "delivers": "revisions"}
    options = {"url": "http://127.0.0.1:1/", "secret": "hush, hush, hush"}
    ada.call("POST", f"nodes/{digest}/sinks/", sink | {"options": options})
    log_in(page, "sinker_too")
    page.goto(f"{ada.url}nodes/{digest}/")
    card = page.get_by_test_id("sinks")
    expect(page.get_by_test_id("sink-words")).to_contain_text("127.0.0.1:1 cannot be reached")
    expect(card).to_contain_text("stored, not shown")
    expect(card).not_to_contain_text("hush")
