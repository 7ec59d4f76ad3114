"""Measure typing in the text editor of a plan with 500 lines: to the paint, to the mark of a mistake, to proposals."""

from __future__ import annotations

import statistics
import time
from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.code import Code

PACE_MS = 70
"""The pace of a fast typist."""
REST_MS = 700
"""The pause after which the text is parsed."""
_WATCH = """() => {
    window.lags = [];
    document.addEventListener("keydown", (event) => requestAnimationFrame(() => {
        const after = new MessageChannel();
        after.port1.onmessage = () => window.lags.push(performance.now() - event.timeStamp);
        after.port2.postMessage(null);
    }), true);
}"""
"""Records for each key the milliseconds until the frame with it is painted."""
LINES = ("", "extra_1 = not n7_b", "extra_2 = extra_1 and n9_b", 'extra_3 = n3_a == "pause"')


def type_text(page: Page, words: str) -> None:
    """Type key by key."""
    for letter in words:
        if letter == "\n":
            page.keyboard.press("Escape")  # what is offered is not taken
        page.keyboard.press("Enter" if letter == "\n" else letter)
        page.wait_for_timeout(PACE_MS)


def measure_ms_since(started: float) -> float:
    return round((time.perf_counter() - started) * 1000, 0)


def wait_until_marked(page: Page, text: Code) -> float:
    """Type a word that is no node; return the milliseconds to its mark."""
    type_text(page, "\nextra_4 = not nowher")
    page.wait_for_timeout(REST_MS)
    started = time.perf_counter()
    page.keyboard.press("e")
    expect(text.problem).to_contain_text("nowhere")
    number = measure_ms_since(started)
    for _ in "\nextra_4 = not nowhere":
        page.keyboard.press("Backspace")
    text.expect_in_step()
    return number


def wait_until_completed(page: Page, text: Code) -> float:
    """Type the beginning of a word; return the milliseconds to the proposals."""
    type_text(page, "\nextra_5 = dura")
    page.keyboard.press("Escape")
    started = time.perf_counter()
    page.keyboard.press("Control+Space")
    expect(text.options.first).to_be_visible()
    number = measure_ms_since(started)
    page.keyboard.press("Escape")
    for _ in "\nextra_5 = dura":
        page.keyboard.press("Backspace")
    text.expect_in_step()
    return number


def measure_writing(page: Page, plan: int, *, beside: bool) -> dict[str, Any]:
    """Measure typing alone, or beside the canvas, in milliseconds."""
    page.goto(f"/plans/{plan}/?view=text{'&beside=1' if beside else ''}")
    text = Code(page, "text")
    text.expect_in_step()
    page.wait_for_timeout(1000)
    text.content.click()
    page.keyboard.press("Control+End")
    page.evaluate(_WATCH)
    for line in LINES:
        type_text(page, f"{line}\n")
        page.keyboard.press("Escape")
        page.wait_for_timeout(REST_MS)
    text.expect_in_step()
    lags = sorted(page.evaluate("() => window.lags"))
    return {
        "keys": len(lags),
        "key_to_paint_ms": round(statistics.median(lags), 1),
        "p95_ms": round(lags[int(0.95 * len(lags))], 1),
        "longest_ms": round(lags[-1], 1),
        "mistake_marked_ms": wait_until_marked(page, text),
        "completion_ms": wait_until_completed(page, text),
    }
