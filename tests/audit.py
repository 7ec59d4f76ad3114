"""`python -m tests.audit`: known weaknesses of all packages; without a network it says that nothing was looked at.

Of what no list of packages knows (programs, native libraries, jars) it says so, and compares with versions that are
known to be bad where those are written down here.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import Any

import bootstrap
from tests import sbom

PIP = ("-m", "pip_audit", "--progress-spinner", "off", "--no-deps", "--disable-pip", "-f", "json", "-r")
TIMEOUT_S = 300
MENDED = {
    "valkey": ((7, 2, 11), (8, 0, 6), (8, 1, 4)),
    "libpq": ((13, 23), (14, 20), (15, 15), (16, 11), (17, 7), (18, 1)),
}
"""Of each line of versions the first one without what was known in November 2025: of Valkey CVE-2025-49844, 46817,
46818 and 46819, of libpq CVE-2025-12818. What came later has to be looked up. Both come in wheels; what Debian mends
keeps its version, so that of other parts a version tells nothing."""
LISTS = {
    "valkey": "https://github.com/valkey-io/valkey/security/advisories",
    "librdkafka": "https://github.com/confluentinc/librdkafka/releases",
    "libpq": "https://www.postgresql.org/support/security/",
    "sqlite": "https://www.sqlite.org/cves.html",
    "cpython": "https://www.python.org/downloads/",
    "node": "https://nodejs.org/en/blog/vulnerability",
    "openjdk": "https://openjdk.org/groups/vulnerability/advisories/",
}
"""Where to look them up."""


def ask(command: list[str]) -> dict[str, Any] | None:
    """What a tool found; nothing where it could not look."""
    try:
        process = subprocess.run(
            command, cwd=bootstrap.ROOT, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
        )
        result = json.loads(process.stdout)
    except (subprocess.TimeoutExpired, ValueError):
        return None
    return result if isinstance(result, dict) else None


def list_python_weaknesses(document: dict[str, Any] | None) -> list[str] | None:
    """One line for each; None where no package could be looked up."""
    packages = (document or {}).get("dependencies", [])
    looked = [package for package in packages if "vulns" in package]
    if not looked:
        return None
    return [f"{item['name']} {item['version']}: {weak['id']}" for item in looked for weak in item["vulns"]]


def list_browser_weaknesses(document: dict[str, Any] | None) -> list[str] | None:
    """One line for each; None where npm could not ask."""
    if "vulnerabilities" not in (document or {}):
        return None
    assert document is not None
    return [
        f"{name}: {vulnerability['severity']}" for name, vulnerability in document["vulnerabilities"].items()
    ]


def tell(name: str, weaknesses: list[str] | None) -> bool:
    """Say it; whether there is something to do."""
    if weaknesses is None:
        print(f"{name}: NOT looked at, the list of known weaknesses could not be reached")
        return False
    print("\n  ".join([f"{name}: {len(weaknesses)} known weaknesses", *weaknesses]))
    return bool(weaknesses)


def is_mended(version: str, mended: tuple[tuple[int, ...], ...]) -> bool:
    """Whether a version is at least the first mended one of its line, or newer than all lines that are known."""
    numbers = tuple(int(part) for part in re.findall(r"\d+", version))
    line = [first for first in mended if numbers[: len(first) - 1] == first[:-1]]
    return numbers >= (line[0] if line else max(mended))


def list_native_weaknesses(versions: dict[str, str]) -> list[str]:
    """One line for each native part that is older than the first version without what was known to be wrong."""
    return [
        f"{name} {versions[name]}: older than {' or '.join('.'.join(map(str, first)) for first in mended)}"
        for name, mended in MENDED.items()
        if not is_mended(versions[name], mended)
    ]


def tell_unseen(versions: dict[str, str]) -> None:
    """Say what no list was asked about."""
    print("NOT looked up in any list (compare by hand, or give `make sbom` to a scanner that knows them):")
    for name, version in versions.items():
        print(f"  {name} {version}: {LISTS[name]}")
    print(f"  {len(list(sbom.iterate_jars()))} jars of Spark, Hadoop and AWS")
    print("  the images of Dockerfile and compose.yaml, with the packages of Debian and Alpine in them")


def main() -> int:
    """Ask for all; 1 where a weakness is known."""
    versions = sbom.read_native_versions()
    python = ask([sys.executable, *PIP, "requirements.txt"])
    npm = ask([sys.executable, "bootstrap.py", "npm", "audit", "--omit=dev", "--json"])
    problems = [
        tell("Python packages", list_python_weaknesses(python)),
        tell("browser packages", list_browser_weaknesses(npm)),
        tell(
            "programs and native libraries, by the versions written down here",
            list_native_weaknesses(versions),
        ),
    ]
    tell_unseen(versions)
    return int(any(problems))


if __name__ == "__main__":
    sys.exit(main())
