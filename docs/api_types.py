"""Write `frontend/src/core/api/schema.ts`, the types of the REST API; with `--check` only say whether it is stale."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "timeline_app.settings")

import django  # noqa: E402
from django.core.management import call_command  # noqa: E402

import bootstrap  # noqa: E402

FRONTEND = ROOT / "frontend"
TYPES = FRONTEND / "src" / "core" / "api" / "schema.ts"


def wire_types(file: Path) -> None:
    """Leave the wire types of the API in a file, without its calls."""
    django.setup()
    call_command("spectacular", "--fail-on-warn", "--format", "openapi-json", "--file", str(file))
    described = json.loads(file.read_text())
    kept = {"schemas": described["components"]["schemas"]}
    file.write_text(json.dumps(described | {"paths": {}, "components": kept}))


def typed(description: Path) -> str:
    """The same as TypeScript."""
    _, environment = bootstrap.npm_command()
    command = ["node_modules/.bin/openapi-typescript", str(description), "--alphabetize"]
    return subprocess.run(
        command, cwd=FRONTEND, env=environment, check=True, stdout=subprocess.PIPE, text=True
    ).stdout


def main() -> int:
    """Write it, or compare."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "openapi.json"
        wire_types(file)
        wanted = typed(file)
    if "--check" not in sys.argv:
        TYPES.write_text(wanted)
        return 0
    if TYPES.exists() and TYPES.read_text() == wanted:
        return 0
    print("frontend/src/core/api/schema.ts is stale: `make types` writes it anew.", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
