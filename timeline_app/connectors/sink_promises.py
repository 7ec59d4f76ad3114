"""What a sink promises. Whoever finds a promise broken says which, where, and what would keep it."""

from __future__ import annotations

PROMISES = {
    "declaration": "its class says what it is called, how often a row arrives, and what its options are",
    "whole": "every row of a batch that was published arrives, as it was given",
    "hidden": "what is staged is seen by nobody before it is published",
    "once": "a batch that is published again, by whomever, arrives once (or, at least once, under the same number)",
    "abort": "what was aborted never arrives, and what was published stays",
    "swept": "nothing is left of what dead processes staged",
    "last": "it tells the last batch that was published, or that it cannot",
    "own": "what another delivery has is not written to, or not disturbed",
    "trouble": "a target that is away is said as TargetUnavailable, and once it is back everything arrives",
}


class BrokenSinkPromise(RuntimeError):
    """A promise that a sink does not keep."""

    def __init__(self, promise: str, words: str) -> None:
        """`words` say where and how, and what would keep it."""
        super().__init__(f"broken promise {promise!r} ({PROMISES[promise]}): {words}")
        self.promise, self.words = promise, words
