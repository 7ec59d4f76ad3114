"""An operator of somebody's own on the page: on the palette, drawn, wired, explained, and ready to run."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.product import Api, add_user, build_leaf
from tests.browser.studio import Studio, log_in
from workers.stack import Stack, health
from workers.stack.layout import ROOT

pytestmark = pytest.mark.browser
GUIDE = (ROOT / "docs" / "own-operators.md").read_text(encoding="utf-8")
PLAN = {
    "version": 1,
    "name": "Doors",
    "nodes": {
        "left": build_leaf("has_existed", "doors", where='cdn == "left"'),
        "right": build_leaf("has_existed", "doors", where='cdn == "right"'),
    },
    "layout": {"left": [0, 0], "right": [320, 0]},
}


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """A product that was started with the folder of the guide."""
    folder = tmp_path_factory.mktemp("my-operators")
    result = re.search(r"Write this as `~/my-operators/(\w+\.py)`:\n\n```python\n(.*?)```", GUIDE, re.DOTALL)
    assert result is not None
    (folder / result[1]).write_text(result[2])
    data = tmp_path_factory.mktemp("owned")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIMELINE_OPERATORS", str(folder))
        with Stack(data, demo=False, port=health.find_free_port(), engine=False) as running:
            yield running


@pytest.fixture(scope="module")
def ada(stack: Stack) -> Api:
    return add_user(stack, "owner", streams=["doors"])


@pytest.fixture
def studio(page: Page, ada: Api) -> Studio:
    """A plan with two nodes that wait for an operator over them."""
    log_in(page, "owner")
    studio = Studio(page)
    studio.open(ada.add_plan(PLAN)["id"])
    return studio


def test_it_is_on_the_palette_and_found_there_by_what_it_means(studio: Studio) -> None:
    item = studio.page.get_by_test_id("palette-exactly_one")
    expect(item).to_have_text("Exactly one")
    expect(item).to_have_attribute("title", "True while exactly one of the two is true.")
    expect(studio.page.locator(".palette section", has=item).get_by_role("heading")).to_have_text(
        "From timelines"
    )
    studio.page.get_by_label("Search operators").fill("exactly one of the two")
    expect(studio.page.locator(".palette-item")).to_have_text(["Exactly one"])


def test_it_is_drawn_and_wired_like_any_other_and_may_run_once_nothing_is_missing(studio: Studio) -> None:
    studio.drop_operator("exactly_one", (360, 420))
    studio.fit()
    expect(studio.problems).to_contain_text("exactly_one")
    expect(studio.run_button).to_be_disabled()
    studio.draw_wire("left", "exactly_one", "of")
    studio.draw_wire("right", "exactly_one", "other")
    expect(studio.node("exactly_one")).to_contain_text("Exactly one")
    dialog = studio.ask_to_run()
    expect(dialog).to_contain_text("3 nodes start")
    expect(studio.page.get_by_test_id("fate-new").filter(has_text="exactly_one")).to_be_visible()


def test_its_help_has_its_words_its_ports_its_example_and_whose_file_it_is(studio: Studio) -> None:
    studio.drop_operator("exactly_one", (360, 420))
    studio.page.get_by_test_id("help").click()
    ticks = studio.page.get_by_test_id("operator-help")
    for words in (
        "True while exactly one of the two is true.",
        "Unknown while either is unknown.",
        "half_open = exactly_one(left, right)",
        "A custom operator of exactly_one.py",
    ):
        expect(ticks).to_contain_text(words)
    expect(ticks.locator("dt")).to_have_text(["of", "other", "Gives"])
    expect(ticks.locator("img")).to_have_count(0)
