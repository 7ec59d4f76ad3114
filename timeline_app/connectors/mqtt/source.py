"""MQTT: a session that the broker keeps, so that it redelivers unacknowledged messages.

When a connection begins, the broker redelivers a message with its number, marked as a duplicate (MQTT 5, 4.4). So
messages of a durable batch are recognised when they come again, and acknowledged then.
"""

from __future__ import annotations

import re
import socket
import ssl
import threading
import time
import uuid
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import Annotated, Any, NamedTuple

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from timeline_app.connectors.egress.failures import describe_failure
from timeline_app.connectors.egress.policy import Destination, Egress
from timeline_app.connectors.options import MAX_CERTIFICATE_CHARS, Check, Option
from timeline_app.connectors.raw_events import EVENTS, encode_bytes
from timeline_app.connectors.reading import SourceUnavailable
from timeline_app.connectors.source_contract import Acknowledge, Given, Restriction, SplittableSource, resume
from timeline_app.connectors.splits.estimators import Estimator
from timeline_app.connectors.splits.readers import SpooledReader
from timeline_app.connectors.splits.tracker import Position, Tracker

ANSWER_TIMEOUT_S, MAX_ANSWER_TIMEOUT_S = 8.0, 120.0
"""For an answer, since the broker last sent anything (queued messages come first), and in all."""
SAMPLE_WAIT_S = 2.0
"""The wait for messages when a user tests the options."""
MAX_UNACKNOWLEDGED = 20_000
"""The broker sends this many messages without an acknowledgement; as many are queued here (QoS 0)."""
MAX_QUEUED_BYTES = 64 << 20
"""More than this is queued only for a single message; the broker redelivers the rest later."""
NEVER_EXPIRES = 0xFFFFFFFF
ECHO_TOPIC = "timelines/echo"
"""A topic without subscribers: an answer shows that the broker has processed everything sent before."""
MAX_NAME_BYTES, MAX_PASSWORD_BYTES = 1_000, 65_000
_BROKER = re.compile(r"(\[[0-9a-fA-F:.]+\]|[\w.-]+)(:(\d{1,5}))?")
_HINTS = {
    "Bad user name or password": "check user and password",
    "Not authorized": "check user and password, and what the broker lets them read",
    "Session taken over": "another client has the same session: give each stream its own",
    "Unsupported protocol version": "it must speak MQTT 5",
    "Protocol error": "check port and tls, and whether it is an MQTT broker",
    "Malformed packet": "check port and tls, and whether it is an MQTT broker",
}


def _make_length_check(most: int) -> Check:
    def too_long(text: str) -> str | None:
        size = len(text.encode(errors="replace"))
        return f"has {size:,} bytes: {most:,} at most" if size > most else None

    return too_long


def _check_broker(text: str) -> str | None:
    match_ = _BROKER.fullmatch(text)
    if not match_ or not 0 < int(match_[3] or 1883) < 65_536:
        return f"{text!r} is no address of a broker; write host or host:port"
    return None


def _check_filters(text: str) -> str | None:
    for topic_filter in [item.strip() for item in text.split(",")]:
        levels = topic_filter.split("/")
        if levels[0] == "$share":
            words = "is shared, and may lose or double messages: name its topic, and another session instead"
            return f"{topic_filter!r} {words}"
        if long := _make_length_check(MAX_NAME_BYTES)(topic_filter):
            return long.replace("has", "has a topic of", 1)
        if (
            not topic_filter
            or "#" in levels[:-1]
            or any(len(item) > 1 and set(item) & {"#", "+"} for item in levels)
        ):
            return f"{topic_filter!r} is no topic; such as players/+/events or players/#, several by commas"
    return None


class Arrived(NamedTuple):
    """A message: its number (0: without acknowledgement), digest, topic, text, and size in bytes."""

    number: int
    digest: str
    topic: str
    text: str
    size: int


