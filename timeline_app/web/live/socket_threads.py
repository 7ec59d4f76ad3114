"""Threads for the database queries of sockets: several at once, one at a time for each person.

People with many queries get threads in turn, so nobody waits for more than one query of another person.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ParamSpec, TypeVar
from weakref import WeakValueDictionary

from channels.db import DatabaseSyncToAsync

from timeline_app.web.core.open_sockets import Caller

P = ParamSpec("P")
R = TypeVar("R")
MAX_SOCKET_THREADS = 4
_threads = ThreadPoolExecutor(MAX_SOCKET_THREADS, thread_name_prefix="sockets")
_news = ThreadPoolExecutor(1, thread_name_prefix="news")
_turns: WeakValueDictionary[tuple[int, Caller], asyncio.Lock] = WeakValueDictionary()


async def run_for(caller: Caller, function: Callable[P, R], *args: P.args, **options: P.kwargs) -> R:
    """Run a function that reads the database for a person or a public link."""
    turn = _turns.setdefault((id(asyncio.get_running_loop()), caller), asyncio.Lock())
    async with turn:
        return await _run_in(_threads, function, *args, **options)


async def run_for_all(function: Callable[P, R], *args: P.args, **options: P.kwargs) -> R:
    """Run a function that reads for all sockets together, without waiting for queries of individuals."""
    return await _run_in(_news, function, *args, **options)


async def _run_in(pool: ThreadPoolExecutor, function: Callable[..., R], *args: Any, **options: Any) -> R:
    call = DatabaseSyncToAsync(function, thread_sensitive=False, executor=pool)
    result: R = await call(*args, **options)
    return result
