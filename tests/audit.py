"""`python -m tests.audit`: known weaknesses of all packages; without a network it says that nothing was looked at."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import bootstrap

PIP = ("-m", "pip_audit", "--progress-spinner", "off", "--no-deps", "--disable-pip", "-f", "json", "-r")
PATIENCE = 300


def ask(command: list[str]) -> dict[str, Any] | None:
    """What a tool found; nothing where it could not look."""
    try:
        done = subprocess.run(
            command, cwd=bootstrap.ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
        found = json.loads(done.stdout)
    except (subprocess.TimeoutExpired, ValueError):
        return None
    return found if isinstance(found, dict) else None


def python_weaknesses(found: dict[str, Any] | None) -> list[str] | None:
    """One line for each; None where no package could be looked up."""
    packages = (found or {}).get("dependencies", [])
    looked = [one for one in packages if "vulns" in one]
    if not looked:
        return None
    return [f"{one['name']} {one['version']}: {weak['id']}" for one in looked for weak in one["vulns"]]


def browser_weaknesses(found: dict[str, Any] | None) -> list[str] | None:
    """One line for each; None where npm could not ask."""
    if "vulnerabilities" not in (found or {}):
        return None
    assert found is not None
    return [f"{name}: {one['severity']}" for name, one in found["vulnerabilities"].items()]


def tell(what: str, weaknesses: list[str] | None) -> bool:
    """Say it; whether there is something to do."""
    if weaknesses is None:
        print(f"{what}: NOT looked at, the list of known weaknesses could not be reached")
        return False
    print("\n  ".join([f"{what}: {len(weaknesses)} known weaknesses", *weaknesses]))
    return bool(weaknesses)


def main() -> int:
    """Ask for both; 1 where a weakness is known."""
    python = ask([sys.executable, *PIP, "requirements.txt"])
    npm = ask([sys.executable, "bootstrap.py", "npm", "audit", "--omit=dev", "--json"])
    wrong = [
        tell("Python packages", python_weaknesses(python)),
        tell("browser packages", browser_weaknesses(npm)),
    ]
    return int(any(wrong))


if __name__ == "__main__":
    sys.exit(main())
