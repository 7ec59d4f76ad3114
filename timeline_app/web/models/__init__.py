"""The database: streams, plans, nodes, the Spark queries that compute them, and the revision log.

Everything has an owner. Event times are signed 64-bit microseconds since the Unix epoch (UTC). Times of this system
(`updated_at`, `known_at`) are datetimes or, in the log, microseconds as well.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from hashlib import blake2b
from types import MappingProxyType
from typing import Any, Self

from django.conf import settings
from django.db import models

import timeline_app.web.models.arrivals  # noqa: F401  (models as well, of how streams arrive)
from timeline_app.algebra.kinds import BEGINNING, OPEN
from timeline_app.events.declaration import landing_folder
from timeline_app.web.models import alerts, channels, operations, samples  # noqa: F401  (their tables are of this application, too)
from timeline_app.web.models.fields import BytewiseChars, BytewiseText, JsonText, Pieces, make_size_field
from timeline_app.web.models.idempotency import KeptAnswer  # noqa: F401
from timeline_app.web.models.people import Owned, Shared
from timeline_app.web.models.public_links import PublicLink  # noqa: F401
from timeline_app.web.models.sinks import NodeSink, SinkKey  # noqa: F401
from timeline_app.web.models.sources import StreamSource  # noqa: F401
from timeline_app.web.models.terms import DashboardTerm, NodeTerm, PlanTerm  # noqa: F401
from timeline_app.web.models.tokens import ApiToken  # noqa: F401
from timeline_app.web.models.versions import DashboardVersion, PlanDraft, PlanVersion  # noqa: F401


class LiveStreams(models.Manager["Stream"]):
    """The streams that are not in the trash."""

    def get_queryset(self) -> models.QuerySet[Stream]:
        return super().get_queryset().filter(trashed_at=None)


class Stream(Shared):
    """An unbounded collection of events, as declared (see `timeline_app.plan.StreamDeclaration`).

    A deleted stream, or the former events of an emptied one, stays in the trash for a while as a row with
    `trashed_at`. The events of each `generation` lie in a separate landing, so nothing moves on disk.
    """

    name = BytewiseChars(max_length=100)
    generation = models.PositiveIntegerField(
        default=0,
        help_text="which landing of the name is its own; grows when it is emptied or declared again",
    )
    trashed_at = models.DateTimeField(null=True, help_text="since when it is in the trash; null: it is not")
    trashed_until = models.DateTimeField(null=True, help_text="from when on it may be removed for good")
    trashed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    emptied_from = models.ForeignKey(
        "self",
        null=True,
        on_delete=models.SET_NULL,
        related_name="emptied",
        help_text="the stream that held these events; null: the stream itself was deleted",
    )
    purging = models.BooleanField(default=False, help_text="its events are being removed for good")
    document = JsonText(
        help_text="key, time, until, unit, zone, id, fields, encoding, allowed_lateness, allowed_ahead, retention,"
        " idle_after"
    )
    events = models.BigIntegerField(default=0, help_text="events taken at the door so far")
    last_event_at = models.BigIntegerField(null=True, help_text="greatest event time taken, microseconds")
    seen_fields = JsonText(default=list, help_text="field names seen, declared or not")
    late = models.BigIntegerField(default=0, help_text="events that came behind the allowed lateness")
    too_late = models.BigIntegerField(default=0, help_text="events that came older than the retention")
    refused = models.BigIntegerField(default=0, help_text="lines refused at the door")
    held = models.BooleanField(
        default=False, help_text="its source says how far it has come, and holds back what is final"
    )
    display = JsonText(
        default=dict,
        blank=True,
        help_text="by field: colours, labels, thresholds and format of its values",
    )
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    objects = LiveStreams()
    everything = models.Manager["Stream"]()

    class Meta(Shared.Meta):
        ordering = ["name"]
        permissions = [("operate_stream", "May push events to a stream")]
        constraints = [
            *Shared.Meta.constraints,
            models.UniqueConstraint(
                fields=["name"], condition=models.Q(trashed_at=None), name="one_stream_a_name"
            ),
            models.UniqueConstraint(fields=["name", "generation"], name="one_landing_a_stream"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def folder(self) -> str:
        """Return the name of its landing."""
        return landing_folder(self.name, self.generation)


class StreamName(models.Model):
    """A name with a landing left by an emptied or deleted stream: the next stream gets another one."""

    name = BytewiseChars(max_length=100, primary_key=True)
    next_generation = models.PositiveIntegerField(default=1)

    def __str__(self) -> str:
        return self.name


class Query(models.Model):
    """A Spark streaming query: its desired state, its actual state, and how far its feed was published."""

    class Desired(models.TextChoices):
        RUNNING = "running"
        STOPPED = "stopped"

    class Observed(models.TextChoices):
        STOPPED = "stopped"
        STARTING = "starting"
        RUNNING = "running"
        RETRYING = "retrying"
        STOPPING = "stopping"
        FAILED = "failed"

    name = models.CharField(max_length=80, unique=True, help_text="also the name of the Spark query")
    program = JsonText(help_text="what it computes: timeline_app.compiler.Program as a document")
    taken_over = JsonText(
        default=dict,
        help_text="by digest of a node that came from another query, how far that one read: number by source",
    )
    stale = models.BooleanField(
        default=False, help_text="it runs an older program than this; it is to be started again"
    )
    desired = models.CharField(max_length=10, choices=Desired, default=Desired.STOPPED, db_index=True)
    observed = models.CharField(max_length=10, choices=Observed, default=Observed.STOPPED, db_index=True)
    observed_since = models.DateTimeField(null=True)
    words = models.CharField(max_length=300, default="stopped", help_text="what is going on, for people")
    error = models.TextField(default="", blank=True)
    spark_query_id = models.CharField(max_length=64, default="", blank=True)
    spark_run_id = models.CharField(max_length=64, default="", blank=True)
    restarts = models.PositiveIntegerField(
        default=0, help_text="used of the restart budget; given back when healthy"
    )
    retry_at = models.DateTimeField(null=True, blank=True)
    healthy_since = models.DateTimeField(null=True, blank=True)
    last_progress_at = models.DateTimeField(null=True, blank=True)
    claimed_until = models.DateTimeField(
        null=True, blank=True, help_text="somebody is starting it; nobody else does before that"
    )
    looked_at = models.DateTimeField(null=True, blank=True, help_text="when the supervisor last saw it")
    events_per_second = models.FloatField(default=0.0, help_text="rows read a second")
    processed_per_second = models.FloatField(default=0.0, help_text="rows a second of the time at work")
    batch_ms = models.IntegerField(default=0)
    lag = models.BigIntegerField(
        default=0, help_text="events that wait to be read; of a query that reads nodes, batches of theirs"
    )
    backlog = models.BigIntegerField(default=0, help_text="the greatest lag of the catch-up that is going on")
    backlog_since = models.DateTimeField(null=True, blank=True)
    buckets = models.PositiveSmallIntegerField(
        default=0, help_text="into how many parts its state is divided; 0 before its first start"
    )
    state_rows = models.BigIntegerField(default=0, help_text="entries (pages) in the state store")
    state_bytes = models.BigIntegerField(default=0, help_text="the state store, in memory and on disk")
    offsets = JsonText(default=dict, help_text="by batch, how far its last ones read: next numbers")
    mended = models.TextField(default="", blank=True, help_text="what of its checkpoint was mended, and when")
    position = models.BigIntegerField(
        default=-1, help_text="last batch of the feed that the revision log holds"
    )
    slice_rows = models.BigIntegerField(
        default=0,
        help_text="rows of the next batch that the revision log holds: a large one is written in slices",
    )
    slice_known_at = models.BigIntegerField(
        null=True, help_text="when that batch becomes known, microseconds; readers see it with its last slice"
    )
    server_losses = models.PositiveIntegerField(
        default=0, help_text="how often the Spark server was lost while it was at work; 0 again when healthy"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    stored: Mapping[str, object] = MappingProxyType({})
    """The database values when this object was loaded or last observed, by field; a plain attribute."""

    class Meta:
        ordering = ["name"]
        verbose_name_plural = "queries"

    def __str__(self) -> str:
        return self.name[:12]

    @classmethod
    def from_db(
        cls, db: str | None, field_names: Collection[str], values: Collection[Any], **more: Any
    ) -> Self:
        """Create the object from a row, and keep the loaded values."""
        result = super().from_db(db, field_names, values, **more)
        result.stored = dict(zip(field_names, values, strict=False))
        return result


class Node(Owned):
    """A distinct computation, shared by all who need it; its digest is its identity."""

    digest = models.CharField(max_length=64, unique=True)
    operator = models.CharField(max_length=60)
    kind = models.CharField(max_length=10)
    program = JsonText(default=dict, help_text="what it takes to compute this node alone, as a document")
    query = models.ForeignKey(
        Query, on_delete=models.PROTECT, related_name="nodes", help_text="who computes it now"
    )
    left = models.JSONField(
        null=True,
        blank=True,
        help_text="where its query stopped computing it: number by source, batches; null: it did not",
    )
    next_query = models.ForeignKey(
        Query,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="coming",
        help_text="where it moves, as soon as the present query has stopped and all it said is in the log",
    )
    horizons = JsonText(default=dict, help_text="how far each source has come, microseconds")
    final_until = models.BigIntegerField(null=True, help_text="what lies before is final, microseconds")
    newest = models.BigIntegerField(
        null=True, help_text="greatest time of an event or heartbeat that it has seen, microseconds"
    )
    as_of = models.BigIntegerField(
        null=True, help_text="when its newest feed batch was published, microseconds"
    )
    known_from = models.BigIntegerField(
        null=True, help_text="the log tells what was known at any instant since then; null: since ever"
    )
    version = models.BigIntegerField(default=-1, help_text="newest version in the revision log")
    events = models.BigIntegerField(default=0)
    late = models.BigIntegerField(default=0, help_text="events that arrived behind final_until")
    too_late = models.BigIntegerField(
        default=0, help_text="those of them that were older than the retention, and not applied"
    )
    duplicates = models.BigIntegerField(default=0)
    conflicts = models.BigIntegerField(default=0, help_text="copies with one id that differed")
    revisions = models.BigIntegerField(default=0)
    failure = models.TextField(
        default="", blank=True, help_text="why it was given up, though its query goes on; empty: it was not"
    )
    skipped_from = models.BigIntegerField(
        null=True, help_text="first batch of its feed that was not published for it; null: all were"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    kept_from = models.BigIntegerField(
        null=True,
        help_text="event time before which its query knows no values of its inputs: older results stay as they are",
    )
    results_from = models.BigIntegerField(
        null=True, help_text="event time before which results were removed, microseconds; null: none were"
    )
    unused_since = models.DateTimeField(
        null=True, help_text="since when no plan uses it, as it was last looked at; null: one does"
    )
    readers: models.ManyToManyField[Plan, models.Model] = models.ManyToManyField(
        "Plan",
        related_name="ever_used",
        help_text="the plans that use it or did: who may look at one, may look at it",
    )

    class Meta(Owned.Meta):
        ordering = ["digest"]
        indexes = [models.Index(fields=["-created_at", "-id"], name="node_by_age")]

    def __str__(self) -> str:
        return f"{self.operator} {self.digest[:12]}"


class Plan(Shared):
    """A graph of operators. The draft may have problems; the running document has none."""

    name = models.CharField(max_length=200)
    document = JsonText()
    version = models.PositiveIntegerField(default=1, help_text="of the draft: grows with every save")
    saved_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    saved_at = models.DateTimeField(null=True)
    edit = models.CharField(
        max_length=40, default="", blank=True, help_text="the page's own name of the save that made the draft"
    )
    running = models.BooleanField(default=False)
    running_document = JsonText(null=True, blank=True, help_text="the document as it was run")
    running_version = models.PositiveIntegerField(null=True, help_text="the number of the version that runs")
    placement = models.CharField(max_length=10, default="isolated")
    display = JsonText(
        default=dict,
        blank=True,
        help_text="by node: colours, labels, thresholds and format of its values in this plan",
    )
    lent = JsonText(
        default=dict,
        blank=True,
        help_text="by stream that the draft reads, its number and the fields that one who may look at it chose",
    )
    opened = JsonText(
        default=dict,
        blank=True,
        help_text="by stream that its owner might not look at when run, the number of who ran it",
    )
    ended = models.CharField(
        max_length=500,
        default="",
        blank=True,
        help_text="why the system stopped it; empty once it runs again",
    )
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    nodes = models.ManyToManyField(Node, through="PlanNode", related_name="plans")
    size = make_size_field("document", "running_document")

    class Meta(Shared.Meta):
        ordering = ["-updated_at"]
        indexes = [
            models.Index(fields=["-updated_at", "-id"], name="plan_by_change"),
            models.Index(fields=["owner", "size"], name="plan_size_owner"),
            models.Index(fields=["team", "size"], name="plan_size_team"),
        ]
        permissions = [("operate_plan", "May run and stop a plan")]

    def __str__(self) -> str:
        return self.name


class PlanNode(models.Model):
    """A running plan's use of a node, under the plan's name for it ("": only as an input of another node)."""

    plan = models.ForeignKey(Plan, on_delete=models.CASCADE, related_name="uses")
    node = models.ForeignKey(Node, on_delete=models.CASCADE, related_name="uses")
    name = BytewiseChars(max_length=200, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["plan", "node", "name"], name="plan_uses_node_once_a_name")
        ]

    def __str__(self) -> str:
        return f"{self.name or self.node_id} of plan {self.plan_id}"


class Dashboard(Shared):
    """Charts of nodes of any plans, arranged on a grid."""

    name = models.CharField(max_length=200)
    document = JsonText(help_text="charts, range and key: see timeline_app.web.dashboards.api")
    version = models.PositiveIntegerField(default=1, help_text="grows with every save")
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    size = make_size_field("document")

    class Meta(Shared.Meta):
        ordering = ["-updated_at", "-pk"]
        indexes = [
            models.Index(fields=["owner", "size"], name="dashboard_size_owner"),
            models.Index(fields=["team", "size"], name="dashboard_size_team"),
        ]

    def __str__(self) -> str:
        return self.name


class NodeKey(models.Model):
    """A key of a node's timelines, and its newest revision, so that keys are found quickly."""

    node = models.ForeignKey(
        Node,
        on_delete=models.CASCADE,
        null=True,
        related_name="keys",
        db_index=False,
        help_text="null: its node was removed, and its revisions are being removed",
    )
    key = BytewiseText()
    digest = models.BinaryField(max_length=16, help_text="of the key, which may be too long for an index")
    birth = models.BigIntegerField(help_text="event time at which the key was born")
    version = models.BigIntegerField()
    known_at = models.BigIntegerField()
    unfolded = models.IntegerField(default=0, help_text="how many of its revisions were never compacted")
    unfolded_since = models.BigIntegerField(null=True, help_text="when the oldest of them became known")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["node", "digest"], name="one_row_a_key")]
        indexes = [models.Index(fields=["node", "-version"], name="key_by_version")]

    def __str__(self) -> str:
        return self.key

    @staticmethod
    def digest_of(key: str) -> bytes:
        """Return the 16-byte digest of a key."""
        return blake2b(key.encode(), digest_size=16).digest()


