"""What listens at a port and is not what a source expects there."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def run_stranger(says: bytes, every: float) -> Iterator[str]:
    """Listens, and says the same again and again; gives its host:port."""
    listener, over = socket.create_server(("127.0.0.1", 0)), threading.Event()

    def speak(item: socket.socket) -> None:
        with item:
            while not over.wait(every):
                try:
                    item.sendall(says)
                except OSError:
                    return

    def listen() -> None:
        while True:
            try:
                item, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=speak, args=[item], daemon=True).start()

    threading.Thread(target=listen, daemon=True).start()
    try:
        yield f"127.0.0.1:{listener.getsockname()[1]}"
    finally:
        over.set()
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
