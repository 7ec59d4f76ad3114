"""`make bench-alerts`: measure the pages of alerts and the publisher's pace with many keys, on SQLite and PostgreSQL.

`python -m benchmarks.alerts [KEYS [FIRING]]`; the defaults are 100,000 keys of which 1,000 fire.
"""

from __future__ import annotations

import json
import sys

from benchmarks.log import measure_databases


def main(keys: str = "100000", firing: str = "1000") -> None:
    figures = dict(measure_databases("alert_load", keys, firing))
    print(json.dumps({"keys": int(keys), "firing": int(firing), **figures}))


if __name__ == "__main__":
    main(*sys.argv[1:])
