"""A web server that takes what webhooks post, and refuses what is not signed."""

from __future__ import annotations

import hmac
import json
import threading
import time
from base64 import b64encode
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from workers.stack.health import find_free_port

Answer = tuple[int, dict[str, str]]


class Receiver:
    """`taken` are the messages by id, `posted` the ids in the order in which they came, again and again."""

    def __init__(self, secret: str) -> None:
        self.secret, self.port = secret.encode(), find_free_port()
        self.taken: dict[str, Any] = {}
        self.posted: list[str] = []
        self.answer: Callable[[str], Answer] = lambda _: (200, {})
        self.patience: float | None = None
        """So many seconds it waits for the next request of a connection."""
        self._server: ThreadingHTTPServer | None = None
        self.begin()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook?of=tests"

    def begin(self) -> None:
        """Listen."""
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self) -> None:
                super().setup()
                self.connection.settimeout(receiver.patience)

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status, headers = receiver.take(self.path, dict(self.headers), body)
                self.send_response(status)
                for name, value in (headers | {"Content-Length": "0"}).items():
                    self.send_header(name, value)
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def end(self) -> None:
        """Listen no more, and hang up."""
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def take(self, path: str, headers: dict[str, str], body: bytes) -> Answer:
        identity, at = headers["Webhook-Id"], headers["Webhook-Timestamp"]
        signed = hmac.digest(self.secret, f"{identity}.{at}.".encode() + body, "sha256")
        if (
            headers["Webhook-Signature"] != f"v1,{b64encode(signed).decode()}"
            or abs(time.time() - int(at)) > 300
        ):
            return 401, {}
        if self._server is None:
            return 503, {}
        self.posted.append(identity)
        message = json.loads(body)
        assert (message["id"], path) == (identity, "/hook?of=tests")
        answer = self.answer(identity)
        if answer[0] == 200:
            self.taken.setdefault(identity, message)
        return answer
