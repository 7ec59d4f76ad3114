"""Servers on a port of this machine that say one thing, and count who came."""

from __future__ import annotations

import socket
import threading
from typing import Self

SECRET = "wJalrXUtnFEMI"
"""What no answer, log or audit may repeat."""


class Listener:
    """Accepts, reads what comes, and answers each connection with the same bytes; then hangs up."""

    def __init__(self, says: bytes = b"", host: str = "127.0.0.1", port: int = 0) -> None:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._server = socket.create_server((host, port), family=family)
        self.host, self.port = host, self._server.getsockname()[1]
        self.says, self.heard = says, list[bytes]()
        self.came = 0
        self._threads: list[threading.Thread] = []

    def __enter__(self) -> Self:
        thread = threading.Thread(target=self._listen, daemon=True)
        thread.start()
        self._threads.append(thread)
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        for thread in self._threads:
            thread.join(5)

    def _listen(self) -> None:
        while True:
            try:
                item, _ = self._server.accept()
            except OSError:
                return
            self.came += 1
            thread = threading.Thread(target=self._answer, args=[item], daemon=True)
            thread.start()
            self._threads.append(thread)

    def _answer(self, item: socket.socket) -> None:
        with item:
            item.settimeout(2)
            try:
                if self.says[:1] not in (b"2", b"S"):  # whoever begins with a banner asks nothing
                    self.heard.append(item.recv(65_536))
                item.sendall(self.says)
                item.shutdown(socket.SHUT_WR)
                while item.recv(65_536):
                    pass
            except OSError:
                return


def build_http_answer(body: bytes, status: str = "200 OK", *headers: str) -> bytes:
    """An answer of HTTP."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", "Connection: close", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


STRANGERS: dict[str, bytes] = {
    "banner of mail": f"220 {SECRET} ESMTP Postfix\r\n".encode(),
    "banner of SSH": f"SSH-2.0-{SECRET}\r\n".encode(),
    "JSON object": build_http_answer(f'{{"AccessKeyId": "{SECRET}", "{SECRET}": 1}}'.encode()),
    "JSON text": build_http_answer(f'"{SECRET}"'.encode()),
    "HTML": build_http_answer(f"<html><title>{SECRET}</title></html>".encode()),
    "text": build_http_answer(SECRET.encode()),
    "redirect": build_http_answer(b"", "302 Found", f"Location: http://{SECRET}.internal/{SECRET}"),
    "status": build_http_answer(b"", f"403 {SECRET}"),
    "header": f"HTTP/1.1 200 OK\r\n{SECRET}\r\n\r\n".encode(),
    "next page": build_http_answer(f'{{"list": [], "AccessKeyId": "http://{SECRET}/"}}'.encode()),
    "error of Redis": f"-{SECRET} {SECRET}\r\n".encode() * 20,
    "denial of Redis": f"-NOPERM {SECRET}\r\n".encode() * 20,
    "login of Redis": f"-WRONGPASS {SECRET}\r\n".encode() * 20,
    "busy Redis": f"-LOADING {SECRET}\r\n".encode() * 20,
    "number of Redis": f":{SECRET}\r\n".encode() * 20,
    "length of Redis": f"${SECRET}\r\n".encode() * 20,
    "list of Redis": f"*{SECRET}\r\n".encode() * 20,
    "text of Redis": f"+{SECRET}\r\n".encode() * 20,
    "error of PostgreSQL": b"N"
    + b"E"
    + (4 + 40).to_bytes(4, "big")
    + f"SFATAL\0C28000\0M{SECRET}\0".encode().ljust(40, b"\0"),
    "connack of MQTT": bytes([0x20, 3, 0, 0x87, 0]) + SECRET.encode(),
    "reason of MQTT": bytes([0x20, 6 + len(SECRET), 0, 0x87, 3 + len(SECRET), 0x1F, 0, len(SECRET)])
    + SECRET.encode(),
    "frame of Kafka": (4 + len(SECRET)).to_bytes(4, "big") + b"\0\0\0\1" + SECRET.encode(),
}
