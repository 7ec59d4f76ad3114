"""A REST API on a port of this machine: pages with cursors, limits, and whatever else a test wants it to do."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

PAGE = 10


class Api:
    """Its events come in pages; the last one tells no next."""

    def __init__(self, page: int = PAGE) -> None:
        self.page = page
        self.events: list[Any] = []
        self.token = ""
        self.requests: list[str] = []
        self.refusals: list[tuple[int, dict[str, str], bytes]] = []
        api = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                api.requests.append(self.path)
                code, headers, body = api.answer(self.path, self.headers.get("Authorization", ""))
                self.send_response(code)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                """Quietly."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/events"
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)

    def __enter__(self) -> Self:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

    def answer(self, path: str, authorization: str) -> tuple[int, dict[str, str], bytes]:
        if self.refusals:
            return self.refusals.pop(0)
        if self.token and authorization != f"Bearer {self.token}":
            return 401, {}, b"{}"
        page = int(parse_qs(urlsplit(path).query).get("cursor", ["0"])[0])
        events = self.events[page * self.page : (page + 1) * self.page]
        following = page + 1 if len(self.events) > (page + 1) * self.page else None
        return 200, {}, json.dumps({"data": {"items": events}, "next": following}).encode()
