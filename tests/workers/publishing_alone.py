"""`python -m tests.workers.publishing_alone make|publish DATA`: an installation of its own, for tests that kill.

`make` fills it with a feed of one huge batch and a feed of small ones; `publish` runs the publisher with little more
memory than it has when it starts.
"""

from __future__ import annotations

import os
import resource
import sys
from pathlib import Path

MEMORY = 800 * 2**20
"""So many bytes of addresses more than at its start the publisher may take, of which each thread takes 70 MiB."""
POINTS, BATCHES = 2_000_000, 40


def make(data: Path) -> None:
    """Two feeds: of one key with so many points in one batch, and of so many small batches."""
    from workers.engine import publisher  # noqa: I001  (sets Django up)
    from django.contrib.auth.models import User
    from django.core.management import call_command

    from tests.workers.conftest import compile_programs, build_state
    from tests.workers.test_publisher import build_number_rows, build_mark, put
    from timeline_app.web.models import Node, Query

    assert publisher.__doc__
    call_command("migrate", verbosity=0)
    owner = User.objects.create_user("owner")
    climbing = {
        "b": {"op": "equal_to", "inputs": {"of": "a"}, "params": {"value": "1"}},
        "c": {"op": "duration_where", "inputs": {"of": "b"}},
    }
    for name in ("huge", "small"):
        program = compile_programs({"a": build_state(name), **climbing})["c"]
        document = program.to_document()
        query = Query.objects.create(name=program.digest, program=document, desired="running")
        facts = {"kind": "number", "owner": owner, "query": query, "program": document}
        Node.objects.create(digest=program.digest, operator=name, **facts)
        if name == "huge":
            pieces = ((index, float(index % 7), 0.0) for index in range(POINTS))
            put(data, program.digest, 0, build_number_rows("k", *pieces), build_mark("s", POINTS, events=2))
        else:
            for batch in range(BATCHES):
                put(
                    data,
                    program.digest,
                    batch,
                    build_number_rows("k", (batch, 1.0 + batch, 0.0)),
                    build_mark("s", batch, events=1),
                )


def publish() -> None:
    """The publisher, with little memory."""
    from workers.engine import publisher

    pages = int(Path("/proc/self/statm").read_text().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + MEMORY,) * 2)
    publisher.main()


if __name__ == "__main__":
    os.environ["TIMELINE_DATA"] = sys.argv[2]
    make(Path(sys.argv[2])) if sys.argv[1] == "make" else publish()
