"""The pages without the engine: what is drawn, checked and evaluated here needs no Spark to be up."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.drawing.looking import SeenBy
from tests.browser.shell import open_shell
from tests.browser.studio import Scheme, open_page
from workers.stack import Stack, health


@pytest.fixture(scope="package")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """Web server and Redis in a directory of their own, on free ports."""
    data = tmp_path_factory.mktemp("pages")
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("TIMELINE_QUOTAS", "running_nodes=2000,running_queries=2000,all_queries=2000")
        environment.setenv("TIMELINE_PUBLIC_LINKS", "1")
        with (
            Stack(data, demo=False, port=health.find_free_port(), engine=False) as running,
            open_shell(running),
        ):
            yield running


@pytest.fixture
def seen_by(browser: Browser, stack: Stack) -> Iterator[SeenBy]:
    """What somebody sees, logged in, beside others in one test."""
    with ExitStack() as pages:

        def open_page_of(name: str, scheme: Scheme = "light") -> Page:
            return pages.enter_context(open_page(browser, stack.url, scheme, name))

        yield open_page_of
