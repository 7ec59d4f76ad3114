"""Wire types of dashboards."""

from __future__ import annotations

import re
from typing import Any

from rest_framework import serializers

from timeline_app.web.core.display_forms import DisplaySerializer
from timeline_app.web.core.schema import FiniteField, KindField, SharedFields
from timeline_app.web.dashboards.chart_links import ChartLinkSerializer
from timeline_app.web.dashboards.chart_types import CHART_TYPES, describe_missing, select_options
from timeline_app.web.dashboards.services import GRID_COLUMNS, MAX_CHARTS_PER_DASHBOARD, MAX_SELECTED_KEYS
from timeline_app.web.live.messages import MAX_RANKED_ROWS, ORDERS
from timeline_app.web.models.alerts import Alert, Incident

CHARTS = tuple(CHART_TYPES)
SORTS = ("changed", "held", "name")
CHANGES = ("1m", "5m", "15m", "1h", "6h", "24h")
RANGE = re.compile(r"\A(?:[1-9][0-9]{0,3}[mhd]|today|yesterday|week)\Z")
"""The last minutes, hours or days, or days of the calendar, as in `frontend/src/core/time/range.ts`."""
MAX_ID = 2**31 - 1
MAX_GRID_ROWS = 1000
COUNTS = ("keys", "runs")
MEASURES = ("resolve", "acknowledge")
MAX_TEXT_CHARS = 20_000


class ChartSourceSerializer(serializers.Serializer[Any]):
    """The source of a chart: a node of a plan by its name, and the digest under which it last ran."""

    plan = serializers.IntegerField(min_value=1, max_value=MAX_ID)
    node = serializers.CharField(max_length=200)
    digest = serializers.CharField(max_length=64, required=False, allow_null=True)


class PinSerializer(serializers.Serializer[Any]):
    """A chart: what it shows of which node, of which key, and where it stands on the grid."""

    plan = serializers.IntegerField(min_value=0, max_value=MAX_ID, default=0, help_text="0: it has no node")
    node = serializers.CharField(max_length=200, allow_blank=True, default="")
    digest = serializers.CharField(max_length=64, required=False, allow_null=True)

    type = serializers.ChoiceField(
        CHARTS,
        help_text="; ".join(f"{name}: {one.meaning}" for name, one in CHART_TYPES.items())
        + "; options that a type does not have are not kept",
    )
    title = serializers.CharField(max_length=200, required=False, allow_blank=True, default="")
    key = serializers.CharField(
        max_length=1024,
        trim_whitespace=False,
        required=False,
        allow_null=True,
        default=None,
        help_text="a key or a group (`*`: everyone); null: the dashboard's own; charts of many keys have none",
    )
    place = serializers.ListField(
        child=serializers.IntegerField(min_value=0, max_value=MAX_GRID_ROWS),
        min_length=4,
        max_length=4,
        required=False,
        help_text=f"x, y, width, height in cells of a grid of {GRID_COLUMNS} columns",
    )
    link = ChartLinkSerializer(required=False, allow_null=True, help_text="where the chart leads")
    top = serializers.IntegerField(
        min_value=1,
        max_value=MAX_RANKED_ROWS,
        required=False,
        help_text="how many groups or keys; default 10",
    )
    order = serializers.ChoiceField(ORDERS, required=False, help_text="of a table; default most")
    unit = serializers.CharField(max_length=20, required=False, allow_blank=True, help_text="of a number")
    change = serializers.ChoiceField(
        CHANGES, required=False, allow_null=True, help_text="a number tells how it changed since so long ago"
    )
    low = FiniteField(
        required=False, allow_null=True, help_text="where a gauge begins; default: 0 or the value"
    )
    high = FiniteField(required=False, allow_null=True, help_text="where a gauge ends; default: by the value")
    repeat = serializers.BooleanField(
        required=False, help_text="one copy for each selected key or group of the dashboard, if `key` is null"
    )
    sparkline = serializers.BooleanField(required=False, help_text="of a table: each key over time as well")
    count = serializers.ChoiceField(
        COUNTS, required=False, help_text="of a funnel: each key by its furthest run (default), or each run"
    )
    text = serializers.CharField(
        max_length=MAX_TEXT_CHARS,
        required=False,
        allow_blank=True,
        trim_whitespace=False,
        help_text="Markdown; HTML in it is shown as it is written",
    )
    alert = serializers.IntegerField(
        min_value=1,
        max_value=MAX_ID,
        required=False,
        allow_null=True,
        help_text="whose incidents are shown; null: of all alerts",
    )
    severity = serializers.ChoiceField(
        Alert.Severity.choices, required=False, allow_null=True, help_text="only incidents of this severity"
    )
    incident_state = serializers.ChoiceField(
        Incident.State.choices, required=False, allow_null=True, help_text="only incidents in this state"
    )
    measure = serializers.ChoiceField(
        MEASURES, required=False, help_text="until incidents ended (default), or were acknowledged"
    )
    sort = serializers.ChoiceField(
        SORTS, required=False, help_text="of rows: by last change (default), time in the state, or name"
    )
    state = serializers.CharField(
        max_length=1024,
        trim_whitespace=False,
        required=False,
        allow_blank=True,
        help_text="whose time is shown; default: true, else the most frequent",
    )

    def validate_place(self, place: list[int]) -> list[int]:
        """Refuse a place outside the grid, and an empty one."""
        x, _, wide, high = place
        if wide < 1 or high < 1:
            raise serializers.ValidationError("A chart is at least one cell wide and high.")
        if x + wide > GRID_COLUMNS:
            raise serializers.ValidationError(f"The grid has {GRID_COLUMNS} columns.")
        return place

    def validate(self, chart: dict[str, Any]) -> dict[str, Any]:
        """Require a node or a text, as the type needs; find a place if none was given; drop options of other types."""
        link = chart.get("link")
        if link and link["to"] == "lanes" and CHART_TYPES[chart["type"]].subject == "nothing":
            raise serializers.ValidationError(
                {"link": ["A chart without a node has no lanes. Lead elsewhere."]}
            )
        if missing := describe_missing(chart):
            raise serializers.ValidationError({name: [text] for name, text in missing.items()})
        return select_options({"place": [0, 0, 6, 5], **chart})


