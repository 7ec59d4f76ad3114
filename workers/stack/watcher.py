"""`python -m workers.stack.watcher -n -c FILE` is supervisord, which goes on when it cannot write its log.

By itself it says so on its standard error, which lies on the same full disk, and ends of that with all that it watches.
"""

from __future__ import annotations

from typing import Any

from supervisor import loggers, supervisord


def stay_calm(_handler: Any) -> None:
    """A line that cannot be written is lost."""


if __name__ == "__main__":
    loggers.Handler.handleError = stay_calm
    supervisord.main()