class Mqtt(SplittableSource):
    """One restriction, the session; positions count messages. A session has one connection."""

    title, where = "MQTT", ("broker", "session")
    schema, reader, poll, most = EVENTS, SpooledReader, 0.1, MAX_UNACKNOWLEDGED

    def __init__(
        self,
        broker: Annotated[str, Option("The broker, host or host:port", check=_check_broker)],
        topics: Annotated[
            str, Option("The topics, also with + and #, several by commas", check=_check_filters)
        ],
        session: Annotated[
            str,
            Option(
                "The name (client id) of the session; each stream has its own",
                _make_length_check(MAX_NAME_BYTES),
            ),
        ],
        user: Annotated[str, Option("The name of the login", _make_length_check(MAX_NAME_BYTES))] = "",
        password: Annotated[
            str,
            Option(
                "Its password", _make_length_check(MAX_PASSWORD_BYTES), secret=True, most=MAX_PASSWORD_BYTES
            ),
        ] = "",  # nosec B107
        tls: Annotated[bool, Option("Whether the connection is encrypted", guards=True)] = False,
        ca: Annotated[
            str,
            Option(
                "The certificates that sign the broker's, PEM; empty: those of the system (tls)",
                guards=True,
                most=MAX_CERTIFICATE_CHARS,
            ),
        ] = "",
    ) -> None:
        """Connect on first use."""
        match_ = _BROKER.fullmatch(broker)
        assert match_ is not None
        self.host, self.port = match_[1].strip("[]"), int(match_[3] or (8883 if tls else 1883))
        self.topics = [part.strip() for part in topics.split(",")]
        self.session, self.user, self.password, self.tls, self.ca = session, user, password, tls, ca
        self.open: MqttConnection | None = None

    def destinations(self) -> Iterable[Destination]:
        """Return the broker."""
        return [(self.host, self.port)]

    def restrictions(self) -> Iterable[Restriction]:
        """Return one restriction for the session."""
        self.connected()
        return [Restriction(self.session, 0)]

    def has_data(self, key: str, start: Position, end: Position) -> bool:
        """Return whether a message is queued."""
        del key, start, end
        return bool(self.connected().waiting)

    def size(self, key: str, start: Position, end: Position) -> int | None:
        """Return how many messages are queued here; the broker does not say how many it has."""
        del key, start, end
        return len(self.connected().waiting)

    def process(self, key: str, tracker: Tracker, watermark: Estimator, ack: Acknowledge) -> Given:
        """Yield the queued messages."""
        del key, watermark
        connection, number = self.connected(), int(tracker.start)
        while (message := connection.next()) is not None:
            number += 1
            if not tracker.try_claim(number):
                connection.put_back(message)
                return None
            if message.number:
                ack([message.number, message.digest])
            yield message.text, message.topic, str(number)
        return resume(self.poll)

    def finalize(self, key: str, payloads: Sequence[Any]) -> None:
        """Send PUBACK, and wait until the broker has processed it."""
        del key
        self.connected().acknowledge({(number, digest) for number, digest in payloads})

    def sample(self, most: int) -> Iterator[tuple[str, str, str]]:
        """Yield what comes within two seconds, in a temporary session."""
        connection = MqttConnection(self, f"{self.session}-{uuid.uuid4().hex[:8]}", brief=True)
        try:
            connection.heard.wait(SAMPLE_WAIT_S)
            if connection.waiting:
                connection.over.wait(SAMPLE_WAIT_S / 4)  # more may follow at once
            for number in range(1, most + 1):
                message = connection.next()
                if message is None:
                    return
                yield message.text, message.topic, str(number)
        finally:
            connection.close()

    def close(self) -> None:
        """Close the connection; the broker keeps the session."""
        if self.open is not None:
            self.open.close()
            self.open = None

    def connected(self) -> MqttConnection:
        """Return the connection, reconnecting where it was lost. Raises `SourceUnavailable`."""
        if self.open is not None and self.open.over.is_set():
            lost, self.open = self.open, None
            lost.close()
            if lost.problem:
                raise SourceUnavailable(lost.problem)
        if self.open is not None and self.open.spent:  # the broker redelivers the rest to a new connection
            self.close()
        if self.open is None:
            self.open = MqttConnection(self, self.session)
        return self.open

    def trouble(self, message: str) -> SourceUnavailable:
        """Explain an error of the broker, with what to do."""
        if message == "Unspecified error":
            lost = f"the connection to the broker {self.host}:{self.port} was lost"
            return SourceUnavailable(
                f"{lost}; where that goes on, another client has the session {self.session!r}, too"
            )
        hint = _HINTS.get(message)
        return SourceUnavailable(
            f"the broker {self.host}:{self.port} says: {message}{f': {hint}' if hint else ''}"
        )


