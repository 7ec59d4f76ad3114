"""`make bench-dashboards`: measure the CPU of Chromium with twenty live charts at ten frames a second."""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import psutil
from playwright.sync_api import Page, sync_playwright

import bootstrap
from benchmarks.ending import exit_on_sigterm
from tests.browser.filling import Filler
from tests.browser.product import PASSWORD, Api, add_user, build_rebuffering
from workers.stack import Stack, health

SECOND = 1_000_000
FRAME_S = 0.1
WARM_UP_S = 8.0
DRAWN = """() => [...document.querySelectorAll("canvas")].map(it => it.drawn ?? {base: 0, live: 0})
    .reduce((sum, one) => [sum[0] + one.base, sum[1] + one.live], [0, 0])"""
"""Counts the draws of Plotly and of what is drawn over it."""
KEYS = [f"s{number}" for number in range(40)]
TIME_CHARTS = 14
GROUPS = ["CDN1", "CDN2", "CDN3"]
SHAPES = (
    ("line", "cirr", 8),
    ("lane", "state", 4),
    ("number", "cirr", 4),
    ("stack", "cirr_by_cdn", 2),
    ("table", "cirr", 2),
)


def print_progress(text: str) -> None:
    print(f"[{time.strftime('%H:%M:%S')}] {text}", file=sys.stderr, flush=True)


