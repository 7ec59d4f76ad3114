"""A Kafka broker of one's own: one node of a real Kafka (KRaft), from Maven's jars, on ports of this machine only."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import uuid
from base64 import urlsafe_b64encode
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

import bootstrap
from workers.stack.health import find_free_port

TIMEOUT_S = 90.0
HEAP = "256m"
USER, PASSWORD = "timelines", "a secret of the tests"


class NoBroker(RuntimeError):
    """The broker does not start: says why, and what to do."""


class Broker:
    """One broker. `kill` ends it as a crash would, `start` brings it back on the same ports with what it had."""

    def __init__(self) -> None:
        """Nothing is started yet."""
        if not (jars := bootstrap.broker_jars()):
            raise NoBroker("the jars of the Kafka broker are not there; hint: make setup-tests")
        self._classes = os.pathsep.join(map(str, jars))
        self.folder = Path(tempfile.mkdtemp(prefix="timelines-kafka-"))
        self.port, self.closed_port, self._control = find_free_port(), find_free_port(), find_free_port()
        self._running: subprocess.Popen[bytes] | None = None

    @property
    def servers(self) -> str:
        """Where it listens for everybody."""
        return f"127.0.0.1:{self.port}"

    @property
    def closed(self) -> str:
        """Where it listens for those who know `USER` and `PASSWORD` (SASL PLAIN)."""
        return f"127.0.0.1:{self.closed_port}"

    def __enter__(self) -> Self:
        try:
            self._format()
            self.start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End it; its data go."""
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self) -> None:
        """Start it, and come back when it answers."""
        with (self.folder / "broker.log").open("ab") as sink:
            command = self._java("kafka.Kafka", str(self.folder / "server.properties"))
            self._running = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=sink, stderr=sink)
        started = time.monotonic()
        while not self._answers():
            if self._running.poll() is not None or time.monotonic() - started > TIMEOUT_S:
                raise NoBroker(f"the broker does not answer:\n{self._tail()}")
            time.sleep(0.2)

    def kill(self) -> None:
        """End it by SIGKILL."""
        if self._running is not None:
            self._running.send_signal(signal.SIGKILL)
            self._running.wait()
            self._running = None

    def topic(self, name: str, partitions: int = 1, **settings: str) -> str:
        """Make a topic."""
        new_topic = NewTopic(name, num_partitions=partitions, replication_factor=1, config=settings)
        admin = self.admin()
        admin.create_topics([new_topic])[name].result(TIMEOUT_S)
        return name

    def admin(self) -> AdminClient:
        """Whoever may do everything."""
        return AdminClient({"bootstrap.servers": self.servers, "log_level": 0})

    def producer(self) -> Producer:
        """One that loses and doubles nothing by itself, however often the broker goes away."""
        return Producer(
            {
                "bootstrap.servers": self.servers, "enable.idempotence": True, "linger.ms": 5,
                "message.timeout.ms": 300_000, "log_level": 0,
            }
        )  # fmt: skip

    def send(self, topic: str, values: Iterable[bytes | None], partition: int = -1) -> None:
        """Write messages, and wait until the broker has them."""
        producer = self.producer()
        for value in values:
            producer.produce(topic, value, partition=partition)
            producer.poll(0)
        unsent = producer.flush(TIMEOUT_S)
        assert unsent == 0, f"{unsent} messages were not taken"

    def _format(self) -> None:
        lines = "\n".join(f"{name}={value}" for name, value in self._properties().items())
        (self.folder / "server.properties").write_text(f"{lines}\n")
        identity = urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
        self._tool("kafka.tools.StorageTool", "format", "-t", f"A{identity[1:]}", "-c", "server.properties")

    def _properties(self) -> dict[str, Any]:
        plain = "org.apache.kafka.common.security.plain.PlainLoginModule required"
        listeners = (
            f"OPEN://127.0.0.1:{self.port},CLOSED://127.0.0.1:{self.closed_port}"
            f",CONTROLLER://127.0.0.1:{self._control}"
        )
        return {
            "process.roles": "broker,controller",
            "node.id": 1,
            "controller.quorum.voters": f"1@127.0.0.1:{self._control}",
            "listeners": listeners,
            "advertised.listeners": listeners.rpartition(",")[0],
            "listener.security.protocol.map": "OPEN:PLAINTEXT,CLOSED:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT",
            "controller.listener.names": "CONTROLLER",
            "inter.broker.listener.name": "OPEN",
            "listener.name.closed.sasl.enabled.mechanisms": "PLAIN",
            "listener.name.closed.plain.sasl.jaas.config": f'{plain} user_{USER}="{PASSWORD}";',
            "log.dirs": self.folder / "data",
            "offsets.topic.replication.factor": 1,
            "offsets.topic.num.partitions": 1,
            "transaction.state.log.replication.factor": 1,
            "transaction.state.log.min.isr": 1,
            "transaction.state.log.num.partitions": 1,
            "auto.create.topics.enable": "false",
            "broker.session.timeout.ms": 2_000,  # whoever was killed may come back when so much has passed
            "broker.heartbeat.interval.ms": 500,
            "log.retention.check.interval.ms": 1_000,
            "log.segment.delete.delay.ms": 0,
        }

    def _tool(self, *command: str) -> None:
        line, still = self._java(*command), subprocess.DEVNULL
        process = subprocess.run(
            line, cwd=self.folder, stdin=still, capture_output=True, text=True, check=False
        )
        if process.returncode:
            raise NoBroker(
                f"{' '.join(command)} ended with {process.returncode}:\n{process.stdout}{process.stderr}"
            )

    def _java(self, *command: str) -> list[str]:
        quick = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", f"-Xmx{HEAP}")
        return [bootstrap.java_command(), *quick, "-cp", self._classes, *command]

    def _answers(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
            return bool(self.admin().list_topics(timeout=5).brokers)
        except Exception:
            return False

    def _tail(self) -> str:
        return "\n".join((self.folder / "broker.log").read_text(errors="replace").splitlines()[-25:])
