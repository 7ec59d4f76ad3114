"""One's tokens: made, copied once, used, listed, ended; in light and dark."""

from __future__ import annotations

import urllib.error
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.axe import find_overflow, find_violations
from tests.browser.product import PASSWORD, Api, add_user
from tests.browser.studio import enter, open_page
from workers.stack import Stack

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def ada(stack: Stack) -> Api:
    return add_user(stack, "holder")


@pytest.fixture
def tokens(page: Page, ada: Api) -> Page:
    """The page, reached by the menu under one's name."""
    enter(page, "holder")
    page.get_by_test_id("account").click()
    page.get_by_test_id("account-tokens").click()
    expect(page.get_by_role("heading", name="Tokens", exact=True)).to_be_visible()
    return page


@pytest.fixture(params=["light", "dark"])
def themed(browser: Browser, stack: Stack, ada: Api, request: pytest.FixtureRequest) -> Iterator[Page]:
    with open_page(browser, stack.url, request.param, "holder") as page:
        page.goto("/tokens/")
        yield page


def make(page: Page, name: str, *scopes: str) -> str:
    """A new token of these scopes beside `read`; what it is."""
    page.get_by_test_id("new-token").click()
    page.get_by_test_id("token-name").fill(name)
    for scope in scopes:
        page.get_by_test_id(f"scope-{scope}").check()
    page.get_by_test_id("token-password").fill(PASSWORD)
    page.get_by_test_id("make-token").click()
    expect(page.get_by_test_id("made-token")).to_contain_text(name)
    return page.get_by_test_id("token-text").inner_text().strip()


def test_a_token_is_shown_once_and_works_until_it_is_ended(tokens: Page, stack: Stack) -> None:
    text = make(tokens, "importer", "write")
    program = Api(stack.url, text)
    assert program.get("me/")["username"] == "holder"
    program.declare("held")
    row = tokens.get_by_test_id("tokens").get_by_role("row", name="importer")
    expect(row).to_contain_text("Read, Write")
    expect(row).to_contain_text("in 90 days")
    tokens.reload()
    expect(row).to_contain_text("just now")
    assert text not in tokens.content()
    row.get_by_role("button", name="Revoke importer").click()
    tokens.get_by_role("dialog").get_by_role("button", name="Revoke", exact=True).click()
    expect(row).not_to_be_attached()
    with pytest.raises(urllib.error.HTTPError, match="401"):
        program.get("me/")


def test_what_is_missing_is_said_before_anything_is_sent(tokens: Page) -> None:
    tokens.get_by_test_id("new-token").click()
    tokens.get_by_test_id("make-token").click()
    expect(tokens.get_by_role("alert")).to_have_text("Enter a name.")
    tokens.get_by_test_id("token-name").fill("nothing")
    tokens.get_by_test_id("scope-read").uncheck()
    tokens.get_by_test_id("make-token").click()
    expect(tokens.get_by_role("alert")).to_have_text("Choose at least one scope.")
    tokens.get_by_test_id("scope-events").check()
    tokens.get_by_test_id("make-token").click()
    expect(tokens.get_by_role("alert")).to_have_text("Enter your password.")


def test_everything_is_reached_by_keyboard(tokens: Page) -> None:
    tokens.get_by_test_id("account").focus()
    tokens.keyboard.press("Enter")
    expect(tokens.get_by_test_id("account-tokens")).to_be_focused()
    tokens.keyboard.press("End")
    expect(tokens.get_by_test_id("log-out")).to_be_focused()
    tokens.keyboard.press("Enter")
    expect(tokens).to_have_url(f"{tokens.url.split('/tokens/')[0]}/login/")


def test_the_page_keeps_the_rules(themed: Page, request: pytest.FixtureRequest) -> None:
    theme = request.node.callspec.params["themed"]
    expect(themed.get_by_test_id("new-token")).to_be_visible()
    make(themed, f"nightly import in the {theme}", "events")
    assert not (result := find_violations(themed)), "\n".join(result)
    # The menu covers a part of the buttons below it.
    themed.get_by_test_id("account").click()
    assert not (result := find_violations(themed, ".account")), "\n".join(result)
    themed.keyboard.press("Escape")
    assert not (off := find_overflow(themed)), off
    themed.get_by_test_id("new-token").click()
    assert not (result := find_violations(themed)), "\n".join(result)
