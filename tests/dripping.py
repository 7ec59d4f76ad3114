"""A server whose answers come in drops: each within every time limit of one read, all of them never."""

from __future__ import annotations

import socket
import threading

HEAD = b"HTTP/1.1 200 OK\r\n"


class Dripping:
    """As a context its address; after `first` it sends `drop` again and again."""

    def __init__(self, first: bytes, drop: bytes) -> None:
        self._first, self._drop, self._over = first, drop, threading.Event()

    def __enter__(self) -> str:
        self._server = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._serve, daemon=True).start()
        return f"http://127.0.0.1:{self._server.getsockname()[1]}/"

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._server.close()

    def _serve(self) -> None:
        try:
            item, _ = self._server.accept()
            with item:
                item.sendall(self._first)
                while not self._over.wait(0.05):
                    item.sendall(self._drop)
        except OSError:
            """Whoever asked has hung up."""
