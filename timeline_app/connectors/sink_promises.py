"""The promises of a sink. A broken one is reported with its place and how to keep it."""

from __future__ import annotations

PROMISES = {
    "declaration": "its class declares its title, its guarantee and its options",
    "whole": "every row of a published batch arrives unchanged",
    "hidden": "no reader sees staged rows before they are published",
    "once": "a batch that any process publishes again arrives once (or, at least once, with the same number)",
    "abort": "aborted rows never arrive, and published rows stay",
    "swept": "nothing remains of rows that dead processes staged",
    "last": "it returns the last published batch, or says that it cannot",
    "own": "rows of another delivery are not touched",
    "trouble": "an unavailable target raises TargetUnavailable, and once it is back everything arrives",
}


class BrokenSinkPromise(RuntimeError):
    """A promise that a sink does not keep."""

    def __init__(self, promise: str, words: str) -> None:
        """`words` say where and how it breaks, and what would keep it."""
        super().__init__(f"broken promise {promise!r} ({PROMISES[promise]}): {words}")
        self.promise, self.words = promise, words
