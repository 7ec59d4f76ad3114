"""MQTT: a session that the broker keeps, so that it gives again what is not acknowledged yet.

The broker gives a message again, with its number and marked as a duplicate (MQTT 5, 4.4), when a connection begins. So
messages of a batch that is durable are known when they come again, and are acknowledged then.
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

WAIT, LONGEST_WAIT = 8.0, 120.0
"""So many seconds are waited for an answer of the broker, since it was heard last (what waits there comes before it),
and so many in all."""
SAMPLE = 2.0
"""So many for messages, by who only tries the options."""
OPEN = 20_000
"""So many messages the broker gives without an acknowledgement; as many wait here without one (QoS 0) at most."""
LARGEST = 64 << 20
"""So many bytes wait here at most, or one message; what else the broker gives it gives again once they are read."""
KEEP = 0xFFFFFFFF
"""The broker keeps the session for ever."""
ECHO = "timelines/echo"
"""Nobody subscribes to it: that the broker answers says that it has seen all that was sent before."""
NAME, LONGEST = 1_000, 65_000
"""So many bytes a name may have, and a password."""
_BROKER = re.compile(r"(\[[0-9a-fA-F:.]+\]|[\w.-]+)(:(\d{1,5}))?")
_CURES = {
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
    for topic_filter in [part.strip() for part in text.split(",")]:
        levels = topic_filter.split("/")
        if levels[0] == "$share":
            words = "is shared, and may lose or double messages: name its topic, and another session instead"
            return f"{topic_filter!r} {words}"
        if long := _make_length_check(NAME)(topic_filter):
            return long.replace("has", "has a topic of", 1)
        if (
            not topic_filter
            or "#" in levels[:-1]
            or any(len(part) > 1 and set(part) & {"#", "+"} for part in levels)
        ):
            return f"{topic_filter!r} is no topic; such as players/+/events or players/#, several by commas"
    return None


class Arrived(NamedTuple):
    """A message: its number (0: none is to be acknowledged), its digest, and what it says, in so many bytes."""

    number: int
    digest: str
    topic: str
    text: str
    size: int


class Mqtt(SplittableSource):
    """One restriction, the session; positions count messages. A session has one connection."""

    title, where = "MQTT", ("broker", "session")
    schema, reader, poll, most = EVENTS, SpooledReader, 0.1, OPEN

    def __init__(
        self,
        broker: Annotated[str, Option("The broker, host or host:port", check=_check_broker)],
        topics: Annotated[
            str, Option("The topics, also with + and #, several by commas", check=_check_filters)
        ],
        session: Annotated[
            str,
            Option("The name (client id) of the session; each stream has its own", _make_length_check(NAME)),
        ],
        user: Annotated[str, Option("The name of the login", _make_length_check(NAME))] = "",
        password: Annotated[
            str, Option("Its password", _make_length_check(LONGEST), secret=True, most=LONGEST)
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
        """Nothing is opened yet."""
        match_ = _BROKER.fullmatch(broker)
        assert match_ is not None
        self.host, self.port = match_[1].strip("[]"), int(match_[3] or (8883 if tls else 1883))
        self.topics = [part.strip() for part in topics.split(",")]
        self.session, self.user, self.password, self.tls, self.ca = session, user, password, tls, ca
        self.open: MqttConnection | None = None

    def destinations(self) -> Iterable[Destination]:
        """The broker."""
        return [(self.host, self.port)]

    def restrictions(self) -> Iterable[Restriction]:
        """The session."""
        self.connected()
        return [Restriction(self.session, 0)]

    def has_data(self, key: str, start: Position, end: Position) -> bool:
        """Whether a message is here."""
        del key, start, end
        return bool(self.connected().waiting)

    def size(self, key: str, start: Position, end: Position) -> int | None:
        """How many are here; what else waits at the broker it does not tell."""
        del key, start, end
        return len(self.connected().waiting)

    def process(self, key: str, tracker: Tracker, watermark: Estimator, ack: Acknowledge) -> Given:
        """Those that are here."""
        del key, watermark
        connection, place = self.connected(), int(tracker.start)
        while (message := connection.next()) is not None:
            place += 1
            if not tracker.try_claim(place):
                connection.put_back(message)
                return None
            if message.number:
                ack([message.number, message.digest])
            yield message.text, message.topic, str(place)
        return resume(self.poll)

    def finalize(self, key: str, payloads: Sequence[Any]) -> None:
        """PUBACK, and wait until the broker has seen it."""
        del key
        self.connected().settle({(number, digest) for number, digest in payloads})

    def sample(self, most: int) -> Iterator[tuple[str, str, str]]:
        """What comes within two seconds, by a session that is gone afterwards."""
        connection = MqttConnection(self, f"{self.session}-{uuid.uuid4().hex[:8]}", brief=True)
        try:
            connection.heard.wait(SAMPLE)
            if connection.waiting:
                connection.over.wait(SAMPLE / 4)  # others come with it
            for place in range(1, most + 1):
                message = connection.next()
                if message is None:
                    return
                yield message.text, message.topic, str(place)
        finally:
            connection.close()

    def close(self) -> None:
        """Close the connection; the broker keeps the session."""
        if self.open is not None:
            self.open.close()
            self.open = None

    def connected(self) -> MqttConnection:
        """The connection, made anew where it was lost; raises `SourceUnavailable`."""
        if self.open is not None and self.open.over.is_set():
            lost, self.open = self.open, None
            lost.close()
            if lost.problem:
                raise SourceUnavailable(lost.problem)
        if self.open is not None and self.open.spent:  # the broker has the rest, and gives it to a new one
            self.close()
        if self.open is None:
            self.open = MqttConnection(self, self.session)
        return self.open

    def trouble(self, said: str) -> SourceUnavailable:
        """What the broker says is wrong, with what to do."""
        if said == "Unspecified error":
            lost = f"the connection to the broker {self.host}:{self.port} was lost"
            return SourceUnavailable(
                f"{lost}; where that goes on, another client has the session {self.session!r}, too"
            )
        cure = _CURES.get(said)
        return SourceUnavailable(
            f"the broker {self.host}:{self.port} says: {said}{f': {cure}' if cure else ''}"
        )


class _Client(paho.Client):
    """A client that connects to an address that may be reached, past the proxies of the environment."""

    egress = Egress()

    def _create_socket_connection(self) -> socket.socket:
        return self.egress.connect(self._host, self._port, self._connect_timeout)


class MqttConnection:
    """A connection of a session. It is not made anew when it is lost: `over` is set then."""

    def __init__(self, options: Mqtt, session: str, *, brief: bool = False) -> None:
        """Connect and subscribe; `brief`: the broker forgets it all afterwards. Raises `SourceUnavailable`."""
        self.options = options
        self.waiting: deque[Arrived] = deque()
        self.weight, self.full = 0, False  # once it is full nothing more is kept, so that the order stays
        self.open: dict[int, str] = {}
        self.settled: set[tuple[int, str]] = set()  # durable, and perhaps given again yet
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
        """The next message; none once the connection is lost, since the broker gives all of them again."""
        with self._lock:
            if not self.waiting or self.over.is_set():
                return None
            self.weight -= self.waiting[0].size
            return self.waiting.popleft()

    def put_back(self, message: Arrived) -> None:
        """It is the next one still."""
        with self._lock:
            self.weight += message.size
            self.waiting.appendleft(message)

    @property
    def spent(self) -> bool:
        """Whether it was full, and all that it kept is read and acknowledged."""
        with self._lock:
            return self.full and not self.waiting and not self.open

    def settle(self, durable: set[tuple[int, str]]) -> None:
        """Acknowledge messages, also those that come again later; raises `SourceUnavailable` where that is not sure."""
        self.echo()  # what the broker gives again is here
        with self._lock:
            self.waiting = deque(item for item in self.waiting if (item.number, item.digest) not in durable)
            self.weight = sum(item.size for item in self.waiting)
            here = [number for number, digest in durable if self.open.get(number) == digest]
            self.settled |= {item for item in durable if item[0] not in here}
            for number in here:
                del self.open[number]
        for number in here:
            self._client.ack(number, 1)
        self.echo()

    def echo(self) -> None:
        """Wait until the broker has seen all that was sent; raises `SourceUnavailable`."""
        _, number = self._client.unsubscribe(ECHO)
        self._answer(f"unsubscribed {number}", "does not answer")

    def close(self) -> None:
        """Let go of it."""
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
        client.connect_timeout = WAIT / 2
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
        wanted = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
        wanted.ReceiveMaximum, wanted.SessionExpiryInterval = OPEN, 0 if brief else KEEP
        at = f"{self.options.host}:{self.options.port}"
        try:
            self._client.connect(
                self.options.host, self.options.port, keepalive=20, clean_start=brief, properties=wanted
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
                said = f"it does not let {self.options.user or 'a stranger'} read {topic!r} ({reason})"
                raise SourceUnavailable(f"{said}: allow it, at the broker, or correct topics")

    def _answer(self, action: str, silent: str) -> list[ReasonCode]:
        with self._answered:
            self._heard_at = time.monotonic()
            ends = self._heard_at + LONGEST_WAIT
            while (left := min(self._heard_at + WAIT, ends) - time.monotonic()) > 0:
                if self._answered.wait_for(lambda: action in self._said or self.over.is_set(), left):
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
            if reason.is_failure and not self.problem:  # the first one says why
                self.problem = str(self.options.trouble(str(reason)))
            self.over.set()
            self._answered.notify_all()

    def _hear(self, message: paho.MQTTMessage) -> None:
        number = message.mid if message.qos else 0
        if not any(paho.topic_matches_sub(topic, message.topic) for topic in self.options.topics):
            self._client.ack(number, message.qos)  # of topics that were subscribed to once
            return
        text, size = encode_bytes(bytes(message.payload)), len(message.payload)
        digest = blake2b(message.topic.encode() + b"\0" + message.payload, digest_size=8).hexdigest()
        with self._lock:
            known = message.dup and (number, digest) in self.settled
            self.full |= bool(self.waiting) and not known and self.weight + size > LARGEST
            kept = not known and not self.full and (number or len(self.waiting) < OPEN)
            if kept:
                self.waiting.append(Arrived(number, digest, message.topic, text, size))
                self.weight += size
            if kept and number:
                self.open[number] = digest
        if known:
            self._client.ack(number, 1)
        self._heard_at = time.monotonic()
        self.heard.set()
