"""Measure the studio in Chromium: first load, a plan of 500 nodes, its text, lanes of 100,000 change points.

Run it with `make bench-studio`. Progress goes to stderr; the last line on stdout is one JSON object.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import json
import os
import re
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import psutil
from playwright.sync_api import Page, expect, sync_playwright

import bootstrap
from benchmarks import many_changes, writing
from benchmarks.ending import exit_on_sigterm
from tests.browser.drawing.busy import CHANGE_COUNT
from tests.browser.product import Api, add_user
from tests.browser.still import find_middle
from tests.browser.studio import Studio, log_in
from workers.stack import Stack, health
from workers.stack.layout import ROOT

NODES = 500
RUNS = 5
PAN_S = 4
DIST = ROOT / "frontend" / "dist"

_FRAMES = """(seconds) => new Promise((done) => {
    const times = [];
    const step = (now) => {
        times.push(now);
        if (now - times[0] < seconds * 1000) requestAnimationFrame(step);
        else done(times);
    };
    requestAnimationFrame(step);
})"""


def print_progress(words: str) -> None:
    print(words, file=sys.stderr, flush=True)


def build_large_plan(nodes: int) -> dict[str, Any]:
    """Return chains of five nodes side by side: a leaf, a comparison, not, and, its duration."""
    named: dict[str, Any] = {}
    layout: dict[str, list[int]] = {}
    for chain in range(nodes // 5):
        state, is_on, off, both, length = (f"n{chain}_{letter}" for letter in "abcde")
        params = {"field": "player_state"}
        named[state] = {"op": "latest_event_to_state", "stream": "bench", "params": params}
        named[is_on] = {"op": "equal_to", "inputs": {"of": state}, "params": {"value": f"s{chain}"}}
        named[off] = {"op": "not", "inputs": {"of": is_on}}
        named[both] = {"op": "and", "inputs": {"of": [is_on, off]}}
        named[length] = {"op": "duration_where", "inputs": {"of": both}}
        row, column = divmod(chain, 5)
        for offset, name in enumerate((state, is_on, off, both, length)):
            layout[name] = [(column * 5 + offset) * 288, row * 160]
    return {"version": 1, "name": "Large", "nodes": named, "results": [], "layout": layout}


def measure_initial_script() -> int:
    """Return the bytes of gzipped JavaScript that the studio needs before a person can draw."""
    manifest = json.loads((DIST / "manifest.json").read_text())
    needed, waiting = set(), [key for key, item in manifest.items() if item.get("isEntry")]
    waiting += [key for key in manifest if key.endswith("StudioPage.tsx")]
    while waiting:
        key = waiting.pop()
        if key not in needed:
            needed.add(key)
            waiting += manifest[key].get("imports", [])
    files = {manifest[key]["file"] for key in needed if manifest[key]["file"].endswith(".js")}
    return sum(len(gzip.compress((DIST / file).read_bytes(), 6)) for file in files)


def measure_first_load(page: Page) -> float:
    """Return the seconds from the address to a canvas, with an empty browser cache."""
    session = page.context.new_cdp_session(page)
    session.send("Network.clearBrowserCache")
    started = time.perf_counter()
    Studio(page).new()
    return time.perf_counter() - started


def measure_opening(page: Page, plan: int) -> float:
    """Return the seconds until the plan's nodes and wires are visible."""
    started = time.perf_counter()
    page.goto(f"/plans/{plan}/")
    expect(page.locator(".react-flow__node-operator").first).to_be_visible()
    expect(page.locator(".react-flow__edge").first).to_be_attached()
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    return time.perf_counter() - started


