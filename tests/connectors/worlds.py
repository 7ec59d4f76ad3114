"""Targets that are there whenever tests run."""

from __future__ import annotations

import itertools
import shutil
import tempfile
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Any

import orjson
import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
from confluent_kafka import Consumer, KafkaError, TopicPartition
from deltalake import DeltaTable
from psycopg.rows import dict_row

from tests.broker import Broker
from tests.connectors.receiver import Receiver
from tests.postgres import Server
from timeline_app.connectors.delta.sink import Delta
from timeline_app.connectors.files.parquet_sink import Parquet
from timeline_app.connectors.kafka.sink import KafkaTopic
from timeline_app.connectors.postgres.sink import Postgres
from timeline_app.connectors.sink_contract import IdempotentSink
from timeline_app.connectors.sink_kit.world import Row, SinkHarness
from timeline_app.connectors.webhook.sink import Webhook


class Files(SinkHarness):
    """A directory that is gone afterwards."""

    name = "orders/by_city"

    def __init__(self) -> None:
        self.base = Path(tempfile.mkdtemp(prefix="timelines-sinks-"))
        self.folder = self.base / self.name

    def leftovers(self) -> int:
        return len(list(self.folder.glob(".*.staged")))

    def close(self) -> None:
        shutil.rmtree(self.base)


class OfParquet(Files):
    def sink(self) -> IdempotentSink:
        return Parquet(folder=self.name)

    def rows(self) -> Iterable[Row]:
        for path in sorted(self.folder.glob("*.parquet")):
            yield from pq.read_table(path).to_pylist()

    def away(self) -> bool:
        self.folder.rename(self.base / "elsewhere")
        return True

    def back(self) -> None:
        (self.base / "elsewhere").rename(self.folder)


class OfDelta(Files):
    def sink(self) -> IdempotentSink:
        return Delta(folder=self.name)

    def rows(self) -> Iterable[Row]:
        if not (self.folder / "_delta_log").is_dir():
            return []
        rows: list[Row] = pa.table(DeltaTable(str(self.folder)).to_pyarrow_table()).to_pylist()
        return rows

    def away(self) -> bool:
        self.folder.rename(self.base / "elsewhere")
        return True

    def back(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)  # whatever was written beside what is away
        (self.base / "elsewhere").rename(self.folder)


class OfPostgres(SinkHarness):
    """A table of its own on a server that is there already."""

    numbers = itertools.count()

    def __init__(self, server: Server) -> None:
        self.server = server
        self.table = f"own{next(self.numbers)}.rebuffering"
        with self.connection() as connection:
            connection.execute(f"CREATE SCHEMA {self.table.partition('.')[0]}")

    def sink(self) -> IdempotentSink:
        return Postgres(**self.sink_options())

    def sink_options(self) -> dict[str, Any]:
        return {
            "host": "127.0.0.1", "port": self.server.port, "database": "postgres", "user": "tests",
            "password": self.server.password, "table": self.table,
        }  # fmt: skip

    def rows(self) -> Iterable[Row]:
        ends = {"valid_from": "-infinity", "valid_to": "infinity"}
        with self.connection() as connection:
            row = connection.execute("SELECT to_regclass(%s)", [self.table]).fetchone()
            if row == (None,):
                return []
            columns = connection.execute(f"SELECT * FROM {self.table} LIMIT 0").description or []
            items = [
                f"nullif({column.name}, '{ends[column.name]}') AS {column.name}"
                if column.name in ends
                else column.name
                for column in columns
            ]
            cursor = connection.cursor(row_factory=dict_row)
            return list(cursor.execute(f"SELECT {', '.join(items)} FROM {self.table}"))

    def connection(self) -> psycopg.Connection[Any]:
        return psycopg.connect(self.server.url.replace("postgres://", "postgresql://"))

    def away(self) -> bool:
        self.server.kill()
        return True

    def back(self) -> None:
        self.server.start()


class OfWebhook(SinkHarness):
    """A server that checks the signature of each request, and keeps each id once."""

    secret = "a secret of the tests"

    def __init__(self) -> None:
        self.receiver = Receiver(self.secret)
        self.url = self.receiver.url

    def sink(self) -> IdempotentSink:
        return Webhook(url=self.url, secret=self.secret, most=3)

    def rows(self) -> Iterable[Row]:
        for message in self.receiver.taken.values():
            for row in message["rows"]:
                yield row | {name: parse_moment(row[name]) for name in ("valid_from", "valid_to", "known_at")}

    def away(self) -> bool:
        self.receiver.end()
        return True

    def back(self) -> None:
        self.receiver.begin()

    def close(self) -> None:
        self.receiver.end()


class OfKafka(SinkHarness):
    """A topic of its own on a broker that is there already."""

    numbers = itertools.count()

    def __init__(self, broker: Broker) -> None:
        self.broker, self.topic = broker, f"delivered{next(self.numbers)}"

    def sink(self) -> IdempotentSink:
        return KafkaTopic(servers=self.broker.servers, topic=self.topic, keyed_by="key and start")

    def rows(self) -> Iterable[Row]:
        for _, value in read_messages(self.broker, self.topic):
            row = orjson.loads(value)
            yield row | {name: parse_moment(row[name]) for name in ("valid_from", "valid_to", "known_at")}


def read_messages(broker: Broker, topic: str) -> list[tuple[bytes, bytes]]:
    """Key and value of all messages that are committed."""
    reader = Consumer(
        {
            "bootstrap.servers": broker.servers, "group.id": "reader", "isolation.level": "read_committed",
            "enable.auto.commit": False, "enable.partition.eof": True, "log_level": 0,
        }
    )  # fmt: skip
    try:
        result = reader.list_topics(timeout=10).topics.get(topic)
        parts = [TopicPartition(topic, number, 0) for number in result.partitions] if result else []
        reader.assign(parts)
        taken, ended = list[tuple[bytes, bytes]](), 0
        while ended < len(parts):
            message = reader.poll(10)
            assert message is not None, "the broker does not answer"
            error = message.error()
            if error is not None:
                assert error.code() == KafkaError._PARTITION_EOF, error
                ended += 1
            else:
                key, value = message.key(), message.value()
                assert isinstance(key, bytes)
                assert isinstance(value, bytes)
                taken.append((key, value))
        return taken
    finally:
        reader.close()


def parse_moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)
