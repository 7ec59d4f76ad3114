"""A Python with the Django of a stack, started once: `python -m tests.browser.shell` runs one piece of code a line.

To start one for each piece takes longer than what the piece does.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from io import StringIO
from pathlib import Path

from workers.stack import Stack
from workers.stack.layout import ROOT

_OPEN: dict[Path, subprocess.Popen[str]] = {}
"""The shells that are open, by the data directory of their stack."""


@contextmanager
def open_shell(stack: Stack) -> Iterator[None]:
    """While it lasts, `run_in_django` uses one process for this stack."""
    command, environment = [sys.executable, "-m", "tests.browser.shell"], stack.layout.environment()
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        _OPEN[stack.layout.data] = process
        try:
            yield
        finally:
            del _OPEN[stack.layout.data]


def run_in_django(stack: Stack, code: str) -> str:
    """What the code prints: in the shell that is open for the stack, or in one for this code alone."""
    if (process := _OPEN.get(stack.layout.data)) is None:
        with open_shell(stack):
            return run_in_django(stack, code)
    assert process.stdin
    assert process.stdout
    process.stdin.write(json.dumps(code) + "\n")
    process.stdin.flush()
    answer = process.stdout.readline()
    assert answer, f"the shell ended with {process.wait()}"
    printed, error = json.loads(answer)
    assert not error, error
    return str(printed)


def run_code(code: str) -> tuple[str, str]:
    """What it prints, and the traceback of its error; its connections end with it, as those of a process do."""
    from django.db import connections

    printed, error = StringIO(), ""
    try:
        with redirect_stdout(printed):
            exec(compile(code, "<code of a test>", "exec"), {"__name__": "__main__"})
    except Exception:
        error = traceback.format_exc()
    connections.close_all()
    return printed.getvalue(), error


def main() -> None:
    """Run code until there is no more."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "timeline_app.settings")
    import django

    django.setup()
    for line in sys.stdin:
        print(json.dumps(run_code(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
