"""The kinds of sinks that a node may be delivered to, by name."""

from __future__ import annotations

from timeline_app.sinks.contract import IdempotentSink
from timeline_app.sinks.delta import Delta
from timeline_app.sinks.kafka import KafkaTopic
from timeline_app.sinks.parquet import Parquet
from timeline_app.sinks.postgres import Postgres
from timeline_app.sinks.webhook import Webhook

KINDS: dict[str, type[IdempotentSink]] = {
    "parquet": Parquet,
    "delta": Delta,
    "postgres": Postgres,
    "kafka": KafkaTopic,
    "webhook": Webhook,
}
