"""Templates of messages: text with fields in braces, such as `{key} is too hot since {since}`."""

from __future__ import annotations

from collections.abc import Mapping
from string import Formatter

from timeline_app.web.core.errors import Invalid

FIELDS = ("alert", "key", "since", "plan", "severity", "state", "labels")
DEFAULT_TEMPLATE = "{alert}: {key} is {state} since {since}"
MAX_RENDERED_CHARS = 4_000
MAX_FIELDS = 50


def check_template(template: str) -> None:
    """Refuse unknown fields."""
    for name in _parse_field_names(template):
        if name not in FIELDS:
            hint = f"Use {', '.join(f'{{{field}}}' for field in FIELDS)}, and {{{{ for a brace."
            raise Invalid.field("template", f"There is no field {{{name[:40]}}}.", hint)


def render_template(template: str, values: Mapping[str, str]) -> str:
    """Return the text of a message."""
    return (template or DEFAULT_TEMPLATE).format_map(dict(values))[:MAX_RENDERED_CHARS]


def _parse_field_names(template: str) -> list[str]:
    hint = "Write fields as {key}, and {{ or }} for a brace."
    try:
        parsed = list(Formatter().parse(template))
    except ValueError as why:
        raise Invalid.field("template", f"It cannot be read: {why}.", hint) from None
    fields = [part for part in parsed if part[1] is not None]
    if len(fields) > MAX_FIELDS:
        raise Invalid.field(
            "template", f"It has {len(fields)} fields.", f"At most {MAX_FIELDS} are possible."
        )
    for _, name, layout, conversion in fields:
        if layout or conversion:
            message = f"{{{name}}} has a format or a conversion, which are not possible here."
            raise Invalid.field("template", message, hint)
    return [str(name) for _, name, _, _ in fields]
