"""A stream is declared from a sample, every guess can be changed; its page says how it arrives and what was refused."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import find_violations
from tests.browser.product import Api, add_user, build_leaf, wait_until
from tests.browser.streams import Wizard
from tests.browser.studio import declare_stream, enter, log_in
from timeline_app.landing.log import Landing
from workers.stack import Stack

pytestmark = pytest.mark.browser
DAY = 86_400_000


def build_viewing(size: int = 40, start: int = 1_719_824_400_000) -> list[dict[str, Any]]:
    """Every tenth event comes 7 s late."""
    return [
        {
            "session_id": f"s{index % 7}",
            "event_id": f"e{index}",
            "t": start + 1000 * index - (7000 if index % 10 == 9 else 0),
            "player_state": "play" if index % 3 else "buffer",
            "bitrate": 100 + index / 4,
            "live": index % 2 == 0,
        }
        for index in range(size)
    ]


def push(api: Api, stream: str, *lines: Any) -> int:
    """Events, or lines as they are; the status."""
    body = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines).encode()
    headers = {"Authorization": f"Token {api.token}"}
    request = urllib.request.Request(f"{api.url}api/streams/{stream}/events/", body, headers, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as refused:
        return refused.code


@pytest.fixture(scope="module")
def ada(stack: Stack) -> Api:
    return add_user(stack, "streamer")


@pytest.fixture
def wizard(page: Page, ada: Api) -> Wizard:
    log_in(page, "streamer")
    wizard = Wizard(page)
    wizard.open()
    return wizard


def read_declaration(api: Api, name: str) -> Mapping[str, Any]:
    document: Mapping[str, Any] = api.get(f"streams/{name}/")
    return document


def test_pasted_lines_are_guessed_declared_and_pushed(wizard: Wizard, ada: Api) -> None:
    wizard.paste_events(build_viewing())
    for what, value in {"key": "session_id", "time": "t", "id": "event_id", "unit": "ms"}.items():
        expect(wizard.field(what)).to_have_value(value)
    expect(wizard.guess("key")).to_contain_text("7 different values in 40 events")
    expect(wizard.field("allowed_lateness")).to_have_value("10s")
    expect(wizard.lateness).to_contain_text("at most by 6 s")
    expect(wizard.preview.locator("tbody tr")).to_have_count(20)
    wizard.declare("pasted")
    expect(wizard.page.get_by_test_id("counters")).to_contain_text("40")
    expect(wizard.page.get_by_test_id("newest-events")).to_contain_text("e39")
    answer = read_declaration(ada, "pasted")
    assert (answer["events"], answer["allowed_lateness"]) == (40, "10s")
    assert answer["fields"] == {
        "event_id": "text",
        "player_state": "text",
        "bitrate": "number",
        "live": "bool",
    }


def test_a_key_of_several_fields_is_declared(wizard: Wizard, ada: Api) -> None:
    page = wizard.page
    wizard.paste_events([{**item, "card": f"c{index % 3}"} for index, item in enumerate(build_viewing())])
    page.get_by_test_id("key-another").fill("card")
    page.get_by_test_id("key-add").click()
    expect(page.get_by_test_id("key-fields")).to_contain_text("card")
    wizard.declare("by_card")
    expect(page.get_by_test_id("counters")).to_contain_text("40")
    assert read_declaration(ada, "by_card")["key"] == '["session_id","card"]'


def test_rows_with_an_end_are_declared_and_their_end_can_be_taken_away(wizard: Wizard, ada: Api) -> None:
    rows = [
        {
            "machine": f"m{index % 2}",
            "start": f"2024-07-01T0{index}:00:00Z",
            "end": f"2024-07-01T0{index}:30:00Z",
        }
        for index in range(9)
    ]
    wizard.paste_events(rows)
    expect(wizard.field("until")).to_have_value("end")
    expect(wizard.guess("until")).to_contain_text("end is what ends are called")
    wizard.field("until").fill("")
    expect(wizard.preview.locator("tbody tr")).to_have_count(9)
    wizard.field("until").fill("end")
    wizard.declare("stops")
    assert (read_declaration(ada, "stops")["events"], read_declaration(ada, "stops")["until"]) == (9, "end")
    expect(wizard.page.get_by_test_id("declaration")).to_contain_text("End")


def test_a_guess_that_is_changed_reads_the_sample_anew_and_stays(wizard: Wizard) -> None:
    wizard.paste_events(build_viewing())
    wizard.field("key").fill("player_state")
    expect(wizard.preview.locator("tbody td:nth-child(2)").first).to_have_text("buffer")
    expect(wizard.guess("key")).to_contain_text("The sample says session_id")
    wizard.page.get_by_label("Type of field 2", exact=True).select_option("number")
    expect(wizard.refused).to_contain_text("'event_id' is declared number")
    expect(wizard.field("key")).to_have_value("player_state")
    wizard.guess("key").get_by_role("button", name="session_id").click()
    expect(wizard.guess("key")).to_contain_text("7 different values")


def test_lines_that_would_be_refused_are_shown_and_can_be_left_out(wizard: Wizard, ada: Api) -> None:
    lines = [*map(json.dumps, build_viewing(5)), '{"t": 1}', "{half"]
    wizard.paste("\n".join(lines))
    expect(wizard.preview).to_contain_text("7 lines, read as JSON lines")
    expect(wizard.preview).to_contain_text("5 valid, 2 would be rejected.")
    expect(wizard.refused).to_contain_text("2 lines would be rejected")
    expect(wizard.refused).to_contain_text("the key 'session_id' is missing")
    expect(wizard.page.get_by_text("without events that would be rejected")).to_be_visible()
    wizard.declare("partly")
    assert read_declaration(ada, "partly")["events"] == 5
    expect(wizard.page.get_by_test_id("rejected-events").locator("tbody tr")).to_have_count(2)


def test_a_csv_file_names_the_stream_and_is_pushed_with_its_types(wizard: Wizard, ada: Api) -> None:
    rows = "\n".join(f"{4000 + n % 3};Carlton;2024-07-01T08:00:{n:02}Z;{n}.5" for n in range(12))
    wizard.choose_file("Card swipes.csv", f"card;suburb;at;amount\n{rows}".encode())
    expect(wizard.field("name")).to_have_value("card_swipes")
    expect(wizard.preview).to_contain_text("12 rows, read as CSV")
    wizard.page.get_by_test_id("push-sample").uncheck()
    wizard.declare("card_swipes")
    answer = read_declaration(ada, "card_swipes")
    assert (answer["events"], answer["unit"], answer["fields"]["amount"]) == (0, "iso8601", "number")


@pytest.mark.parametrize("text", ["hello", "[1, 2", '{"a": 1}\n{', "a,b"])
def test_what_is_no_sample_says_what_would_do(wizard: Wizard, text: str) -> None:
    wizard.paste(text)
    outcome = wizard.failure.or_(wizard.preview)
    expect(outcome).not_to_contain_text("Analyzing the sample")
    expect(outcome.get_by_text("Send").or_(outcome.get_by_text("missing")).or_(outcome.get_by_text("Say which")).or_(
        outcome.get_by_text("Add some")).first).to_be_visible()  # fmt: skip
    if wizard.failure.is_visible():
        wizard.page.get_by_role("button", name="Another sample").click()
        expect(wizard.page.get_by_test_id("sample")).to_be_visible()


def test_a_file_whose_encoding_cannot_be_told_asks_for_it(wizard: Wizard, ada: Api) -> None:
    lines = [f"m{index % 3};2026-08-03T10:{index:02}:00Z;Станок {index % 2}" for index in range(30)]
    wizard.choose_file("plant.csv", "\n".join(["machine;at;state", *lines]).encode("cp1251"))
    expect(wizard.failure).to_contain_text("State the encoding in the declaration")
    wizard.field("encoding").fill("windows-1215")
    expect(wizard.failure).to_contain_text("did you mean windows-125")
    wizard.field("encoding").fill("windows-1251")
    expect(wizard.preview).to_contain_text("Станок 1")
    expect(wizard.field("encoding")).to_have_value("windows-1251")
    wizard.declare("plant")
    answer = read_declaration(ada, "plant")
    assert (answer["events"], answer["encoding"]) == (30, "cp1251")


def test_a_name_that_is_taken_is_refused_and_nothing_is_lost(wizard: Wizard, ada: Api) -> None:
    ada.declare("taken")
    wizard.paste_events(build_viewing(3))
    wizard.field("name").fill("taken")
    wizard.page.get_by_test_id("declare").click()
    expect(wizard.refusal).to_contain_text("There is a stream 'taken' already")
    wizard.declare("not_taken")
    assert read_declaration(ada, "not_taken")["events"] == 3


def test_a_stream_is_declared_by_hand_with_the_keyboard_alone(page: Page, ada: Api) -> None:
    log_in(page, "streamer")
    page.goto("/streams/declare-new/")
    page.get_by_test_id("by-hand").focus()
    page.keyboard.press("Enter")
    page.get_by_test_id("stream-name").focus()
    for text in ("by_keys", "card", "", "at"):  # the key may have another field
        page.keyboard.type(text)
        page.keyboard.press("Tab")
    page.keyboard.press("s")  # seconds
    page.get_by_test_id("stream-name").press("Enter")
    expect(page.locator("main[data-testid=stream-by_keys]")).to_be_visible()
    assert (read_declaration(ada, "by_keys")["key"], read_declaration(ada, "by_keys")["unit"]) == (
        "card",
        "s",
    )


def test_what_is_refused_at_the_door_is_kept_mended_and_taken(page: Page, ada: Api) -> None:
    enter(page, "streamer")
    declare_stream(page, "door", {"bitrate": "number"})
    expect(page.get_by_test_id("newest-events")).to_contain_text("No events yet")
    assert push(ada, "door", '{"session_id": "s1", "t": 1}', '{"session_id": "s1"}') == 400
    rejected = page.get_by_test_id("rejected-events")
    expect(rejected).to_contain_text("the time 't' is missing")
    rejected.get_by_role("button", name="Fix").click()
    dialog = page.get_by_role("dialog", name="Fix the line")
    dialog.get_by_label("The line").fill('{"session_id": "s1", "t": "soon"}')
    dialog.get_by_role("button", name="Try again").click()
    expect(dialog).to_contain_text("the time 'soon' does not parse")
    dialog.get_by_label("The line").fill('{"session_id": "s1", "t": 1719824400000, "event_id": "mended"}')
    dialog.get_by_role("button", name="Try again").click()
    expect(dialog).not_to_be_attached()
    expect(page.get_by_test_id("newest-events")).to_contain_text("mended")
    expect(rejected).to_contain_text("No rejected events")
    assert read_declaration(ada, "door")["events"] == 1


def test_rejected_events_are_downloaded_and_cleared(page: Page, ada: Api, tmp_path: Path) -> None:
    ada.declare("rejected")
    now = int(time.time() * 1000)
    push(ada, "rejected", *build_viewing(3, now))
    push(ada, "rejected", {"session_id": "s9", "event_id": "old", "t": now - 30 * DAY})
    push(ada, "rejected", "{", "17")
    log_in(page, "streamer")
    page.goto("/streams/rejected/")
    rejected = page.get_by_test_id("rejected-events")
    expect(rejected.locator("tbody tr")).to_have_count(2)
    with page.expect_download() as download:
        rejected.get_by_role("button", name="Download").click()
    download.value.save_as(tmp_path / "lines")
    saved = [json.loads(line) for line in (tmp_path / "lines").read_text().splitlines()]
    assert [item["text"] for item in saved] == ["17", "{"]
    rejected.get_by_role("button", name="Clear").click()
    expect(rejected).to_contain_text("No rejected events")
    rejected.get_by_role("button", name="Too late").click()
    expect(rejected).to_contain_text("older than the retention of 7d when it came")
    expect(page.get_by_test_id("counters")).to_contain_text("Too late1")


def test_rates_and_lateness_follow_what_comes(page: Page, ada: Api) -> None:
    ada.declare("flowing")
    log_in(page, "streamer")
    page.goto("/streams/flowing/")
    expect(page.get_by_test_id("measured-lateness")).to_contain_text("No events in the last hour")
    push(ada, "flowing", *build_viewing(200, int(time.time() * 1000)))
    expect(page.get_by_test_id("counters")).to_contain_text("Accepted200")
    expect(page.get_by_test_id("measured-lateness")).to_contain_text("20 arrived out of order")
    expect(page.get_by_test_id("rate-chart").locator("rect.accepted")).not_to_have_count(0)


def test_before_it_is_declared_anew_it_is_said_what_that_causes(page: Page, ada: Api) -> None:
    ada.declare("changing")
    push(ada, "changing", *build_viewing(3))
    log_in(page, "streamer")
    page.goto("/streams/changing/")
    page.get_by_test_id("edit-declaration").click()
    expect(page.get_by_test_id("stream-key")).to_be_disabled()
    expect(page.get_by_test_id("redeclare")).to_be_disabled()
    page.get_by_test_id("stream-allowed_lateness").fill("2min")
    ticks = page.get_by_test_id("redeclaring")
    expect(ticks).to_contain_text("allowed lateness: 30s → 2min. What is older than 2min")
    page.get_by_test_id("redeclare").click()
    expect(page.get_by_test_id("declaration")).to_contain_text("Lateness2minRetention7dIdle after")
    assert read_declaration(ada, "changing")["allowed_lateness"] == "2min"


def test_a_stream_is_told_when_it_counts_as_idle_and_says_so_until_something_comes(
    page: Page, stack: Stack, ada: Api
) -> None:
    """The heartbeat is landed by the test: who lands it in the product is no part of the pages."""
    ada.declare("silent")
    push(ada, "silent", *build_viewing(3))
    log_in(page, "streamer")
    page.goto("/streams/silent/")
    expect(page.get_by_test_id("declaration")).to_contain_text(
        "Idle afternever: only events advance results to final"
    )
    page.get_by_test_id("edit-declaration").click()
    page.get_by_test_id("stream-idle_after").fill("1s")
    expect(page.get_by_test_id("redeclaring")).to_contain_text("write 2s or more")
    page.get_by_test_id("stream-idle_after").fill("1min")
    expect(page.get_by_test_id("redeclaring")).to_contain_text("Once nothing has come for 1min")
    page.get_by_test_id("redeclare").click()
    expect(page.get_by_test_id("declaration")).to_contain_text("Idle after1min")
    expect(page.get_by_test_id("idle")).not_to_be_attached()
    Landing(stack.layout.data / "landing", "silent").beat(1_719_824_520_000_000)
    expect(page.get_by_test_id("idle")).to_contain_text("taken to be complete up to 2024-07-01 09:02:00 UTC")
    push(ada, "silent", *build_viewing(1))
    expect(page.get_by_test_id("idle")).not_to_be_attached()


def test_another_persons_stream_can_be_looked_at_but_not_changed(page: Page, stack: Stack, ada: Api) -> None:
    ada.declare("hers")
    add_user(stack, "passer_by")
    log_in(page, "passer_by")
    page.goto("/streams/hers/")
    expect(page.get_by_test_id("readers")).to_contain_text("No plan reads it yet")
    expect(page.get_by_test_id("edit-declaration")).not_to_be_attached()
    expect(page.get_by_role("button", name="Delete")).not_to_be_attached()


def test_a_stream_without_events_is_deleted(page: Page, ada: Api) -> None:
    ada.declare("short_lived")
    log_in(page, "streamer")
    page.goto("/streams/short_lived/")
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_role("heading", name="Streams")).to_be_visible()
    wait_until(lambda: "short_lived" not in {item["name"] for item in ada.get("streams/")}, 60)
    expect(page.locator("[data-testid=stream-short_lived]")).not_to_be_attached()


def test_what_is_not_fetched_of_a_stream_is_said_with_the_reason(page: Page, ada: Api) -> None:
    ada.declare("unread")
    log_in(page, "streamer")
    refused = {"code": "busy", "message": "The disk is slow today.", "problems": []}
    page.route("**/api/streams/unread/events/*", lambda route: route.fulfill(status=503, json=refused))
    page.goto(f"{ada.url}streams/unread/")
    expect(page.get_by_test_id("newest-events")).to_contain_text("The disk is slow today.")


def test_a_stream_is_emptied_restored_and_deleted(wizard: Wizard, ada: Api) -> None:
    page = wizard.page
    wizard.paste_events(build_viewing())
    wizard.declare("left_over")
    expect(page.get_by_test_id("counters")).to_contain_text("40")
    page.get_by_test_id("empty-stream").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("40 events")
    expect(dialog).to_contain_text("You can restore the events for 1 day.")
    assert find_violations(page) == []
    dialog.get_by_test_id("remove-stream").click()
    expect(page.get_by_test_id("newest-events")).to_contain_text("No events yet")
    page.get_by_test_id("delete-stream").click()
    expect(dialog).to_contain_text("It holds no events.")
    dialog.get_by_test_id("remove-stream").click()
    trash = page.get_by_test_id("trash")
    expect(trash.get_by_test_id("trash-left_over")).to_have_count(2)
    assert find_violations(page) == []
    restore = trash.get_by_role("button", name="Restore left_over")
    restore.first.click()  # the stream, which was deleted last
    expect(restore).to_have_count(1)
    restore.click()
    expect(page.get_by_test_id("trash-left_over")).to_have_count(0)
    assert read_declaration(ada, "left_over")["events"] == 40


def test_a_stream_that_a_plan_reads_is_deleted_with_consent(wizard: Wizard, ada: Api) -> None:
    page = wizard.page
    wizard.paste_events(build_viewing())
    wizard.declare("read_by_one")
    nodes = {"played": build_leaf("has_existed", "read_by_one", where='player_state == "play"')}
    drawn = {"version": 1, "name": "Reads it", "nodes": nodes}
    plan = ada.call("POST", "plans/", {"document": drawn})["id"]
    ada.call("POST", f"plans/{plan}/run/", {})
    page.get_by_test_id("delete-stream").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_test_id("running-readers")).to_contain_text("Reads it of streamer")
    expect(dialog.get_by_test_id("remove-stream")).to_be_disabled()
    dialog.get_by_test_id("stop-readers").check()
    dialog.get_by_test_id("remove-stream").click()
    expect(page.get_by_test_id("trash-read_by_one")).to_be_visible()
    assert ada.get(f"plans/{plan}/")["running"] is False
