"""A real stack and a real browser; `parametrize("stack", [True], indirect=True)` wants the demo."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

import bootstrap
from tests.browser.still import PATIENCE_MS
from workers.stack import Stack, health

expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture(scope="package")
def stack(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """The whole product in a directory of its own, on free ports; without demo unless the parameter asks."""
    demo = bool(getattr(request, "param", False))
    with Stack(tmp_path_factory.mktemp("stack"), demo=demo, port=health.find_free_port()) as running:
        yield running


# Not longer than the package: Playwright keeps an event loop open, in which no async test could run.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """One Chromium."""
    with pytest.MonkeyPatch.context() as environment, sync_playwright() as playwright:
        environment.setenv("PLAYWRIGHT_BROWSERS_PATH", str(bootstrap.BROWSERS))
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        running = playwright.chromium.launch(executable_path=bootstrap.chromium(), args=arguments)
        yield running
        running.close()


@pytest.fixture
def page(browser: Browser, stack: Stack) -> Iterator[Page]:
    """A fresh page, nobody logged in, with addresses relative to the stack; a script error fails the test."""
    context = browser.new_context(base_url=stack.url, viewport={"width": 1440, "height": 900})
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    context.close()
    assert errors == []
