"""Fills the revision log as the publisher does, and wakes the pages: `python -m tests.browser.filling`.

Reads one JSON object a line: `{"digest", "revisions": [[key, birth, start, end, pieces] …], "final_until"}`, and
answers each with the node's new version. It runs in the environment of a stack that has no engine.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from types import TracebackType
from typing import Any, Self

from workers.stack import Stack
from workers.stack.layout import ROOT

Said = list[Any]
"""Key, birth, start, end (null: since ever, open) and pieces of a revision."""


class Filler:
    """The other end of it, for tests."""

    def __init__(self, stack: Stack) -> None:
        self.stack = stack

    def __enter__(self) -> Self:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.browser.filling"],
            cwd=ROOT,
            env=self.stack.layout.environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait(10)

    def say(self, digest: str, revisions: list[Said], final_until: int | None = None) -> int:
        """The node's next version, published; its number."""
        return self.all([{"digest": digest, "revisions": revisions, "final_until": final_until}])

    def all(self, nodes: list[dict[str, Any]]) -> int:
        """The next version of several nodes."""
        assert self.process.stdin
        assert self.process.stdout
        for node in nodes:
            self.process.stdin.write(json.dumps(node) + "\n")
        self.process.stdin.flush()
        return [int(self.process.stdout.readline()) for _ in nodes][-1]


def publish(digest: str, revisions: list[Said], final_until: int | None) -> int:
    """Write what the publisher would write of a batch."""
    from django.db import transaction

    from tests.web.revising import build_revisions
    from timeline_app.algebra.kinds import OPEN, Kind
    from timeline_app.web.models import Node
    from timeline_app.web.nodes.revision_log import append, compute_next_known_at
    from workers.notify import notify_nodes

    with transaction.atomic():
        node = Node.objects.select_for_update().get(digest=digest)
        version, known_at = node.version + 1, compute_next_known_at(node)
        rows: Any = [(key, birth, start, end, pieces) for key, birth, start, end, pieces in revisions]
        append(node, version, known_at, build_revisions(Kind(node.kind), rows))
        node.version, node.as_of, node.revisions = version, known_at, node.revisions + len(revisions)
        node.final_until = final_until if final_until is not None else node.final_until
        node.save(update_fields=["version", "as_of", "revisions", "final_until"])
    assert all(item[1] <= OPEN for item in revisions)
    notify_nodes({digest: version})
    return version


def main() -> None:
    """Publish until there is no more."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "timeline_app.settings")
    import django

    django.setup()
    for line in sys.stdin:
        print(publish(**json.loads(line)), flush=True)


if __name__ == "__main__":
    main()
