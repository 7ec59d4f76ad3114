"""Writes docs/operators.md from the declarations: `python docs/operators_page.py`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from docs.operators_examples import describe_lane, evaluate_example
from timeline_app.operators import Operator, operators

TITLES = {"stream": "From a stream", "timelines": "From timelines", "keys": "Across keys"}
PAGE = Path(__file__).with_name("operators.md")
HEAD = """# Operators

After this page you know what each operator computes, with a drawn example.

`make docs` writes this page from the declarations in `timeline_app/operators`; change those, not this page.
[Semantics](semantics.md) defines kinds, unknown, births and exact numbers.

Each operator has an example: a plan in the [text language](text.md), the events of one key (or two), and the
resulting timelines. In the pictures time runs in seconds from left to right, with the inputs above the result.
Numbers are drawn with their slopes, and unknown spans are hatched.
"""


def build_page() -> str:
    """The whole page."""
    return "\n".join(_iterate_lines()).rstrip() + "\n"


def _iterate_lines() -> Iterator[str]:
    yield HEAD
    category = ""
    for item in operators().values():
        if item.category != category:
            category = item.category
            yield f"## {TITLES[category]}\n"
        yield from _iterate_entry(item)


def _iterate_entry(item: Operator) -> Iterator[str]:
    yield f"### `{item.name}`\n"
    yield f"**{item.title}.** {item.summary}\n"
    if item.by_arrival:
        yield "*By arrival*: judged by when events arrived, not by when they happened.\n"
    if item.description:
        yield f"{item.description}\n"
    yield "| | name | takes | |"
    yield "| --- | --- | --- | --- |"
    if item.takes_stream:
        yield f"| reads | stream | events | {_format_need(item.needs_stream)} |"
    if item.reads_streams:
        yield "| reads | the streams that its parameters name | events | |"
    for port in item.ports:
        kinds = " or ".join(kind.value for kind in port.kinds) + (port.how_many and f", {port.how_many}")
        yield f"| input | `{port.name}` | {kinds}{', steady' if port.steady else ''} | {_format_need(port.required)} |"
    for parameter in item.parameters:
        choices = (
            parameter.type.shown_choices or f"{parameter.type.name}, such as `{parameter.type.placeholder}`"
        )
        need = (
            f"default `{parameter.type.spell(parameter.default)}`"
            if parameter.default is not None
            else _format_need(parameter.required)
        )
        yield f"| parameter | `{parameter.name}` | {choices} | {need} |"
    read = "the field" if item.needs_stream else "`of`"
    kept = f"; with {', '.join(item.keeps_kind)} the kind of {read}" if item.keeps_kind else ""
    yield f"| gives | | {item.output.value if item.output else 'the kind of what it reads'}{kept} | |\n"
    if item.one_of:
        yield f"Give exactly one of {', '.join(f'`{name}`' for name in item.one_of)}.\n"
    yield from _iterate_example(item)


def _iterate_example(item: Operator) -> Iterator[str]:
    result = evaluate_example(item).lanes[-1]
    yield f"```timeline\n{item.example.text()}\n```\n"
    yield f"Events: {' · '.join(f'`{text.strip()}`' for text in item.example.events.split(';'))}\n"
    yield f"![Events, inputs and `{result.node}` on one axis of time](img/operators/{item.name}.svg)\n"
    yield f"{describe_lane(result)}.\n"


def _format_need(required: bool) -> str:
    return "" if required else "optional"


if __name__ == "__main__":
    PAGE.write_text(build_page(), encoding="utf-8")
