"""Measure the frames per second in Chromium while lanes of one key with 100,000 change points are panned and zoomed."""

from __future__ import annotations

import itertools
from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.drawing.busy import CHANGE_COUNT, STEP_MICROS, build_busy_plan, fill_busy
from tests.browser.drawing.log import compute_now
from tests.browser.lanes import Lanes
from tests.browser.product import Api
from tests.browser.still import Place
from tests.browser.studio import Studio
from workers.stack import Stack

PAN_S = 4
PLAN = build_busy_plan("changing", "Changing")
_DRIVE = """([kind, seconds, x, y]) => new Promise((done) => {
    const element = document.elementFromPoint(x, y);
    const more = {bubbles: true, cancelable: true, clientX: x, clientY: y, pointerId: 1, view: window};
    const moves = {
        pan: (n) => new PointerEvent("pointermove", {
            ...more, buttons: 1, shiftKey: true, clientX: x + 300 * Math.sin(n / 40),
        }),
        zoom: (n) => new WheelEvent("wheel", {...more, ctrlKey: true, deltaY: Math.floor(n / 45) % 2 ? 25 : -25}),
    };
    const times = [];
    const step = (now) => {
        times.push(now);
        if (now - times[0] > seconds * 1000) return done(times);
        element.dispatchEvent(moves[kind](times.length));
        requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
})"""
"""Move the pointer in every frame, so that each frame draws a picture that moves."""


def fill(stack: Stack, user: Api, plan: int) -> None:
    """Write three nodes of the key `ann` into the revision log."""
    fill_busy(stack, user, plan, compute_now() - CHANGE_COUNT * STEP_MICROS)


def measure_frames(page: Page, kind: str, position: Place) -> dict[str, float]:
    """Return the frames per second, and the slow frames, while the pointer moves."""
    times = page.evaluate(_DRIVE, [kind, PAN_S, *position])
    gaps = sorted(after - before for before, after in itertools.pairwise(times))
    return {
        "frames_per_second": round(1000 * len(gaps) / sum(gaps), 1),
        "p95_frame_ms": round(gaps[int(0.95 * len(gaps))], 1),
        "longest_frame_ms": round(gaps[-1], 1),
    }


def measure_panning(page: Page, lanes: Lanes) -> dict[str, float]:
    """Drag the lanes to and fro with Shift, by more than half of their width."""
    position = lanes.at("state", 0.5)
    page.mouse.move(*position)
    page.keyboard.down("Shift")
    page.mouse.down()
    result = measure_frames(page, "pan", position)
    page.mouse.up()
    page.keyboard.up("Shift")
    return result


def measure_zooming(page: Page, lanes: Lanes) -> dict[str, float]:
    """Turn the wheel with Control, in and out again."""
    position = lanes.at("state", 0.5)
    page.mouse.move(*position)
    return measure_frames(page, "zoom", position)


def measure_page(page: Page, plan: int) -> dict[str, Any]:
    """Measure the whole range and five minutes of it, each on a fresh page."""
    Studio(page).open(plan, key="ann")
    lanes = Lanes(page)
    expect(lanes.lane("played").locator(".scatterlayer path").first).to_be_attached(timeout=60_000)
    document: dict[str, Any] = {"change_points": CHANGE_COUNT}
    for window, words in (("all", "all"), ("5m", "five_minutes")):
        for name, measure in (("pan", measure_panning), ("zoom", measure_zooming)):
            page.get_by_test_id("window").select_option(window)
            page.wait_for_timeout(2500)
            document[f"{name}_{words}"] = measure(page, lanes)
    return document
