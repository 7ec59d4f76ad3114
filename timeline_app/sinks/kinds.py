"""The kinds of sinks that a node may be delivered to, by name: the product's, and one's own."""

from __future__ import annotations

from timeline_app.sinks.contract import IdempotentSink
from timeline_app.sinks.delta import Delta
from timeline_app.sinks.kafka import KafkaTopic
from timeline_app.sinks.own import own_sinks
from timeline_app.sinks.parquet import Parquet
from timeline_app.sinks.postgres import Postgres
from timeline_app.sinks.webhook import Webhook

_SHIPPED: dict[str, type[IdempotentSink]] = {
    "parquet": Parquet,
    "delta": Delta,
    "postgres": Postgres,
    "kafka": KafkaTopic,
    "webhook": Webhook,
}
KINDS = _SHIPPED | own_sinks(_SHIPPED)