def build_charts(plan: int) -> list[dict[str, Any]]:
    """Return twenty charts of all types, all visible at once."""
    kinds = [(kind, node) for kind, node, count in SHAPES for _ in range(count)]
    return [
        {
            "id": f"c{n}", "type": kind, "plan": plan, "node": node, "title": "", "top": 10, "change": "1m",
            "key": KEYS[n], "place": [3 * (n % 4), 3 * (n // 4), 3, 3],
        }
        for n, (kind, node) in enumerate(kinds)
    ]  # fmt: skip


class Feeding(threading.Thread):
    """Publish something new for every chart in each frame: values that jump and climb, half a second late."""

    def __init__(self, filler: Filler, digests: dict[str, str]) -> None:
        super().__init__(daemon=True)
        self.filler, self.digests = filler, digests
        self.dice, self.over, self.frames = random.Random(7), threading.Event(), 0
        self.begun = time.time_ns() // 1000 - 600 * SECOND

    def write_history(self) -> None:
        """Write ten minutes in which each key changes every two seconds."""
        now = time.time_ns() // 1000
        times = range(self.begun, now - SECOND, 2 * SECOND)
        for node, names in (("cirr", KEYS), ("state", KEYS), ("cirr_by_cdn", GROUPS)):
            revisions = [[name, self.begun, None, None, self.build_points(node, times)] for name in names]
            self.filler.say(self.digests[node], revisions, now - 30 * SECOND)

    def build_points(self, node: str, times: range) -> list[list[Any]]:
        """Return a start and a change at each of these times; no two are equal."""
        first: list[Any] = [None, None] if node == "state" else [None, 0.0, 0.0]
        return [first, *(self.build_point(node, t, i) for i, t in enumerate(times))]

    def build_point(self, node: str, t: int, turn: int) -> list[Any]:
        if node == "state":
            return [t, ("play", "buffer", "pause")[turn % 3]]
        return [t, round(self.dice.uniform(10, 90), 3), round(self.dice.uniform(-2, 2), 3)]

    def publish_frame(self) -> None:
        """Publish one batch of each node."""
        now = time.time_ns() // 1000
        t = now - 500_000
        nodes = [
            {
                "digest": self.digests[node],
                "revisions": [
                    [name, self.begun, t, None, [self.build_point(node, t, self.frames)]] for name in names
                ],
                "final_until": now - 30 * SECOND,
            }
            for node, names in (("cirr", KEYS), ("state", KEYS), ("cirr_by_cdn", GROUPS))
        ]
        self.filler.all(nodes)
        self.frames += 1

    def run(self) -> None:
        """Publish ten times a second until stopped."""
        due = time.monotonic()
        while not self.over.is_set():
            self.publish_frame()
            due = max(due + FRAME_S, time.monotonic())
            self.over.wait(due - time.monotonic())


def measure_processor_time() -> dict[int, float]:
    """Return the CPU seconds of each browser process so far."""
    result = {}
    for process in psutil.Process().children(recursive=True):
        try:
            if "chrom" in process.name().lower():
                result[process.pid] = sum(process.cpu_times()[:2])
        except psutil.Error:
            continue
    return result


def watch(page: Page, seconds: float) -> dict[str, float]:
    """Measure the browser and its messages for a while."""
    heard: Counter[str] = Counter()
    page.on(
        "websocket",
        lambda socket: socket.on("framereceived", lambda text: heard.update([json.loads(text)["type"]])),
    )
    page.reload()
    page.wait_for_selector(".time-chart .main-svg")
    print_progress("charts are drawn; warming up")
    page.wait_for_timeout(WARM_UP_S * 1000)
    drawn = page.evaluate(DRAWN)
    before, started, answer = measure_processor_time(), time.monotonic(), heard.total()
    page.wait_for_timeout(seconds * 1000)
    seconds_taken, after, messages = (
        time.monotonic() - started,
        measure_processor_time(),
        heard.total() - answer,
    )
    base, upon = (after_ - before_ for before_, after_ in zip(drawn, page.evaluate(DRAWN), strict=True))
    spent = sum(seconds_ - before.get(pid, 0.0) for pid, seconds_ in after.items())
    return {
        "browser_cores": round(spent / seconds_taken, 3),
        "messages_per_s": round(messages / seconds_taken, 1),
        "plotly_draws_per_s": round(base / seconds_taken, 1),
        "draws_per_time_chart_per_s": round(upon / seconds_taken / TIME_CHARTS, 1),
    }


def prepare(api: Api) -> tuple[int, dict[str, str]]:
    """Create a dashboard of a plan that runs."""
    api.declare("player")
    plan = int(api.add_plan(build_rebuffering("player"))["id"])
    api.run(plan)
    document = {"charts": build_charts(plan), "range": "5m", "key": ""}
    board = api.call("POST", "dashboards/", {"name": "Twenty", "document": document})
    return int(board["id"]), api.digests(plan)


def measure(stack: Stack, seconds: float) -> dict[str, Any]:
    board, digests = prepare(add_user(stack, "ada"))
    print_progress("writing ten minutes of history")
    with Filler(stack) as filler, sync_playwright() as playwright:
        feeding = Feeding(filler, digests)
        feeding.write_history()
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(
            executable_path=bootstrap.chromium(as_people_have_it=True), args=arguments
        )
        page = browser.new_page(base_url=stack.url, viewport={"width": 1440, "height": 960})
        page.goto(f"/login/?next=/dashboards/{board}/")
        page.get_by_label("Name").fill("ada")
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Log in").click()
        page.wait_for_selector(".time-chart .main-svg")
        print_progress("at rest: nothing new comes")
        at_rest = watch(page, seconds / 2)
        feeding.start()
        print_progress("ten frames a second")
        before, started = feeding.frames, time.monotonic()
        live = watch(page, seconds)
        frames = (feeding.frames - before) / (time.monotonic() - started)
        feeding.over.set()
        feeding.join(10)
        browser.close()
    answer = {"charts": 20, "published_frames_per_s": round(frames, 1), **live}
    return answer | {"browser_cores_at_rest": at_rest["browser_cores"]}


def main() -> None:
    exit_on_sigterm()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20.0)
    arguments = parser.parse_args()
    os.environ["PLAYWRIGHT_BROWSERS_PATH"] = str(bootstrap.BROWSERS)
    port = health.find_free_port()
    with (
        tempfile.TemporaryDirectory(prefix="bench-") as folder,
        Stack(Path(folder), demo=False, port=port, engine=False) as stack,
    ):
        figures = measure(stack, arguments.seconds)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
