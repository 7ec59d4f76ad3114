"""The whole product on one machine: every process, started, watched, restarted and stopped together."""

from workers.stack.stack import Stack

__all__ = ["Stack"]
