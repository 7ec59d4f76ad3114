"""`make bench-alerts`: measure the pages of alerts and the publisher's pace with many keys, on SQLite and PostgreSQL.

`python -m benchmarks.alerts [KEYS [FIRING]]`; the defaults are 100,000 keys of which 1,000 fire.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path

from benchmarks.log import measure_databases
from tests.connectors.redis_server import Server


def main(keys: str = "100000", firing: str = "1000") -> None:
    with tempfile.TemporaryDirectory(prefix="timelines-bench-") as place:
        server = Server(Path(place))
        os.environ["REDIS_URL"] = server.url
        try:
            figures = dict(measure_databases("alert_load", keys, firing))
        finally:
            server.kill()
    print(json.dumps({"keys": int(keys), "firing": int(firing), **figures}))


if __name__ == "__main__":
    main(*sys.argv[1:])