class Revision(models.Model):
    """From `start` to `end`, the timeline of one key at one node now consists of these pieces.

    Within a node, `known_at` has the order of `version`, and no two versions share an instant. `folded` revisions of
    a key stand for many: they do not overlap, and are older than all others of the key.
    """

    node_key = models.ForeignKey(NodeKey, on_delete=models.CASCADE, related_name="log", db_index=False)
    version = models.BigIntegerField(help_text="of the node; grows")
    known_at = models.BigIntegerField(help_text="wall-clock microseconds at which it became known")
    birth = models.BigIntegerField(help_text="event time at which the key was born")
    start = models.BigIntegerField(default=BEGINNING, help_text="the least number: since ever")
    end = models.BigIntegerField(default=OPEN, help_text="the greatest number: open")
    pieces = Pieces(help_text="[[t, value] …] or, for numbers, [[t, value, slope] …]")
    folded = models.BooleanField(default=False)

    class Meta:
        constraints = [
            # In this order the index alone answers what was known of a span at an instant.
            models.UniqueConstraint(
                fields=["node_key", "known_at", "start", "end"], name="one_revision_a_stretch"
            )
        ]

    def __str__(self) -> str:
        return f"{self.node_key_id} version {self.version}"


class Lease(models.Model):
    """A lock that expires: the holder of `supervisor` reconciles desired and actual state."""

    name = models.CharField(max_length=40, primary_key=True)
    holder = models.CharField(max_length=100, default="")
    expires_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.name
