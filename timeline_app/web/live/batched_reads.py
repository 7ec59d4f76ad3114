"""Batched reads for all sockets of a process: one set of queries serves many pages."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from weakref import WeakKeyDictionary

from timeline_app.web.live import snapshots
from timeline_app.web.live.ranking import Ranked
from timeline_app.web.live.snapshots import Subscription
from timeline_app.web.live.socket_threads import run_for_all
from timeline_app.web.live.wire import FollowMessage

Asked = Sequence[Subscription | Ranked]
News = list[tuple[Subscription | Ranked, FollowMessage]]


class BatchedReader:
    """Reads in rounds: requests that arrive during a round are read together in the next one."""

    def __init__(self) -> None:
        self._waiting: list[tuple[Asked, asyncio.Future[News]]] = []
        self._reader: asyncio.Task[None] | None = None

    async def read_news(self, request: Asked) -> News:
        """Return the next message of each of these subscriptions that has any; raise what the database raises."""
        answer: asyncio.Future[News] = asyncio.get_running_loop().create_future()
        self._waiting.append((request, answer))
        if self._reader is None or self._reader.done():
            self._reader = asyncio.create_task(self._read())
        return await answer

    async def _read(self) -> None:
        """Read for all waiting requests, until there are none."""
        while self._waiting:
            waiting, self._waiting = self._waiting, []
            together = [item for request, _ in waiting for item in request]
            try:
                messages = dict(await run_for_all(snapshots.build_next_messages, together))
            except Exception as why:
                for _, answer in waiting:
                    if not answer.done():
                        answer.set_exception(why)
                continue
            for request, answer in waiting:
                if not answer.done():
                    answer.set_result([(item, messages[item]) for item in request if item in messages])


_readers: WeakKeyDictionary[asyncio.AbstractEventLoop, BatchedReader] = WeakKeyDictionary()


def get_batched_reader() -> BatchedReader:
    """Return the reader of this event loop."""
    return _readers.setdefault(asyncio.get_running_loop(), BatchedReader())
