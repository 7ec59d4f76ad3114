"""Describes failures of a connection by their kind; nothing that the other side sent is repeated."""

from __future__ import annotations

import http.client
import os
import socket
import ssl
from http import HTTPStatus

_MAX_CAUSES = 10
_OUR_OWN = "it has not ended"
"""The beginning of our own time-out messages (`bounded_answers.py`)."""
_WORDS: dict[type[BaseException], str] = {
    ssl.SSLError: "the encrypted connection fails",
    socket.gaierror: "no host of that name is known",
    TimeoutError: "no answer in time",
    http.client.RemoteDisconnected: "it hangs up without an answer",
    http.client.HTTPException: "what answers does not speak HTTP",
}
"""The first match counts."""


def describe_failure(why: BaseException) -> str:
    """Describe a failure of the network, found in an exception or in its causes.

    >>> describe_failure(ConnectionRefusedError(111, "Connection refused"))
    'Connection refused'
    >>> describe_failure(http.client.BadStatusLine("220 mail.internal ESMTP"))
    'what answers does not speak HTTP'
    """
    cause: BaseException | None = why
    for _ in range(_MAX_CAUSES):
        if cause is None:
            break
        if words := _describe(cause):
            return words
        cause = getattr(cause, "reason", None) if _has_cause(cause) else cause.__cause__ or cause.__context__
    return "it does not answer as expected"


def describe_status(code: int) -> str:
    """Return a status of HTTP with its standard phrase, since the answer's own phrase is not repeated.

    >>> describe_status(503), describe_status(799)
    ('503 Service Unavailable', '799')
    """
    try:
        return f"{code} {HTTPStatus(code).phrase}"
    except ValueError:
        return str(code)


def _has_cause(why: BaseException) -> bool:
    return isinstance(getattr(why, "reason", None), BaseException)


def _describe(why: BaseException) -> str:
    """Describe an exception; empty where its cause may say more."""
    if isinstance(why, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted: {why.verify_message}"
    if isinstance(why, TimeoutError) and str(why).startswith(_OUR_OWN):
        return str(why)
    if isinstance(why, http.client.IncompleteRead):
        return f"the answer ends after {len(why.partial):,} bytes, too early"
    for kind, words in _WORDS.items():
        if isinstance(why, kind):
            return words
    return os.strerror(why.errno) if isinstance(why, OSError) and why.errno else ""
