"""Requests that arrive together land together: one file, one wait for the disk."""

from __future__ import annotations

import threading

from timeline_app.landing.log import Landing
from timeline_app.landing.requests import Request

MOST = 32
"""So many requests land as one batch at most."""


class GroupCommit:
    """The way into a landing for the threads of a process."""

    def __init__(self, landing: Landing) -> None:
        """Nothing waits yet."""
        self.landing = landing
        self._waiting: list[Request] = []
        self._door, self._turn = threading.Lock(), threading.Lock()

    def land(self, request: Request) -> list[Request]:
        """Wait until it is told what became of it; raises `OSError` where nothing could be written.

        The thread whose turn it is commits what waits by then. It gets all requests that it landed, its own or others'.
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
            group, self._waiting = self._waiting[:MOST], self._waiting[MOST:]
        try:
            self.landing.commit(group)
        except Exception as why:
            for item in group:
                item.failure = why
        return [item for item in group if item.receipt and not item.repeated]
