"""What a source promises. Whoever finds a promise broken says which, where, and what would keep it."""

from __future__ import annotations

PROMISES = {
    "declaration": "its class says what it gives and how it is read",
    "restrictions": "what there is to read has keys of its own and positions that are JSON and in order",
    "splits": "edges of a split lie inside, in ascending order",
    "claims": "a row is given after its position was claimed; positions ascend; nothing comes after a refusal",
    "limit": "a batch ends soon after its limit",
    "schema": "rows and record batches are as the schema says",
    "whole": "every event is given, and once, however it is split, limited and cut into batches",
    "replay": "what was read is given again, the same rows, when a batch is read again",
    "acknowledgement": "nothing is acknowledged before its batch is durable, all is afterwards, twice does no harm",
    "watermark": "it never goes back, also over a restart",
    "return": "reading returns when there is nothing more for now, and ends when it is closed",
    "trouble": "after an error everything can be read again",
}


class BrokenSourcePromise(RuntimeError):
    """A promise that a source does not keep; it stays broken however often it is tried."""

    def __init__(self, promise: str, words: str) -> None:
        """`words` say where and how, and what would keep it."""
        super().__init__(f"broken promise {promise!r} ({PROMISES[promise]}): {words}")
        self.promise, self.words = promise, words
