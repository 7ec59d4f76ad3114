"""Posts bodies to an address until it confirms them, and explains other answers."""

from __future__ import annotations

import http.client
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

from timeline_app.connectors.egress.failures import describe_failure, describe_status
from timeline_app.connectors.egress.policy import Egress
from timeline_app.connectors.http.bounded_answers import HttpConnection, SecureConnection, read_body
from timeline_app.connectors.http.source import parse_destination
from timeline_app.connectors.sink_contract import TargetUnavailable

MAX_ANSWER_BYTES = 65_536
MAX_WAIT_S = 3_600.0
"""The longest wait that a receiver may ask for."""


class HttpPoster:
    """Keeps a connection to an address, as far as `egress` allows."""

    def __init__(self, url: str, timeout: float, egress: Egress) -> None:
        """Connect on first use."""
        self._url, self._timeout, self._egress = url, timeout, egress
        self._connection: http.client.HTTPConnection | None = None

    def post(self, body: bytes, headers: Mapping[str, str]) -> None:
        """Send a request. Raises `TargetUnavailable` unless it succeeds."""
        address = urlsplit(self._url)
        path = f"{address.path or '/'}{f'?{address.query}' if address.query else ''}"
        with self._explain_failures():
            answer = self._answer(path, body, headers)
            if len(read_body(answer, MAX_ANSWER_BYTES, self._timeout)) > MAX_ANSWER_BYTES:
                self.close()
        if not 200 <= answer.status < 300:
            self.close()
            where = (
                "; it is not followed, write the address where it leads" if 300 <= answer.status < 400 else ""
            )
            words = f"{address.hostname} answers {describe_status(answer.status)}{where}"
            raise TargetUnavailable(words, parse_retry_after(answer.headers.get("Retry-After")))

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _answer(self, path: str, body: bytes, headers: Mapping[str, str]) -> http.client.HTTPResponse:
        """Return the answer on the kept connection, or on a new one: receivers close idle connections."""
        if self._connection is not None:
            try:
                if self._connection.sock is not None:
                    self._connection.sock.settimeout(self._timeout)  # the last answer has used some of it
                self._connection.request("POST", path, body, headers)
                return self._connection.getresponse()
            except ConnectionError:
                self.close()
        self._connection = self._connect()
        self._connection.request("POST", path, body, headers)
        return self._connection.getresponse()

    def _connect(self) -> http.client.HTTPConnection:
        # Without a port http.client would look for one in the address: `::1` is then port 1 of `:`.
        host, port = parse_destination(self._url)
        if urlsplit(self._url).scheme == "https":
            tls = ssl.create_default_context()
            return SecureConnection(host, port, timeout=self._timeout, context=tls, egress=self._egress)
        return HttpConnection(host, port, timeout=self._timeout, egress=self._egress)

    @contextmanager
    def _explain_failures(self) -> Iterator[None]:
        """Raise network failures as `TargetUnavailable`."""
        where = urlsplit(self._url).netloc
        try:
            yield
        except ssl.SSLCertVerificationError as why:
            self.close()
            raise TargetUnavailable(
                f"the certificate of {where} is not trusted: {why.verify_message}"
            ) from why
        except TimeoutError as why:
            self.close()
            raise TargetUnavailable(f"{where} has not answered for {self._timeout:g} s") from why
        except (OSError, http.client.HTTPException) as why:
            self.close()
            raise TargetUnavailable(f"{where} cannot be reached: {describe_failure(why)}") from why


def parse_retry_after(text: str | None) -> float | None:
    """Return the seconds that `Retry-After` asks for."""
    if not text:
        return None
    try:
        seconds = float(text) if text.strip().isdecimal() else _seconds_until(parsedate_to_datetime(text))
    except ValueError:
        return None
    return min(max(seconds, 0.0), MAX_WAIT_S)


def _seconds_until(moment: datetime) -> float:
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return (moment - datetime.now(UTC)).total_seconds()
