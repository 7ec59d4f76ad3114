"""The outermost door: every request and socket gets a name, a line in the log, and is counted."""

from __future__ import annotations

import logging
import time
from typing import Any

from timeline_app.web.core import log_context
from timeline_app.web.core.log_context import Seen
from timeline_app.web.ops import metrics

HEADER = b"x-request-id"
GONE = 499
"""Whoever asked left before the answer began."""
log = logging.getLogger("timelines.access")


class Observed:
    """An ASGI application that names, logs and counts what passes to another one."""

    def __init__(self, application: Any) -> None:
        """In front of this application."""
        self.application = application

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Answer within the context of the request."""
        if scope["type"] not in ("http", "websocket"):
            await self.application(scope, receive, send)
            return
        brought = dict(scope["headers"]).get(HEADER, b"").decode("latin-1")
        with log_context.log_request(Seen(log_context.parse_request_id(brought))) as seen:
            await Passage(scope, seen, send).follow(self.application, receive)


class Passage:
    """One request or socket on its way."""

    def __init__(self, scope: dict[str, Any], seen: Seen, send: Any) -> None:
        """It begins now."""
        self._scope, self._seen, self._send = scope, seen, send
        self._began = time.perf_counter()
        self.is_socket = scope["type"] == "websocket"
        self.status = GONE

    async def follow(self, application: Any, receive: Any) -> None:
        """Let it pass, and write down what came of it."""
        try:
            await application(self._scope, receive, self.send)
        except Exception:
            self.status = 500
            raise
        finally:
            self._log()

    async def send(self, message: dict[str, Any]) -> None:
        """Send what is answered, with the name of the request."""
        kind = message["type"]
        if kind in ("http.response.start", "websocket.accept"):
            self.status = message.get("status", 101)
            message["headers"] = [*message.get("headers", ()), (HEADER, self._seen.id.encode())]
        elif kind == "websocket.close":
            self.status = message.get("code", 1000) if self.status == 101 else 403
        await self._send(message)

    @property
    def method(self) -> str:
        """What was asked; of a socket that it is one."""
        return "SOCKET" if self.is_socket else str(self._scope["method"])

    def _route(self) -> str:
        return "static" if self._scope["path"].startswith("/static/") else self._seen.route()

    def _log(self) -> None:
        passed = time.perf_counter() - self._began
        path, route = self._scope["path"], self._route()
        facts = {"method": self.method, "route": route, "path": path, "status": self.status}
        facts["ms"] = round(passed * 1_000, 1)
        metrics.count_request(self.method, route, self.status, passed)
        log.info("%s %s %s %.1f ms", self.method, path, self.status, passed * 1_000, extra=facts)


class IdentifiedSockets:
    """An ASGI application behind the login of sockets: says whose they are."""

    def __init__(self, application: Any) -> None:
        """In front of this application."""
        self.application = application

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Pass on."""
        seen, user = log_context.get_current_request(), scope.get("user")
        if seen is not None and user is not None:
            seen.user = str(user.get_username())
        await self.application(scope, receive, send)
