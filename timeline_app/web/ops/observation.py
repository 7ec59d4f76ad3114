"""The outermost ASGI application: names, logs and counts every request and socket."""

from __future__ import annotations

import logging
import time
from typing import Any

from timeline_app.web.core import log_context
from timeline_app.web.core.log_context import Seen
from timeline_app.web.ops import metrics

REQUEST_ID_HEADER = b"x-request-id"
CLIENT_GONE = 499
"""The client disconnected before the response began."""
log = logging.getLogger("timelines.access")


class Observed:
    """An ASGI application that names, logs and counts requests to another one."""

    def __init__(self, application: Any) -> None:
        self.application = application

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.application(scope, receive, send)
            return
        brought = dict(scope["headers"]).get(REQUEST_ID_HEADER, b"").decode("latin-1")
        with log_context.log_request(Seen(log_context.parse_request_id(brought))) as logged:
            await Passage(scope, logged, send).follow(self.application, receive)


class Passage:
    """One request or socket in progress."""

    def __init__(self, scope: dict[str, Any], logged: Seen, send: Any) -> None:
        self._scope, self._seen, self._send = scope, logged, send
        self._began = time.perf_counter()
        self.is_socket = scope["type"] == "websocket"
        self.status = CLIENT_GONE

    async def follow(self, application: Any, receive: Any) -> None:
        """Run the application, and record the outcome."""
        try:
            await application(self._scope, receive, self.send)
        except Exception:
            self.status = 500
            raise
        finally:
            self._log()

    async def send(self, message: dict[str, Any]) -> None:
        """Send a message, with the id of the request in its headers."""
        kind = message["type"]
        if kind in ("http.response.start", "websocket.accept"):
            self.status = message.get("status", 101)
            message["headers"] = [*message.get("headers", ()), (REQUEST_ID_HEADER, self._seen.id.encode())]
        elif kind == "websocket.close":
            self.status = message.get("code", 1000) if self.status == 101 else 403
        await self._send(message)

    @property
    def method(self) -> str:
        """Return the HTTP method, or SOCKET."""
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
    """An ASGI application behind the authentication of sockets; records their users."""

    def __init__(self, application: Any) -> None:
        self.application = application

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        current, user = log_context.get_current_request(), scope.get("user")
        if current is not None and user is not None:
            current.user = str(user.get_username())
        await self.application(scope, receive, send)
