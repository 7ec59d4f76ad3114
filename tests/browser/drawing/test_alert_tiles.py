"""Charts of incidents on a dashboard, and on a screen without controls."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.axe import find_violations
from tests.browser.drawing.alerting import make_ovens
from tests.browser.drawing.looking import SeenBy
from tests.browser.product import add_user
from workers.stack import Stack

pytestmark = pytest.mark.browser


def test_a_dashboard_shows_incidents_keys_and_times(stack: Stack, seen_by: SeenBy) -> None:
    watcher = add_user(stack, "tile_watcher")
    ovens = make_ovens(stack, watcher, "tiled_ovens")
    ovens.say_hot("east", 100, 200, 300, seconds=600)
    ovens.say_hot("south", 100, 160, seconds=600)
    alert = ovens.add_alert(name="Tiled", severity="critical")
    ovens.begin()
    charts = [
        {"id": "c1", "type": "incidents", "title": "", "place": [0, 0, 6, 6], "incident_state": "firing"},
        {"id": "c2", "type": "alert_keys", "title": "", "place": [6, 0, 6, 6], "alert": alert},
        {"id": "c3", "type": "repair_time", "title": "", "place": [0, 6, 3, 3], "severity": "critical"},
    ]
    document = {"charts": charts, "range": "24h", "key": ""}
    board = watcher.call("POST", "dashboards/", {"name": "Halls", "document": document})["id"]
    page = seen_by("tile_watcher")
    page.goto(f"/dashboards/{board}/")
    listed = page.get_by_test_id("incident-tile").locator("li")
    expect(listed).to_have_count(1)
    expect(listed).to_contain_text("east")
    cells = page.get_by_test_id("alert-cells").locator("a")
    expect(cells).to_have_count(2)
    expect(cells.filter(has_text="south")).to_contain_text("Resolved")
    repair = page.get_by_test_id("repair-tile")
    expect(repair).to_contain_text("1 min 20 s")
    expect(repair).to_contain_text("2 incidents resolved, last 24 h")
    assert find_violations(page) == []
    ovens.say_hot("west", 500, seconds=700)
    expect(listed).to_have_count(2)
    expect(cells).to_have_count(3)

    page.get_by_test_id("edit").click()
    page.get_by_test_id("add-chart").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_text("Status of an alert").click()
    dialog.get_by_role("button", name="Add").click(force=True)
    expect(dialog).to_contain_text("Choose an alert first.")
    page.get_by_test_id("chart-alert").fill("Til")
    page.get_by_role("option", name="Tiled").click()
    assert find_violations(page, "dialog") == []
    dialog.get_by_role("button", name="Add").click()
    expect(page.get_by_test_id("alert-cells")).to_have_count(2)

    page.goto(f"/dashboards/{board}/kiosk/")
    expect(listed).to_have_count(2)
    listed.filter(has_text="west").get_by_role("link").click()
    expect(page.get_by_test_id("incident-page")).to_be_visible()
