"""Answers of the web, from whomever: neither endless nor for ever."""

from __future__ import annotations

import http.client
import time

CHUNK = 1 << 16


def body_of(answer: http.client.HTTPResponse, most: int, seconds: float) -> bytes:
    """Its body, one byte more than `most` at most; raises `TimeoutError` and `http.client.IncompleteRead`."""
    until, found = time.monotonic() + seconds, bytearray()
    while len(found) <= most and (some := answer.read1(min(CHUNK, most + 1 - len(found)))):
        found += some
        if time.monotonic() > until:
            raise TimeoutError(f"it has not ended for {seconds:g} s")
    if len(found) <= most:
        answer.read()  # nothing: but it raises where the answer was cut short, and frees the connection
    return bytes(found)
