"""The kinds of sinks that a node may be delivered to, by name: the product's, and custom ones."""

from __future__ import annotations

from timeline_app.connectors.delta.sink import Delta
from timeline_app.connectors.files.parquet_sink import Parquet
from timeline_app.connectors.kafka.sink import KafkaTopic
from timeline_app.connectors.postgres.sink import Postgres
from timeline_app.connectors.sink_contract import IdempotentSink
from timeline_app.connectors.sink_plugins import own_sinks
from timeline_app.connectors.webhook.sink import Webhook

_SHIPPED: dict[str, type[IdempotentSink]] = {
    "parquet": Parquet,
    "delta": Delta,
    "postgres": Postgres,
    "kafka": KafkaTopic,
    "webhook": Webhook,
}
KINDS = _SHIPPED | own_sinks(_SHIPPED)
