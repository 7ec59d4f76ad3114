"""`python -m workers.stack.watcher -n -c FILE` is supervisord, which goes on when it cannot write its log.

Plain supervisord reports that on its standard error, which lies on the same full disk, and ends with all its
processes.
"""

from __future__ import annotations

from typing import Any

from supervisor import loggers, supervisord


def stay_calm(_handler: Any) -> None:
    """Drop a line that cannot be written."""


if __name__ == "__main__":
    loggers.Handler.handleError = stay_calm
    supervisord.main()
