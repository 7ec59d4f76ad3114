"""Display options of a stream's field or a plan's node: colours, labels, thresholds, units and formats."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from timeline_app.web.core.schema import FiniteField

COLOURS = (
    "good", "bad", "warning", "running", "stopped",
    "indigo", "gold", "violet", "pink", "sky", "brown", "navy", "wine", "teal", "olive",
)  # fmt: skip
"""Named, not mixed: the page has each colour for light and dark, distinct for colour-blind people."""
FORMATS = ("number", "percent", "bytes", "duration", "currency")
MAX_NAME_CHARS = 200
MAX_VALUES_PER_DISPLAY = 200
MAX_THRESHOLDS_PER_DISPLAY = 20
MAX_DISPLAYS_PER_CALL = 200


class ValueDisplaySerializer(serializers.Serializer[Any]):
    """How one value is shown."""

    colour = serializers.ChoiceField(COLOURS, required=False)
    label = serializers.CharField(max_length=60, required=False, help_text="shown instead of the value")  # type: ignore[assignment]


class ThresholdSerializer(serializers.Serializer[Any]):
    """The colour of numbers from a value on."""

    start = FiniteField(help_text="the least number that has the colour")
    colour = serializers.ChoiceField(COLOURS)


class BoundedDict(serializers.DictField):
    """An object with at most `max_names` names, none of them long."""

    def __init__(self, max_names: int, **options: Any) -> None:
        self.max_names = max_names
        super().__init__(**options)

    def run_child_validation(self, data: Any) -> Any:
        """Check the names, then the values."""
        if len(data) > self.max_names:
            raise serializers.ValidationError(f"{len(data)} names; send at most {self.max_names}.")
        if long := next((name for name in data if len(name) > MAX_NAME_CHARS or "\0" in name), None):
            raise serializers.ValidationError(
                f"The name {long[:40]!r}… is longer than {MAX_NAME_CHARS} characters or holds a NUL: leave it out."
            )
        return super().run_child_validation(data)


class DisplaySerializer(serializers.Serializer[Any]):
    """How the values of a field or a node are shown."""

    values = BoundedDict(
        MAX_VALUES_PER_DISPLAY,
        child=ValueDisplaySerializer(),
        required=False,
        help_text="by value (`true` and `false` of bools): its colour and label",
    )
    thresholds = serializers.ListField(
        child=ThresholdSerializer(), max_length=MAX_THRESHOLDS_PER_DISPLAY, required=False
    )
    format = serializers.ChoiceField(
        FORMATS,
        required=False,
        help_text="of numbers: percent shows 0.77 as 77 %, duration takes seconds, currency has its code as the unit",
    )
    unit = serializers.CharField(max_length=20, required=False, help_text="such as °C; of a currency EUR")
    decimals = serializers.IntegerField(min_value=0, max_value=6, required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Require a code of three letters for a currency, and sort the thresholds."""
        unit = attrs.get("unit", "")
        if attrs.get("format") == "currency" and not (len(unit) == 3 and unit.isascii() and unit.isalpha()):
            raise serializers.ValidationError(
                {"unit": f"{unit!r} is no code of a currency. Send three letters, such as EUR."}
            )
        if "thresholds" in attrs:
            attrs["thresholds"] = sorted(attrs["thresholds"], key=lambda item: item["start"])
        return attrs


class DisplaysSerializer(serializers.Serializer[Any]):
    """How values are shown, by field of a stream or by node of a plan; null restores the default."""

    display = BoundedDict(MAX_DISPLAYS_PER_CALL, child=DisplaySerializer(allow_null=True))
