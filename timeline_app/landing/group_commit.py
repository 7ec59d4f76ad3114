"""Requests that arrive together land together: one file, one wait for the disk."""

from __future__ import annotations

import threading

from timeline_app.landing.log import Landing
from timeline_app.landing.requests import Request

MAX_REQUESTS_PER_BATCH = 32


class GroupCommit:
    """The entrance to a landing for the threads of a process."""

    def __init__(self, landing: Landing) -> None:
        self.landing = landing
        self._waiting: list[Request] = []
        self._door, self._turn = threading.Lock(), threading.Lock()

    def land(self, request: Request) -> list[Request]:
        """Wait until the outcome of a request is known. Raises `OSError` where nothing could be written.

        One thread at a time commits all waiting requests. Returns the requests that this thread landed, its own or
        others'.
        """
        with self._door:
            self._waiting.append(request)
        landed: list[Request] = []
        with self._turn:
            while not request.is_settled:
                landed += self._commit()
        if request.failure is not None:
            raise request.failure
        return landed

    def _commit(self) -> list[Request]:
        with self._door:
            group, self._waiting = (
                self._waiting[:MAX_REQUESTS_PER_BATCH],
                self._waiting[MAX_REQUESTS_PER_BATCH:],
            )
        try:
            self.landing.commit(group)
        except Exception as why:
            for item in group:
                item.failure = why
        return [item for item in group if item.receipt and not item.repeated]
