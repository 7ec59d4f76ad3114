"""A way to a server on which the answer to one request is lost: the server has done what it was asked for."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class Losing:
    """Passes on what comes, but the answer to the first PUT that holds `needle`; `lost` says that it came."""

    def __init__(self, host: str, port: int, needle: bytes) -> None:
        """It listens from now on."""
        self._there, self._needle = (host, port), needle
        self.lost = threading.Event()
        self._door = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._door.getsockname()[1]}"
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        with suppress(OSError):
            while True:
                here, _ = self._door.accept()
                upstream = socket.create_connection(self._there)
                marked = [False]
                for way in (self._ask, self._answer):
                    threading.Thread(target=way, args=(here, upstream, marked), daemon=True).start()

    def _ask(self, here: socket.socket, upstream: socket.socket, marked: list[bool]) -> None:
        with suppress(OSError):
            while part := here.recv(1 << 16):
                if part.startswith(b"PUT ") and self._needle in part and not self.lost.is_set():
                    marked[0] = True
                upstream.sendall(part)
            upstream.shutdown(socket.SHUT_WR)

    def _answer(self, here: socket.socket, upstream: socket.socket, marked: list[bool]) -> None:
        with suppress(OSError):
            while part := upstream.recv(1 << 16):
                if marked[0] and not part.startswith(b"HTTP/1.1 100"):  # that one asks for the body
                    self.lost.set()
                    break
                here.sendall(part)
        for end in (
            here,
            upstream,
        ):  # the other thread may wait at one of them: closing alone would tell nobody
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def close(self) -> None:
        """Nobody comes any more."""
        self._door.close()


@contextmanager
def run_losing(server: str, needle: bytes) -> Iterator[Losing]:
    """Such a way to the server at an HTTP address."""
    host, _, port = server.removeprefix("http://").partition(":")
    losing = Losing(host, int(port), needle)
    try:
        yield losing
    finally:
        losing.close()