def measure_panning(page: Page) -> dict[str, float]:
    """Return the frames per second while the canvas is dragged."""
    x, y = find_middle(page.get_by_test_id("canvas"))
    page.mouse.move(x, y + 40)
    page.evaluate(f"(seconds) => {{ window.frames_seen = ({_FRAMES})(seconds) }}", PAN_S)
    page.mouse.down()
    deadline = time.perf_counter() + PAN_S
    step = 0
    while time.perf_counter() < deadline:
        step += 1
        page.mouse.move(x + 160 * ((step // 20) % 2 or -1) * (step % 20) / 20, y + 40 + step % 40)
    page.mouse.up()
    times = page.evaluate("() => window.frames_seen")
    gaps = sorted(after - before for before, after in itertools.pairwise(times))
    return {
        "frames_per_second": round(1000 * len(gaps) / sum(gaps), 1),
        "p95_frame_ms": round(gaps[int(0.95 * len(gaps))], 1),
        "moves_per_second": round(step / PAN_S, 1),
    }


def measure_page(page: Page, plan: int) -> dict[str, Any]:
    """Measure one page."""
    loads = [measure_first_load(page) for _ in range(RUNS)]
    print_progress(f"first load: {', '.join(f'{load:.2f}' for load in loads)} s")
    opened = [measure_opening(page, plan) for _ in range(RUNS)]
    print_progress(f"{NODES} nodes open: {', '.join(f'{seconds_taken:.2f}' for seconds_taken in opened)} s")
    whole_plan = measure_panning(page)
    print_progress(f"panning the whole plan: {whole_plan}")
    for _ in range(4):
        page.get_by_role("button", name=re.compile("zoom in", re.IGNORECASE)).click()
    page.wait_for_timeout(500)
    near = measure_panning(page)
    print_progress(f"panning nearer: {near}")
    return {
        "nodes": NODES,
        "first_load_seconds": round(statistics.median(loads), 2),
        "open_seconds": round(statistics.median(opened), 2),
        "pan_whole": whole_plan,
        "pan_near": near,
        "initial_script_kb_gzipped": round(measure_initial_script() / 1000, 1),
    }


def measure_canvas(page: Page, user: Api) -> dict[str, Any]:
    return measure_page(page, user.add_plan(build_large_plan(NODES))["id"])


def measure_text(page: Page, user: Api) -> dict[str, Any]:
    """Measure typing in a plan with as many lines."""
    document = {}
    for name, beside in (("alone", False), ("beside_canvas", True)):
        plan = int(user.add_plan(build_large_plan(NODES))["id"])
        document[name] = writing.measure_writing(page, plan, beside=beside)
        print_progress(f"typing in {NODES} lines, {name}: {document[name]}")
    return document


def measure_lanes(page: Page, user: Api, stack: Stack) -> dict[str, Any]:
    """Measure lanes with many changes."""
    user.declare("changing")
    plan = int(user.add_plan(many_changes.PLAN)["id"])
    user.run(plan)
    print_progress(f"writing {CHANGE_COUNT} change points of each of three nodes")
    many_changes.fill(stack, user, plan)
    document = many_changes.measure_page(page, plan)
    for name, figures in document.items():
        print_progress(f"lanes, {name}: {figures}")
    return document


def main() -> None:
    exit_on_sigterm()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=("canvas", "text", "lanes"))
    only = parser.parse_args().only
    os.environ["PLAYWRIGHT_BROWSERS_PATH"] = str(bootstrap.BROWSERS)
    print_progress("starting the pages, without the engine")
    data = Path(tempfile.mkdtemp(prefix="bench-studio-"))
    figures: dict[str, Any] = {"load_average_before": round(psutil.getloadavg()[0], 2)}
    with Stack(data, demo=False, port=health.find_free_port(), engine=False) as stack:
        user = add_user(stack, "bencher")
        with sync_playwright() as playwright:
            arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
            browser = playwright.chromium.launch(
                executable_path=bootstrap.chromium(as_people_have_it=True), args=arguments
            )
            context = browser.new_context(base_url=stack.url, viewport={"width": 1440, "height": 900})
            page = context.new_page()
            log_in(page, "bencher")
            user.declare("bench")
            if only in (None, "canvas"):
                figures |= measure_canvas(page, user)
            if only in (None, "text"):
                figures["text"] = measure_text(page, user)
            if only in (None, "lanes"):
                figures["lanes"] = measure_lanes(page, user, stack)
            browser.close()
    print(json.dumps(figures | {"load_average_after": round(psutil.getloadavg()[0], 2)}))


if __name__ == "__main__":
    main()
