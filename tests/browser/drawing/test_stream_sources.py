"""A stream is fed from a source of each kind: its form, its test, what it says of failures."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.product import Api, add_user
from tests.browser.studio import log_in
from workers.stack import Stack

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def ada(stack: Stack) -> Api:
    return add_user(stack, "feeder")


def test_a_kind_of_source_is_chosen_and_has_a_form_of_its_own(page: Page, ada: Api) -> None:
    ada.call("POST", "streams/", {"name": "from_redis", "key": "k", "time": "t"})
    log_in(page, "feeder")
    page.goto(f"{ada.url}streams/from_redis/")
    page.get_by_test_id("edit-source").click()
    page.get_by_test_id("source-kind").select_option("parquet")
    page.get_by_test_id("source-path").fill("/etc")
    page.get_by_test_id("try-source").click()
    expect(page.get_by_test_id("source-failure")).to_contain_text("TIMELINE_SOURCE_FOLDERS")
    page.get_by_test_id("source-kind").select_option("redis_streams")
    page.get_by_test_id("source-url").fill("redis://127.0.0.1:1")
    page.get_by_test_id("source-streams").fill("plays")
    page.get_by_test_id("source-consumers").fill("two")
    page.get_by_test_id("try-source").click()
    expect(page.get_by_test_id("source-failure")).to_contain_text(
        "consumers: must be a whole number, not 'two'"
    )
    page.get_by_test_id("source-consumers").fill("2")
    page.get_by_test_id("try-source").click()
    expect(page.get_by_test_id("source-failure")).to_contain_text("no Redis answers at redis://127.0.0.1:1")
    page.get_by_test_id("set-source").click()
    expect(page.get_by_test_id("source-of")).to_have_text("Redis Streams")
    assert ada.get("streams/from_redis/source/")["options"]["consumers"] == 2
    page.get_by_test_id("edit-source").click()
    expect(page.get_by_test_id("source-kind")).to_have_value("redis_streams")
    expect(page.get_by_test_id("source-consumers")).to_have_value("2")


def test_a_stream_is_fed_by_the_simulator_which_shows_what_would_come(page: Page, ada: Api) -> None:
    ada.declare("made_up_here")
    log_in(page, "feeder")
    page.goto(f"{ada.url}streams/made_up_here/")
    page.get_by_test_id("edit-source").click()
    page.get_by_test_id("source-kind").select_option("simulator")
    page.get_by_test_id("source-rate").fill("1000000")
    page.get_by_test_id("try-source").click()
    expect(page.get_by_test_id("source-failure")).to_contain_text(
        "must be from 0 (as the scenario has it) to 5000"
    )
    page.get_by_test_id("source-rate").fill("50")
    page.get_by_test_id("source-seed").fill("7")
    page.get_by_test_id("try-source").click()
    expect(page.get_by_test_id("source-tried")).to_contain_text("None of 20 messages would be rejected")
    page.get_by_test_id("set-source").click()
    expect(page.get_by_test_id("source-of")).to_have_text("Simulator")
    options = {"scenario": "player", "rate": 50, "late": 0, "seed": 7}
    assert ada.get("streams/made_up_here/source/")["options"] == options


def test_fields_of_a_source_are_mapped_and_shown_before_and_after(page: Page, ada: Api) -> None:
    ada.declare("mapped_here")
    log_in(page, "feeder")
    page.goto(f"{ada.url}streams/mapped_here/")
    page.get_by_test_id("edit-source").click()
    page.get_by_test_id("source-kind").select_option("simulator")
    for number, (to, does, value) in enumerate(
        (("state", "reads", "player_state"), ("site", "is", "Berlin")), 1
    ):
        page.get_by_test_id("add-rule").click()
        page.get_by_label(f"Field of rule {number}", exact=True).fill(to)
        page.get_by_label(f"What rule {number} does").select_option(does)
        page.get_by_label(f"{'Source field' if does == 'reads' else 'Constant'} of rule {number}").fill(value)
    page.get_by_test_id("try-source").click()
    first = page.get_by_test_id("compared").first
    expect(first).to_contain_text("Berlin")
    names = first.locator("thead th").all_text_contents()
    before, after = (row.locator("th, td").all_text_contents() for row in first.locator("tbody tr").all())
    assert before[names.index("player_state")] == after[names.index("state")] != "–"
    assert (before[names.index("site")], after[names.index("player_state")]) == ("–", "–")
    page.get_by_label("Field of rule 2", exact=True).fill("state")
    page.get_by_test_id("try-source").click()
    expect(page.get_by_test_id("source-failure")).to_contain_text("state")
    page.get_by_label("Remove rule 2").click()
    page.get_by_test_id("set-source").click()
    expect(page.get_by_test_id("source-of")).to_have_text("Simulator")
    assert ada.get("streams/mapped_here/source/")["mapping"] == [{"to": "state", "from": "player_state"}]


def test_a_stream_is_fed_from_kafka_and_says_why_it_cannot_be(page: Page, ada: Api) -> None:
    api_of = {"name": "from_kafka", "key": "k", "time": "t"}
    ada.call("POST", "streams/", api_of)
    log_in(page, "feeder")
    page.goto(f"{ada.url}streams/from_kafka/")
    card = page.get_by_test_id("source")
    expect(card).to_contain_text("Events come through the API only")
    page.get_by_test_id("edit-source").click()
    page.get_by_test_id("source-servers").fill("127.0.0.1:1")
    page.get_by_test_id("source-topics").fill("plays")
    page.get_by_test_id("source-security").select_option("sasl_plaintext")
    page.get_by_test_id("source-user").fill("reader")
    page.get_by_test_id("source-password").fill("hush")
    page.get_by_test_id("try-source").click()
    expect(page.get_by_test_id("source-failure")).to_contain_text("no broker answers at 127.0.0.1:1")
    page.get_by_test_id("set-source").click()
    expect(card).to_contain_text("stored, not shown")
    expect(card).to_contain_text("127.0.0.1:1")
    answer = ada.get("streams/from_kafka/source/")
    assert (answer["options"]["user"], answer["secrets"]) == ("reader", ["password"])
    expect(page.get_by_test_id("source-lag")).to_contain_text("unknown until it connects")

    page.get_by_test_id("pause-source").click()
    expect(page.get_by_test_id("source-words")).to_have_text("paused")
    page.get_by_test_id("edit-source").click()
    page.get_by_test_id("source-topics").fill("plays, seeks")
    page.get_by_test_id("set-source").click()
    expect(card).to_contain_text("plays, seeks")
    expect(page.get_by_test_id("source-words")).to_have_text("paused")
    assert ada.get("streams/from_kafka/source/")["secrets"] == ["password"]
    page.get_by_test_id("edit-source").click()
    password = page.get_by_test_id("source-password")
    expect(password).to_have_attribute("placeholder", "stored; leave empty to keep it")
    security = page.get_by_test_id("source-security")
    security.select_option("sasl_ssl")
    expect(password).to_have_attribute("placeholder", "must be entered again after this change")
    security.select_option("sasl_plaintext")
    page.get_by_role("button", name="Remove Password").click()
    expect(card).to_contain_text("Removed with the next save")
    page.get_by_test_id("set-source").click()
    expect(page.get_by_test_id("source-words")).to_be_visible()
    assert ada.get("streams/from_kafka/source/")["secrets"] == []
    card.get_by_role("button", name="Disconnect").click()
    expect(card).to_contain_text("Events come through the API only")