class ChartSerializer(PinSerializer):
    """A chart of a dashboard, with its id."""

    id = serializers.CharField(max_length=40)


class MoreKeysField(serializers.ListField):
    """The keys or groups that are selected besides the first."""

    def __init__(self, *, first: str, what: str) -> None:
        super().__init__(
            child=serializers.CharField(max_length=1024, trim_whitespace=False),
            max_length=MAX_SELECTED_KEYS - 1,
            required=False,
            help_text=f"the selected {what} besides `{first}`, for charts with `repeat`",
            error_messages={"max_length": f"At most {MAX_SELECTED_KEYS} {what} can be selected."},
        )


class DashboardDocumentSerializer(serializers.Serializer[Any]):
    """The content of a dashboard."""

    charts = ChartSerializer(
        many=True,
        max_length=MAX_CHARTS_PER_DASHBOARD,  # type: ignore[call-arg]
        error_messages={"max_length": f"A dashboard has at most {MAX_CHARTS_PER_DASHBOARD} charts."},
    )
    range = serializers.RegexField(
        RANGE,
        default="5m",
        max_length=9,
        help_text="how much of the past is seen: the last minutes, hours or days (`5m`, `36h`, `30d`), `today`, "
        "`yesterday` or `week`",
        error_messages={
            "invalid": "This is no range. Write a number with m, h or d, such as 5m or 36h; or today, yesterday, week."
        },
    )
    key = serializers.CharField(
        max_length=1024,
        trim_whitespace=False,
        allow_blank=True,
        default="",
        help_text="of all charts of keys that name none",
    )
    group = serializers.CharField(
        max_length=1024,
        trim_whitespace=False,
        allow_blank=True,
        default="",
        help_text="of all charts of groups that name none",
    )
    more_keys = MoreKeysField(first="key", what="keys")
    more_groups = MoreKeysField(first="group", what="groups")

    def validate_charts(self, charts: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Require distinct ids."""
        if len({chart["id"] for chart in charts}) < len(charts):
            raise serializers.ValidationError("Two charts have the same id.")
        return charts


class NewDashboardSerializer(serializers.Serializer[Any]):
    """A dashboard to create."""

    name = serializers.CharField(max_length=200, required=False, allow_blank=True)
    document = DashboardDocumentSerializer(required=False)


class DashboardSaveSerializer(serializers.Serializer[Any]):
    """A dashboard to save, and the version that it is based on."""

    name = serializers.CharField(max_length=200, required=False, allow_blank=True)
    document = DashboardDocumentSerializer()
    version = serializers.IntegerField(min_value=1, max_value=MAX_ID)


class DashboardSummarySerializer(SharedFields):
    """A dashboard in the list."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    charts = serializers.IntegerField(help_text="how many")
    version = serializers.IntegerField()
    newest = serializers.IntegerField()
    updated_at = serializers.DateTimeField()


class DashboardSerializer(SharedFields):
    """A dashboard as saved in one version; `newest` is the number of the newest."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    document = DashboardDocumentSerializer()
    version = serializers.IntegerField()
    newest = serializers.IntegerField()
    updated_at = serializers.DateTimeField()


class DashboardVersionSerializer(serializers.Serializer[Any]):
    """One save."""

    version = serializers.IntegerField()
    name = serializers.CharField()
    saved_by = serializers.CharField(allow_null=True)
    saved_at = serializers.DateTimeField()


class WantedSerializer(serializers.Serializer[Any]):
    """The sources of charts."""

    sources = serializers.ListField(child=ChartSourceSerializer(), max_length=MAX_CHARTS_PER_DASHBOARD)


class FoundSourceSerializer(serializers.Serializer[Any]):
    """What runs of a source now, or why nothing does."""

    plan = serializers.IntegerField()
    node = serializers.CharField()
    plan_name = serializers.CharField(allow_null=True)
    state = serializers.ChoiceField(
        ("running", "stopped", "not_run", "gone", "deleted"),
        help_text="stopped: the plan does not run; not_run: drawn, but not in what runs; "
        "gone: the plan has no such node; deleted: there is no such plan",
    )
    digest = serializers.CharField(allow_null=True, help_text="what runs, else what ran last, if it is known")
    kind = KindField(allow_null=True)
    operator = serializers.CharField(allow_null=True)
    grouped = serializers.BooleanField(help_text="whether its keys are groups")
    observed = serializers.CharField(allow_null=True)
    words = serializers.CharField(allow_null=True)
    error = serializers.CharField(allow_null=True)
    stopped_at = serializers.IntegerField(
        allow_null=True, help_text="when it ceased to be computed, microseconds of the wall clock"
    )
    now = serializers.CharField(
        allow_null=True,
        help_text="how the same node is called now, where it was renamed; found by its digest, "
        "else by how its plan was drawn from save to save",
    )
    display = DisplaySerializer(
        help_text="how its values are shown: as its plan says, else as the stream does"
    )


class FoundSourcesSerializer(serializers.Serializer[Any]):
    """In the order of the request."""

    sources = FoundSourceSerializer(many=True)
