"""Writes docs/examples/*.json, the plans of the demos with their streams: `python docs/examples_of_demos.py`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from timeline_app.demos import load_demos

FOLDER = Path(__file__).with_name("examples")


def build_examples() -> dict[str, str]:
    """The text of each file by its name."""
    return {
        f"{name}.json": format_document(document)
        for demo in load_demos().values()
        for name, document in demo.examples().items()
    }


def format_document(document: dict[str, Any]) -> str:
    """JSON with a line for each node, stream and place."""
    return (
        "{\n"
        + ",\n".join(f" {json.dumps(key)}: {_format_part(part)}" for key, part in document.items())
        + "\n}\n"
    )


def _format_part(part: Any) -> str:
    if not isinstance(part, dict):
        return _format_line(part)
    entries = (f"  {json.dumps(name)}: {_format_line(value)}" for name, value in part.items())
    return "{\n" + ",\n".join(entries) + "\n }"


def _format_line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


if __name__ == "__main__":
    for name, text in build_examples().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
