"""Every page keeps the rules of WCAG 2.2 AA that a program can check, in light and dark."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.axe import find_violations
from tests.browser.code import Code
from tests.browser.product import Api, add_user, build_leaf
from tests.browser.streams import Wizard
from tests.browser.studio import Studio, open_page
from tests.browser.testing import Testing
from tests.browser.versions import Versions
from workers.stack import Stack

pytestmark = pytest.mark.browser

NODES = {
    "seeking": build_leaf("has_existed_within", "heard", where='user_action == "seek"', duration="5s"),
    "calm": {"op": "not", "inputs": {"of": "seeking"}},
    "unwired": {"op": "not"},
}
PLAN = {"version": 1, "name": "To be read", "nodes": NODES, "results": ["calm"]}


CAN_RUN = "Can be run"
RUNNABLE = PLAN | {"name": CAN_RUN, "nodes": {name: NODES[name] for name in ("seeking", "calm")}}


@pytest.fixture(scope="module")
def ada(stack: Stack) -> Api:
    user = add_user(stack, "reader", staff=True)
    user.declare("heard")
    return user


@pytest.fixture(scope="module")
def plan(ada: Api) -> int:
    """With a test that fails."""
    first = PLAN | {"nodes": {name: node for name, node in NODES.items() if name != "unwired"}}
    plan = int(ada.add_plan(first)["id"])
    ada.call("POST", f"plans/{plan}/versions/", {"name": "First"})
    ada.call("PUT", f"plans/{plan}/", {"document": PLAN, "version": 1})
    ada.push("heard", [{"session_id": "s1", "event_id": "e1", "t": 1_000, "user_action": "seek"}])
    sample = ada.call("POST", "samples/", {"name": "One event", "streams": ["heard"], "last": 1})["id"]
    expected = {"node": "seeking", "key": "s1", "spans": [{"from": 0, "to": 2_000_000, "value": True}]}
    ada.call("POST", f"plans/{plan}/tests/", {"name": "Sought", "sample": sample, "expected": [expected]})
    ada.add_plan(RUNNABLE)
    return plan


@pytest.fixture(params=["light", "dark"])
def page(browser: Browser, stack: Stack, ada: Api, request: pytest.FixtureRequest) -> Iterator[Page]:
    with open_page(browser, stack.url, request.param, "reader") as page:
        yield page


def open_studio(page: Page, plan: int) -> Studio:
    studio = Studio(page)
    studio.open(plan)
    expect(studio.node("calm")).to_be_visible()
    expect(studio.problems).to_contain_text("unwired")
    return studio


def draw_plan(page: Page, plan: int) -> None:
    open_studio(page, plan)


def inspect_node(page: Page, plan: int) -> None:
    open_studio(page, plan).select("seeking")


def open_failing_test(page: Page, plan: int) -> None:
    """A test that fails, and the table of what it expects."""
    open_studio(page, plan)
    testing = Testing(page)
    testing.open()
    testing.expect_status("Sought", "failed")
    testing.test("Sought").click()
    testing.expected("seeking").get_by_role("button", name="Table").click()
    expect(page.get_by_label("Span 1 value")).to_be_visible()


def open_recording(page: Page, plan: int) -> None:
    open_failing_test(page, plan)
    page.get_by_test_id("record").click()


def sample_list(page: Page, plan: int) -> None:
    open_failing_test(page, plan)
    page.get_by_role("button", name="Samples …").click()


def open_versions(page: Page, plan: int) -> None:
    """The newest version beside the draft."""
    open_studio(page, plan)
    Versions(page).open()
    expect(Versions(page).node("unwired")).to_have_attribute("data-did", "added")


def open_json(page: Page, plan: int) -> None:
    open_studio(page, plan)
    Code(page, "json").show()


def open_text(page: Page, plan: int) -> None:
    open_studio(page, plan)
    text = Code(page, "text")
    text.show(beside=True)
    text.append("\nbad = nott(")
    expect(text.status).to_have_text("Has errors – not applied")


def run_dialog(page: Page, _plan: int) -> None:
    page.goto("/")
    page.get_by_role("link", name=CAN_RUN).click()
    Studio(page).ask_to_run()


def import_dialog(page: Page, plan: int) -> None:
    open_studio(page, plan).choose_from_menu("import")
    page.get_by_test_id("import-text").fill("a = nott(b")
    expect(page.get_by_test_id("import-refused")).to_be_visible()


def visit(path: str) -> Callable[[Page, int], None]:
    return lambda page, plan: go(page, path.format(plan=plan))


def go(page: Page, path: str) -> None:
    page.goto(path)
    page.wait_for_load_state("networkidle")


def open_calls(page: Page, _plan: int) -> None:
    page.goto("/api/docs/")
    summary = page.locator(".opblock-summary-post").first
    expect(summary).to_be_visible()
    summary.click()
    expect(page.locator(".opblock-body").first).to_be_visible()


def open_help(page: Page, plan: int) -> None:
    inspect_node(page, plan)
    page.get_by_test_id("help").click()
    expect(page.get_by_test_id("operator-help").locator("img")).to_be_visible()


def press_keys(keys: str) -> Callable[[Page, int], None]:
    """What a key opens over the canvas."""

    def press(page: Page, plan: int) -> None:
        open_studio(page, plan).click_canvas()
        page.keyboard.press(keys)
        expect(page.get_by_role("dialog").first).to_be_visible()

    return press


def guess_stream(page: Page, _plan: int) -> None:
    wizard = Wizard(page)
    wizard.open()
    wizard.paste_events({"id": n, "at": 1_700_000_000_000 + n, "who": "ann"} for n in range(3))
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")


def start_tour(page: Page, _plan: int) -> None:
    page.goto("/")
    page.get_by_test_id("take-tour").click()
    expect(page.locator(".tour-ring")).to_be_visible()


PAGES: dict[str, Callable[[Page, int], None]] = {
    "calls over REST": open_calls,
    "plans": visit("/"),
    "streams": visit("/streams/"),
    "declare a stream": visit("/streams/declare-new/"),
    "a stream": visit("/streams/heard/"),
    "a new plan": visit("/plans/new/"),
    "a plan that is not there": visit("/plans/999999/"),
    "no such page": visit("/nowhere/"),
    "the design system": visit("/looks/"),
    "operations": visit("/operations/"),
    "storage": visit("/storage/"),
    "a plan": draw_plan,
    "a node that is set up": inspect_node,
    "versions": open_versions,
    "JSON": open_json,
    "text": open_text,
    "help of an operator": open_help,
    "commands": press_keys("Control+k"),
    "all keys": press_keys("?"),
    "a stream that is guessed": guess_stream,
    "the tour": start_tour,
    "before a run": run_dialog,
    "import": import_dialog,
    "a test of a plan": open_failing_test,
    "a sample to be recorded": open_recording,
    "all samples": sample_list,
    "admin": visit("/admin/"),
    "admin: nodes": visit("/admin/web/node/"),
    "admin: plan": visit("/admin/web/plan/{plan}/change/"),
}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_keeps_the_rules(page: Page, plan: int, name: str) -> None:
    PAGES[name](page, plan)
    assert not (result := find_violations(page)), "\n".join(result)


def test_the_login_page_keeps_the_rules(browser: Browser, stack: Stack) -> None:
    context = browser.new_context(base_url=stack.url)
    page = context.new_page()
    page.goto("/login/")
    assert not (result := find_violations(page)), "\n".join(result)
    context.close()


def test_a_password_is_shown_while_it_is_asked_to_be(browser: Browser, stack: Stack) -> None:
    context = browser.new_context(base_url=stack.url)
    page = context.new_page()
    page.goto("/login/")
    password, show = page.get_by_label("Password"), page.get_by_role("button", name="Show password")
    password.fill("two words")
    for kind, pressed in [("password", "false"), ("text", "true"), ("password", "false")]:
        expect(password).to_have_attribute("type", kind)
        expect(show).to_have_attribute("aria-pressed", pressed)
        show.click()
    context.close()