class _Client(paho.Client):
    """A client that connects to reachable addresses only, and ignores the environment's proxies."""

    egress = Egress()

    def _create_socket_connection(self) -> socket.socket:
        return self.egress.connect(self._host, self._port, self._connect_timeout)


class MqttConnection:
    """A connection of a session. When it is lost, `over` is set and it stays closed."""

    def __init__(self, options: Mqtt, session: str, *, brief: bool = False) -> None:
        """Connect and subscribe. A `brief` session is forgotten by the broker. Raises `SourceUnavailable`."""
        self.options = options
        self.waiting: deque[Arrived] = deque()
        self.weight, self.full = 0, False  # once full, it queues nothing more, to keep the order
        self.open: dict[int, str] = {}
        self.durable: set[tuple[int, str]] = set()  # acknowledged if they are redelivered
        self._heard_at = 0.0
        self.heard, self.over = threading.Event(), threading.Event()
        self.problem = ""
        self._said: dict[str, list[ReasonCode]] = {}
        self._lock, self._answered = threading.Lock(), threading.Condition()
        self._client = self._made(session)
        try:
            self._connect(brief)
            self._subscribe(brief)
        except BaseException:
            self.close()
            raise

    def next(self) -> Arrived | None:
        """Return the next message; None once the connection is lost, since the broker redelivers all."""
        with self._lock:
            if not self.waiting or self.over.is_set():
                return None
            self.weight -= self.waiting[0].size
            return self.waiting.popleft()

    def put_back(self, message: Arrived) -> None:
        """Put a message back as the next one."""
        with self._lock:
            self.weight += message.size
            self.waiting.appendleft(message)

    @property
    def spent(self) -> bool:
        """Whether the queue was full, and all of it is read and acknowledged."""
        with self._lock:
            return self.full and not self.waiting and not self.open

    def acknowledge(self, durable: set[tuple[int, str]]) -> None:
        """Acknowledge messages, also when redelivered later. Raises `SourceUnavailable` where that is uncertain."""
        self.echo()  # waits for redelivered messages
        with self._lock:
            self.waiting = deque(item for item in self.waiting if (item.number, item.digest) not in durable)
            self.weight = sum(item.size for item in self.waiting)
            here = [number for number, digest in durable if self.open.get(number) == digest]
            self.durable |= {item for item in durable if item[0] not in here}
            for number in here:
                del self.open[number]
        for number in here:
            self._client.ack(number, 1)
        self.echo()

    def echo(self) -> None:
        """Wait until the broker has processed everything sent. Raises `SourceUnavailable`."""
        _, number = self._client.unsubscribe(ECHO_TOPIC)
        self._answer(f"unsubscribed {number}", "does not answer")

    def close(self) -> None:
        """Close the connection."""
        self._client.disconnect()
        self._client.loop_stop()
        self.over.set()

    def _made(self, session: str) -> paho.Client:
        client = _Client(
            CallbackAPIVersion.VERSION2,
            session,
            protocol=paho.MQTTv5,
            manual_ack=True,
            reconnect_on_failure=False,
        )
        client.egress = self.options.egress
        client.connect_timeout = ANSWER_TIMEOUT_S / 2
        client.on_connect = lambda _c, _u, _f, reason, _p: self._tell("connected", [reason])
        client.on_subscribe = lambda _c, _u, number, reasons, _p: self._tell(f"subscribed {number}", reasons)
        client.on_unsubscribe = lambda _c, _u, number, reasons, _p: self._tell(
            f"unsubscribed {number}", reasons
        )
        client.on_disconnect = lambda _c, _u, _f, reason, _p: self._lose(reason)
        client.on_message = lambda _c, _u, message: self._hear(message)
        if self.options.user:
            client.username_pw_set(self.options.user, self.options.password)
        if self.options.tls:
            client.tls_set_context(self._context())
        return client

    def _context(self) -> ssl.SSLContext:
        try:
            return ssl.create_default_context(cadata=self.options.ca or None)
        except (ssl.SSLError, ValueError):
            raise SourceUnavailable(
                "ca holds no certificates in PEM: copy it whole, with its lines BEGIN and END"
            ) from None

    def _connect(self, brief: bool) -> None:
        properties = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
        properties.ReceiveMaximum, properties.SessionExpiryInterval = (
            MAX_UNACKNOWLEDGED,
            0 if brief else NEVER_EXPIRES,
        )
        at = f"{self.options.host}:{self.options.port}"
        try:
            self._client.connect(
                self.options.host, self.options.port, keepalive=20, clean_start=brief, properties=properties
            )
        except socket.gaierror:
            raise SourceUnavailable(
                f"no host of the name {self.options.host} is known: check broker"
            ) from None
        except ssl.SSLError as why:
            words = describe_failure(why)
            raise SourceUnavailable(
                f"the encrypted connection to {at} fails: check tls and ca ({words})"
            ) from None
        except ConnectionResetError:
            raise SourceUnavailable(f"{at} closes the connection: check port and tls") from None
        except OSError as why:
            words = describe_failure(why)
            raise SourceUnavailable(
                f"no broker answers at {at}: check broker, and whether it runs ({words})"
            ) from None
        self._client.loop_start()
        [reason] = self._answer("connected", "does not answer as an MQTT broker does: check port and tls")
        if reason.is_failure:
            raise self.options.trouble(str(reason))

    def _subscribe(self, brief: bool) -> None:
        how = SubscribeOptions(
            qos=0 if brief else 1,
            retainHandling=SubscribeOptions.RETAIN_SEND_ON_SUBSCRIBE
            if brief
            else SubscribeOptions.RETAIN_SEND_IF_NEW_SUB,
        )
        _, number = self._client.subscribe([(item, how) for item in self.options.topics])
        for topic, reason in zip(
            self.options.topics, self._answer(f"subscribed {number}", "does not answer"), strict=True
        ):
            if reason.is_failure:
                message = f"it does not let {self.options.user or 'a stranger'} read {topic!r} ({reason})"
                raise SourceUnavailable(f"{message}: allow it, at the broker, or correct topics")

    def _answer(self, action: str, silent: str) -> list[ReasonCode]:
        with self._answered:
            self._heard_at = time.monotonic()
            ends = self._heard_at + MAX_ANSWER_TIMEOUT_S
            while (seconds_left := min(self._heard_at + ANSWER_TIMEOUT_S, ends) - time.monotonic()) > 0:
                if self._answered.wait_for(lambda: action in self._said or self.over.is_set(), seconds_left):
                    break
            reasons = self._said.pop(action, None)
        if reasons is None:
            at = f"{self.options.host}:{self.options.port}"
            raise SourceUnavailable(self.problem or f"{at} {silent}")
        return reasons

    def _tell(self, action: str, reasons: list[ReasonCode]) -> None:
        with self._answered:
            self._said[action] = reasons
            self._answered.notify_all()

    def _lose(self, reason: ReasonCode) -> None:
        with self._answered:
            if reason.is_failure and not self.problem:  # the first error names the cause
                self.problem = str(self.options.trouble(str(reason)))
            self.over.set()
            self._answered.notify_all()

    def _hear(self, message: paho.MQTTMessage) -> None:
        number = message.mid if message.qos else 0
        if not any(paho.topic_matches_sub(topic, message.topic) for topic in self.options.topics):
            self._client.ack(number, message.qos)  # from an earlier subscription
            return
        text, size = encode_bytes(bytes(message.payload)), len(message.payload)
        digest = blake2b(message.topic.encode() + b"\0" + message.payload, digest_size=8).hexdigest()
        with self._lock:
            is_repeated = message.dup and (number, digest) in self.durable
            self.full |= bool(self.waiting) and not is_repeated and self.weight + size > MAX_QUEUED_BYTES
            is_kept = not is_repeated and not self.full and (number or len(self.waiting) < MAX_UNACKNOWLEDGED)
            if is_kept:
                self.waiting.append(Arrived(number, digest, message.topic, text, size))
                self.weight += size
            if is_kept and number:
                self.open[number] = digest
        if is_repeated:
            self._client.ack(number, 1)
        self._heard_at = time.monotonic()
        self.heard.set()
