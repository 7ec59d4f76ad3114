"""Write what the page takes from the server's declarations; with `--check` only say what is stale.

`frontend/src/core/api/schema.ts` has the types of the REST API and of the WebSocket's messages,
`frontend/src/dashboards/chartTypes.ts` the chart types of dashboards.
"""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, get_args

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "timeline_app.settings")

import django  # noqa: E402
from django.core.management import call_command  # noqa: E402

import bootstrap  # noqa: E402
from timeline_app.web.dashboards import chart_types  # noqa: E402

FRONTEND = ROOT / "frontend"
TYPES = FRONTEND / "src" / "core" / "api" / "schema.ts"
CHART_TYPES = FRONTEND / "src" / "dashboards" / "chartTypes.ts"
CHARTS_HEAD = "/** Written by `make types` from timeline_app/web/dashboards/chart_types.py. */"


def write_wire_types(file: Path) -> None:
    """Leave the wire types of the API in a file, without its calls."""
    django.setup()
    call_command("spectacular", "--fail-on-warn", "--format", "openapi-json", "--file", str(file))
    described = json.loads(file.read_text())
    kept = {"schemas": described["components"]["schemas"] | build_message_types()}
    file.write_text(json.dumps(described | {"paths": {}, "components": kept}))


def build_message_types() -> dict[str, Any]:
    """The messages of the WebSocket as schemas."""
    from drf_spectacular.plumbing import resolve_type_hint  # noqa: PLC0415 (reads the settings)

    from timeline_app.web.live import wire  # noqa: PLC0415 (imports models)

    messages = get_args(wire.ServerMessage)
    return {message.__name__: resolve_type_hint(message) for message in messages}


def generate_types(description: Path) -> str:
    """The same as TypeScript."""
    _, environment = bootstrap.npm_command()
    command = ["node_modules/.bin/openapi-typescript", str(description), "--alphabetize"]
    return subprocess.run(
        command, cwd=FRONTEND, env=environment, check=True, stdout=subprocess.PIPE, text=True
    ).stdout


def format_chart_types() -> str:
    """The chart types as a constant of TypeScript."""
    answer = {name: dataclasses.asdict(value) for name, value in chart_types.CHART_TYPES.items()}
    return f"{CHARTS_HEAD}\nexport const CHART_TYPES = {json.dumps(answer, indent=2)} as const;\n"


def main() -> int:
    """Write them, or compare."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "openapi.json"
        write_wire_types(file)
        texts = {TYPES: generate_types(file), CHART_TYPES: format_chart_types()}
    stale = [path for path, text in texts.items() if not path.exists() or path.read_text() != text]
    if "--check" not in sys.argv:
        for path in stale:
            path.write_text(texts[path])
        return 0
    for path in stale:
        print(f"{path.relative_to(ROOT)} is stale: `make types` writes it anew.", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
