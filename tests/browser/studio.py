"""The pages as a person uses them: mouse and keyboard in, what is seen out."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

from playwright.sync_api import Browser, Locator, Page, Request, Response, expect

from tests.browser.product import PASSWORD, Rows, is_alike, wait_until
from tests.browser.still import Place, find_middle, find_middles, read_box

Scheme = Literal["light", "dark"]
START_SECONDS = 240_000
STREAM_FORM = {"name": "", "key": "session_id", "time": "t", "id": "event_id"}


@dataclass(frozen=True)
class LaneView:
    """What a lane tells of itself."""

    points: Rows
    seq: int
    corrections: int


_SESSIONS: dict[tuple[str, str], list[Any]] = {}
"""Cookies by server and name: a session serves all tests of somebody."""


def log_in(page: Page, name: str, password: str = PASSWORD) -> None:
    """With the session that this name has already, which leads nowhere, or by the form, which leads to the plans."""
    request = page.context.request
    server = request.get("/healthz").url
    if known := _SESSIONS.get((server, name)):
        page.context.add_cookies(known)
        if "/login/" not in request.get("/").url:
            return
    page.goto("/")
    _fill_in(page, name, password)
    _SESSIONS[server, name] = page.context.cookies()


def enter(page: Page, name: str) -> None:
    """Log in, and be at the plans."""
    log_in(page, name)
    page.goto("/")
    expect(page.get_by_role("heading", name="Plans", exact=True)).to_be_visible()


def _fill_in(page: Page, name: str, password: str) -> None:
    expect(page).to_have_url(re.compile("/login/"))
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name="Plans", exact=True)).to_be_visible()


def create_own_token(page: Page) -> str:
    """The token of who is logged in, asked for with the session of the page."""
    cookies = {cookie["name"]: cookie["value"] for cookie in page.context.cookies()}
    headers = {"X-CSRFToken": cookies["csrftoken"], "Referer": page.url}
    token = {"name": "tests", "scopes": ["read", "write", "events", "operate"]}
    answer = page.context.request.post("/api/tokens/", headers=headers, data=token)
    assert answer.ok, answer.text()
    return str(answer.json()["token"])


def declare_stream(page: Page, name: str, fields: Mapping[str, str]) -> None:
    """By the form of the streams page."""
    page.get_by_role("link", name="Streams").click()
    page.get_by_test_id("new-stream").click()
    page.get_by_test_id("by-hand").click()
    for field, value in (STREAM_FORM | {"name": name}).items():
        page.get_by_test_id(f"stream-{field}").fill(value)
    for number, (field, kind) in enumerate(fields.items(), start=1):
        page.get_by_role("button", name="Add a field").click()
        page.get_by_label(f"Field {number}", exact=True).fill(field)
        page.get_by_label(f"Type of field {number}").select_option(kind)
    page.get_by_test_id("declare").click()
    expect(page.locator(f"main[data-testid=stream-{name}]")).to_be_visible()


class Studio:
    """The page of one plan."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.canvas = page.get_by_test_id("canvas")
        self.problems = page.get_by_test_id("problems")
        self.run_button = page.get_by_test_id("run")
        self.refusal = page.get_by_test_id("run-refusal")
        self.draft = page.get_by_test_id("save")
        self.notice = page.get_by_test_id("notice")

    def new(self) -> None:
        self.page.goto("/plans/new/")
        expect(self.canvas).to_be_visible()

    def open(self, plan: int, **query: str) -> None:
        """All nodes in view, however small that makes them: a plan opens at its beginning where it is large."""
        self.open_at_beginning(plan, **query)
        self.fit()

    def fit(self) -> None:
        """Not by a click: the mouse and the keyboard stay where they are."""
        self.page.get_by_role("button", name="Fit View").evaluate("it => it.click()")

    def open_at_beginning(self, plan: int, **query: str) -> None:
        """As a person does."""
        chosen = "&".join(f"{name}={value}" for name, value in query.items())
        self.page.goto(f"/plans/{plan}/?{chosen}")
        expect(self.canvas).to_be_visible()

    @property
    def plan(self) -> int | None:
        """The number of the plan, which its address carries once it is saved."""
        result = re.search(r"/plans/(\d+)/", self.page.url)
        return None if result is None else int(result[1])

    def node(self, name: str) -> Locator:
        return self.page.get_by_test_id(f"node-{name}")

    def wire_of(self, source: str, target: str, port: str = "of") -> Locator:
        return self.page.get_by_test_id(f"rf__edge-{source}>{target}.{port}")

    def choose_from_menu(self, item: str) -> None:
        self.page.get_by_test_id("plan-menu").click()
        self.page.get_by_test_id(item).click()

    def document(self) -> dict[str, Any]:
        """The plan as it is exported."""
        with self.page.expect_download() as download:
            self.choose_from_menu("export-json")
        document: dict[str, Any] = json.loads(download.value.path().read_text())
        return document

    def import_json(self, document: Mapping[str, Any]) -> None:
        """In place of what is drawn."""
        self.choose_from_menu("import")
        self.page.get_by_test_id("import-text").fill(json.dumps(document))
        self.page.get_by_test_id("import-replace").check()
        self.page.get_by_test_id("import-take").click()
        expect(self.page.get_by_test_id("import-take")).not_to_be_attached()

    # With the mouse

    def zoom_out(self) -> None:
        self.page.mouse.move(*self.at((300, 200)))
        canvas = self.page.locator(".react-flow__viewport")
        before = canvas.get_attribute("style") or ""
        self.page.mouse.wheel(0, 350)
        expect(canvas).not_to_have_attribute("style", before)

    def at(self, place: Place) -> Place:
        """A place of the canvas on the page."""
        box = read_box(self.canvas)
        return box["x"] + place[0], box["y"] + place[1]

    def drag(self, start: Place, end: Place) -> None:
        mouse = self.page.mouse
        mouse.move(*start)
        mouse.down()
        mouse.move((start[0] + end[0]) / 2, (start[1] + end[1]) / 2, steps=5)
        mouse.move(*end, steps=5)
        mouse.up()

    def drop_operator(self, operator: str, place: Place) -> None:
        """From the palette onto the canvas; the new node is selected."""
        item = self.page.get_by_test_id(f"palette-{operator}")
        item.scroll_into_view_if_needed()
        self.drag(find_middle(item), self.at(place))
        expect(self.node(operator)).to_be_visible()

    def draw_wire(self, source: str, target: str, port: str = "of") -> None:
        into = self.page.get_by_test_id(f"port-{target}-{port}")
        self.drag(*find_middles(self.page.get_by_test_id(f"out-{source}"), into))
        expect(self.wire_of(source, target, port)).to_be_attached()
        expect(self.page.get_by_text("Can't connect:")).to_have_count(0)

    def click_canvas(self) -> None:
        """On an empty place: nothing is selected, and no field has the keyboard."""
        self.page.locator(".react-flow__pane").click(position={"x": 6, "y": 6})
        self.page.evaluate("document.activeElement?.blur()")

    def select(self, name: str) -> None:
        self.node(name).locator("header").click()
        expect(self.page.get_by_test_id("node-name")).to_have_value(name)

    # With the keyboard

    def rename(self, name: str) -> None:
        """The selected node, in the inspector."""
        field = self.page.get_by_test_id("node-name")
        field.fill(name)
        field.press("Enter")
        expect(self.node(name)).to_be_visible()

    def set_parameter(self, name: str, value: str) -> None:
        field = self.page.get_by_test_id(f"param-{name}")
        if field.evaluate("it => it.tagName") == "SELECT":
            field.select_option(value)
        else:
            field.fill(value)

    def choose_stream(self, name: str) -> None:
        self.page.get_by_test_id("stream-select").select_option(name)

    def undo(self) -> None:
        self.page.keyboard.press("Control+z")

    def redo(self) -> None:
        self.page.keyboard.press("Control+Shift+z")

    def save(self) -> None:
        self.page.keyboard.press("Control+s")

    def expect_saved(self) -> None:
        """As it is by itself soon after each edit."""
        expect(self.draft).to_have_attribute("data-standing", "saved")

    # Running

    def ask_to_run(self) -> Locator:
        """What running or applying would mean, before it is done."""
        expect(self.run_button).to_be_enabled()
        self.run_button.click()
        expect(self.page.get_by_test_id("consequences")).to_be_visible()
        return self.page.get_by_test_id("run-dialog")

    def confirm(self) -> None:
        """Do what was asked about."""
        dialog = self.page.get_by_test_id("run-dialog")
        self.page.get_by_test_id("confirm").click()
        expect(dialog).not_to_be_attached()

    def run(self) -> None:
        self.ask_to_run()
        self.confirm()
        expect(self.page.get_by_test_id("stop")).to_be_enabled()

    def ask_to_stop(self) -> Locator:
        """What stopping would mean, before it is done."""
        self.page.get_by_test_id("stop").click()
        expect(self.page.get_by_test_id("consequences")).to_be_visible()
        return self.page.get_by_test_id("run-dialog")

    def stop(self) -> None:
        self.ask_to_stop()
        self.confirm()
        expect(self.run_button).to_have_text("Run")

    def expect_running(self, *names: str) -> None:
        """What is out of view is not drawn."""
        self.fit()
        for name in names:
            expect(self.node(name)).to_have_attribute("data-status", "running", timeout=START_SECONDS)

    def choose(self, name: str, value: str) -> None:
        """A `key` or a `group`."""
        field = self.page.get_by_test_id(f"{name}-input")
        field.click()
        field.fill(value)
        field.press("Enter")
        expect(field).to_have_value(value)
        field.blur()

    def lanes(self) -> dict[str, LaneView]:
        """All lanes by node name, read at one moment."""
        result = self.page.locator(".lane[data-points]").evaluate_all(
            """all => all.map(({dataset: it}) => [it.testid, it.points, it.seq, it.corrections])"""
        )
        return {
            name.removeprefix("lane-"): LaneView(json.loads(points), int(seq), int(corrections))
            for name, points, seq, corrections in result
        }

    def expect_lanes(self, expected: Mapping[str, Rows], seconds: float) -> None:
        """Wait until the lanes are these, and no others."""

        def list_differences() -> list[str]:
            points = {name: lane.points for name, lane in self.lanes().items()}
            return [
                f"{name}: shows {points.get(name)}, not {expected.get(name)}"
                for name in sorted({*points, *expected})
                if name not in points or name not in expected or not is_alike(points[name], expected[name])
            ]

        wait_until(lambda: not list_differences(), seconds, self.wait, lambda: "\n".join(list_differences()))

    def wait(self, seconds: float) -> None:
        """Let the page go on."""
        self.page.wait_for_timeout(seconds * 1000)


def record_sockets(page: Page) -> list[str]:
    """The addresses of the WebSockets that the page opens from now on."""
    opened: list[str] = []
    page.on("websocket", lambda socket: opened.append(socket.url))
    return opened


def record_console_errors(page: Page) -> list[str]:
    """What the page complains of from now on; what it took back itself, or left for another one, is no complaint."""
    errors: list[str] = []

    def record_failure(request: Request) -> None:
        if request.failure != "net::ERR_ABORTED":
            errors.append(f"{request.method} {request.url}: {request.failure}")

    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.on("requestfailed", record_failure)
    return errors


def is_saved_choice(response: Response) -> bool:
    """Whether this answers the saving of a choice of the account, not the reading of the account."""
    return response.url.endswith("/api/me/") and response.request.method == "PATCH"


@contextmanager
def open_page(
    browser: Browser, url: str, scheme: Scheme, name: str, timezone_id: str | None = None
) -> Iterator[Page]:
    """A page of its own of who is called so, in `light` or `dark`."""
    context = browser.new_context(
        base_url=url,
        viewport={"width": 1440, "height": 900},
        color_scheme=scheme,
        timezone_id=timezone_id,
    )
    page = context.new_page()
    log_in(page, name)
    yield page
    context.close()
