"""A real MQTT broker, on ports of its own, that can be stopped, killed and started again with what it had written."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterable
from pathlib import Path

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion

import bootstrap
from workers.stack.health import find_free_port

USER, PASSWORD = "timelines", "a secret of the tests"
TIMEOUT_S = 60.0


class Mosquitto:
    """It writes down what changed once a second, and when it is stopped; not when it is killed."""

    def __init__(self, path: Path) -> None:
        program = bootstrap.mosquitto()
        assert program, "there is no mosquitto; hint: make setup-tests"
        self.program, self.path = program, path
        self.port, self.closed_port = find_free_port(), find_free_port()
        passwords = path / "passwords"
        tool = shutil.which("mosquitto_passwd")
        assert tool
        subprocess.run([tool, "-b", "-c", str(passwords), USER, PASSWORD], check=True)
        (path / "settings").write_text(
            f"per_listener_settings true\nuser {os.environ.get('USER', 'root')}\n"
            f"listener {self.port} 127.0.0.1\nallow_anonymous true\n"
            f"persistence true\npersistence_location {path}/\nautosave_interval 1\n"
            "max_queued_messages 0\n"
            f"listener {self.closed_port} 127.0.0.1\nallow_anonymous false\npassword_file {passwords}\n"
        )
        self.start()

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def start(self) -> None:
        with (self.path / "log").open("ab") as sink:
            command = [self.program, "-c", str(self.path / "settings")]
            self.process = subprocess.Popen(command, stdout=sink, stderr=sink)
        until = time.monotonic() + TIMEOUT_S
        while not self.answers():
            assert time.monotonic() < until, (self.path / "log").read_text()
            time.sleep(0.05)

    def answers(self) -> bool:
        client = paho.Client(CallbackAPIVersion.VERSION2, protocol=paho.MQTTv5)
        try:
            client.connect("127.0.0.1", self.port)
        except OSError:
            return False
        client.disconnect()
        return True

    def stop(self) -> None:
        """It writes down what it has."""
        self.process.terminate()
        self.process.wait(TIMEOUT_S)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def send(self, topic: str, payloads: Iterable[bytes], qos: int = 1) -> None:
        """Publish messages, and wait until the broker has them."""
        with Sender(self.port) as sender:
            for payload in payloads:
                sender.publish(topic, payload, qos)


class Sender:
    """Publishes, and sends again after a connection is lost what the broker did not acknowledge."""

    def __init__(self, port: int) -> None:
        self.client = paho.Client(CallbackAPIVersion.VERSION2, "sender", clean_session=False)
        self.client.max_inflight_messages_set(1_000)
        self.client.reconnect_delay_set(1, 1)
        self.sent = self.taken = 0
        self.client.on_publish = self.is_taken
        self.client.connect("127.0.0.1", port)
        self.client.loop_start()

    def __enter__(self) -> Sender:
        return self

    def __exit__(self, *error: object) -> None:
        until = time.monotonic() + TIMEOUT_S
        while self.taken < self.sent:
            assert time.monotonic() < until, "the broker does not take what is published"
            time.sleep(0.05)
        self.client.disconnect()
        self.client.loop_stop()

    def publish(self, topic: str, payload: bytes, qos: int = 1) -> None:
        self.sent += 1
        self.client.publish(topic, payload, qos)

    def is_taken(self, *_: object) -> None:
        self.taken += 1
