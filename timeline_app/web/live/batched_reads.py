"""Reads what is new for all sockets of a process together: the database is asked once for many pages."""

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


class Newsroom:
    """One reading at a time; whoever asks meanwhile is read together with all others that wait, at the next."""

    def __init__(self) -> None:
        """Nobody asks yet."""
        self._waiting: list[tuple[Asked, asyncio.Future[News]]] = []
        self._reader: asyncio.Task[None] | None = None

    async def news(self, asked: Asked) -> News:
        """For each of these subscriptions that has any, its next message; raises what the database raises."""
        answer: asyncio.Future[News] = asyncio.get_running_loop().create_future()
        self._waiting.append((asked, answer))
        if self._reader is None or self._reader.done():
            self._reader = asyncio.create_task(self._read())
        return await answer

    async def _read(self) -> None:
        """Read for all who wait, until nobody does."""
        while self._waiting:
            waiting, self._waiting = self._waiting, []
            together = [item for asked, _ in waiting for item in asked]
            try:
                result = dict(await run_for_all(snapshots.build_next_messages, together))
            except Exception as why:
                for _, answer in waiting:
                    if not answer.done():
                        answer.set_exception(why)
                continue
            for asked, answer in waiting:
                if not answer.done():
                    answer.set_result([(item, result[item]) for item in asked if item in result])


_rooms: WeakKeyDictionary[asyncio.AbstractEventLoop, Newsroom] = WeakKeyDictionary()


def get_batched_reader() -> Newsroom:
    """The one of this process."""
    return _rooms.setdefault(asyncio.get_running_loop(), Newsroom())
