"""The promises of a source. A broken one is reported with its place and how to keep it."""

from __future__ import annotations

PROMISES = {
    "declaration": "its class declares its rows and its reader",
    "restrictions": "restrictions have unique keys, and positions that are JSON and ordered",
    "splits": "edges of a split lie inside, in ascending order",
    "claims": "a row follows the claim of its position; positions ascend; no row follows a refusal",
    "limit": "a batch ends soon after its limit",
    "schema": "rows and record batches match the schema",
    "whole": "every event is given exactly once, with any split, limit and batches",
    "replay": "a repeated batch gives the same rows",
    "acknowledgement": "events are acknowledged only after their batch is durable, all of them, and twice does no harm",
    "watermark": "it never goes back, also after a restart",
    "return": "reading returns when there is nothing more for now, and ends when the source is closed",
    "trouble": "after an error everything can be read again",
}


class BrokenSourcePromise(RuntimeError):
    """A promise that a source does not keep; retries do not help."""

    def __init__(self, promise: str, words: str) -> None:
        """`words` say where and how it breaks, and what would keep it."""
        super().__init__(f"broken promise {promise!r} ({PROMISES[promise]}): {words}")
        self.promise, self.words = promise, words
