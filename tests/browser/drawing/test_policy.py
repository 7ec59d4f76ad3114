"""No page does what the content security policy refuses: nothing inline, nothing from elsewhere."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.code import Code
from tests.browser.drawing.looking import Story, run_story
from tests.browser.drawing.test_accessible_live import PAGES as LIVE
from tests.browser.drawing.test_accessible_live import open_studio
from tests.browser.product import wait_until
from tests.browser.studio import Studio, enter
from workers.stack import Stack

pytestmark = pytest.mark.browser
LISTEN = """document.addEventListener("securitypolicyviolation", (event) => window.refusedByPolicy(
    [document.location.pathname, event.effectiveDirective, event.blockedURI, event.sample, event.sourceFile,
     event.lineNumber].join(" ")));"""


@pytest.fixture(scope="module")
def story(stack: Stack) -> Story:
    return run_story(stack, "watchman")


@pytest.fixture
def refused(page: Page) -> list[str]:
    """What the browser refused since the page was made, whatever page it is now."""
    names: list[str] = []

    def hear(text: str) -> None:  # Playwright writes upon what it is given
        names.append(text)

    page.expose_function("refusedByPolicy", hear)
    page.add_init_script(LISTEN)
    page.on(
        "console",
        lambda line: names.append(line.text) if "Content Security Policy" in line.text else None,
    )
    return names


@pytest.fixture
def inside(page: Page, refused: list[str], story: Story) -> Page:
    enter(page, "watchman")
    return page


def test_what_is_inline_would_be_noticed(inside: Page, refused: list[str]) -> None:
    inside.evaluate("document.body.setAttribute('style', 'color: red')")
    inside.evaluate("""() => { const made = document.createElement("script"); made.textContent = "window.bad = 1";
        document.body.append(made); }""")
    inside.evaluate("""() => { const made = document.createElement("style"); made.textContent = "p { color: red }";
        document.head.append(made); }""")
    kinds = {"style-src-attr", "script-src-elem", "style-src-elem"}
    wait_until(
        lambda: all(kind in "\n".join(refused) for kind in kinds), 60, Studio(inside).wait, lambda: refused
    )
    assert inside.evaluate("window.bad") is None


def open_text(page: Page, story: Story) -> None:
    open_studio(page, story)
    Code(page, "text").show(beside=True)
    page.wait_for_timeout(500)


def open_streams(page: Page, _there: Story) -> None:
    page.goto("/streams/")
    expect(page.get_by_role("heading", name="Streams", exact=True)).to_be_visible()


def declare(page: Page, _there: Story) -> None:
    page.goto("/streams/declare-new/")
    expect(page.get_by_role("heading").first).to_be_visible()


def open_admin(page: Page, _there: Story) -> None:
    for address in ("", "web/node/", "web/query/", "web/plan/", "auth/user/", "web/auditentry/"):
        page.goto(f"/admin/{address}")
        expect(page.locator("#content")).to_be_visible()


def open_calls(page: Page, _there: Story) -> None:
    page.goto("/api/docs/")
    expect(page.locator(".opblock").first).to_be_visible()
    page.locator(".opblock-summary").first.click()
    expect(page.locator(".opblock-body").first).to_be_visible()


def login(page: Page, _there: Story) -> None:
    page.goto("about:blank")  # a page that loses its login goes there by itself
    page.context.clear_cookies()
    page.goto("/login/")
    expect(page.get_by_label("Name")).to_be_visible()


PAGES = (*LIVE.values(), open_text, open_streams, declare, open_admin, open_calls, login)


@pytest.mark.parametrize("show", PAGES)
def test_nothing_is_refused(
    inside: Page, refused: list[str], story: Story, show: Callable[[Page, Story], None]
) -> None:
    show(inside, story)
    inside.wait_for_timeout(300)
    assert refused == []
