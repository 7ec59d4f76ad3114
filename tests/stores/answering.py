"""A server that answers as a storage does at a bad moment, which no real one can be brought to."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = tuple[int, dict[str, str], bytes]


class Answering:
    """`asked` are the requests, as `METHOD /path?query`; `headers` are those of the last one of a method."""

    def __init__(self, answer: Callable[[Answering, str], Answer]) -> None:
        """It listens from now on."""
        self.requests: list[str] = []
        self.headers: dict[str, dict[str, str]] = {}
        answering = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                answering.requests.append(f"{self.command} {self.path}")
                answering.headers[self.command] = {
                    name.lower(): header for name, header in self.headers.items()
                }
                status, headers, body = answer(answering, answering.requests[-1])
                self.send_response(status)
                chunked = headers.get("Transfer-Encoding") == "chunked"
                for name, value in (
                    headers if chunked else {"Content-Length": str(len(body))} | headers
                ).items():
                    self.send_header(name, value)
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body) if chunked else body)

            do_GET = do_PUT = do_POST = do_HEAD = do_DELETE = answer  # noqa: N815

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def close(self) -> None:
        """Nobody is answered any more."""
        self._server.shutdown()
        self._server.server_close()


@contextmanager
def run_answering(answer: Callable[[Answering, str], Answer]) -> Iterator[Answering]:
    """Such a server; `answer` is given it and the request."""
    answering = Answering(answer)
    try:
        yield answering
    finally:
        answering.close()
