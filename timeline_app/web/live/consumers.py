"""`/ws/live/`: one socket per page with many subscriptions. Each message is answered; none closes the socket."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import time
from collections.abc import Callable, Iterator
from typing import Any, ParamSpec, TypeVar

from channels.generic.websocket import AsyncJsonWebsocketConsumer, AsyncWebsocketConsumer
from django.conf import settings
from django.contrib.auth.models import User
from django.db import DatabaseError

from timeline_app.web.core import open_sockets
from timeline_app.web.core.channel_groups import ALERTS, STATUSES, group_of, group_of_plan, send_quietly
from timeline_app.web.core.errors import ApiError
from timeline_app.web.core.json_documents import parse_json
from timeline_app.web.live import snapshots
from timeline_app.web.live.batched_reads import get_batched_reader
from timeline_app.web.live.bell import Bell
from timeline_app.web.live.message_budget import MAX_MESSAGES_PER_S, MAX_REFUSED_MESSAGES, MessageBudget
from timeline_app.web.live.messages import BadMessage, PageMessage, parse_message
from timeline_app.web.live.presence import Presence, load_plan_states
from timeline_app.web.live.ranking import Ranked
from timeline_app.web.live.snapshots import Subscription, Watch, clear_marks
from timeline_app.web.live.socket_threads import run_for
from timeline_app.web.live.wire import (
    BellMessage,
    ErrorMessage,
    IncidentsMessage,
    PeopleMessage,
    PlanMessage,
    PongMessage,
    ServerMessage,
)
from timeline_app.web.people.passwords import must_change

log = logging.getLogger(__name__)
CLOSE_NOT_LOGGED_IN = 4401
CLOSE_OVER_LIMIT = 4429
CLOSE_INTERNAL_ERROR = 1011
P = ParamSpec("P")
R = TypeVar("R")
ROUND_S = 0.1
EARLY_S = 0.02
"""A round that began up to this much late moves the next one forward by the same time."""
REFRESH_INTERVAL_S = 2.0
MAX_SUBSCRIPTIONS = 200
MAX_MESSAGE_BYTES = 64 * 1024
ACCESS_LOST_MESSAGE = "You may not look at this node any more: no plan that uses it is shared with you."


def refuse_unknown_plan(plan: int) -> BadMessage:
    """Return an error that makes the page leave the plan: the right may have ended meanwhile."""
    return BadMessage("unknown_plan", f"There is no plan {plan} that you may look at.", plan=plan)


class NoSuchSocket(AsyncWebsocketConsumer):  # type: ignore[misc]
    """A socket at any other URL."""

    async def connect(self) -> None:
        await self.close()


class LiveConsumer(AsyncJsonWebsocketConsumer):  # type: ignore[misc]
    """Sends snapshots, then revisions; reads the database when the channel layer says so, and periodically."""

    access_check_interval_s = 30.0

    async def connect(self) -> None:
        """Accept users who are logged in."""
        self.subscriptions: dict[str, Subscription | Ranked] = {}
        self.watches: dict[int, Watch] = {}
        self.presence = Presence(self.scope["user"].get_username(), self.send_to_group)
        self.bell = Bell()
        self.reserved: Subscription | Ranked | Watch | None = None
        """What the current message asks for; it counts while the database is queried."""
        self.has_news = asyncio.Event()
        self.user: User = self.scope["user"]
        self.caller: open_sockets.Caller = self.user.pk
        self.budget = MessageBudget()
        self.doubtful = self.is_closed = False
        self.pump: asyncio.Task[None] | None = None
        if not await self.admit():
            return
        limit = settings.QUOTAS["sockets"]
        if open_sockets.count_of(self.caller) >= limit:
            words = f"You have {limit} pages open here, and no more are possible. Close some of them."
            await self.refuse(None, "too_many_sockets", words)
            await self.close(code=CLOSE_OVER_LIMIT)
            return
        open_sockets.count_opened(self)
        await send_quietly(self.channel_layer.group_add(STATUSES, self.channel_name))
        self.pump = asyncio.create_task(self.keep_sending())

    async def admit(self) -> bool:
        """Accept the socket; close it again, and return False, for people who are not logged in."""
        # Only an accepted socket can tell the page its close code.
        await self.accept()
        if self.scope["user"].is_authenticated and not must_change(self.scope.get("session")):
            return True
        await self.close(code=CLOSE_NOT_LOGGED_IN)
        return False

    async def read(self, function: Callable[P, R], *args: P.args, **options: P.kwargs) -> R:
        """Query the database for this person, whose queries wait only for each other."""
        return await run_for(self.caller, function, *args, **options)

    async def disconnect(self, _code: int) -> None:
        open_sockets.count_closed(self)
        if self.pump is None:
            return
        self.pump.cancel()
        await asyncio.wait([self.pump])  # whatever ended it, the page leaves its plans and groups
        groups = self.list_groups()
        for plan in list(self.presence.plans):
            await self.presence.leave(plan)
        for group in {STATUSES, *groups}:
            await send_quietly(self.channel_layer.group_discard(group, self.channel_name))

    async def receive(
        self,
        text_data: str | None = None,
        bytes_data: bytes | None = None,  # noqa: ARG002
        **_rest: Any,
    ) -> None:
        """Answer one message of the page; ignore clients that are not logged in."""
        if self.pump is None:
            return
        request: PageMessage | None = None
        if not self.budget.take():
            await self.refuse_message()
            return
        try:
            if text_data is None or len(text_data) > MAX_MESSAGE_BYTES:
                raise BadMessage(
                    "bad_message", f"Send a text frame of at most {MAX_MESSAGE_BYTES // 1024} KiB."
                )
            request = parse_message(parse_json(text_data.encode("utf-8", "surrogatepass")))
            await self.answer(request)
        except BadMessage as bad:
            await self.refuse(bad.id, bad.code, str(bad), bad.plan)
        except ApiError as refused:
            await self.refuse(request.id if request else None, refused.code, refused.message)
        except DatabaseError:
            log.exception("could not answer a live page")
            await self.refuse(
                request.id if request else None, "unavailable", "The database is away. Try again."
            )

    async def refuse_message(self) -> None:
        """Refuse a message over the rate limit; close the socket of a page that does not slow down."""
        words = (
            f"A socket takes {MAX_MESSAGES_PER_S:.0f} messages a second. Wait a second, and subscribe again."
        )
        await self.refuse(None, "too_many_messages", words)
        if self.budget.refused >= MAX_REFUSED_MESSAGES:
            await self.close(code=CLOSE_OVER_LIMIT)

    async def answer(self, request: PageMessage) -> None:
        if request.type == "ping":
            await self.send_json(PongMessage(type="pong"))
        elif request.type == "bell":
            self.bell.begin()
            await send_quietly(self.channel_layer.group_add(ALERTS, self.channel_name))
            self.has_news.set()
        elif request.type in ("subscribe", "rank"):
            await self.subscribe(request)
        elif request.type == "unsubscribe":
            await self.unsubscribe(request.id)
        elif request.type == "watch":
            await self.watch(request.plan)
        elif request.type == "attend":
            await self.attend(request)
        elif request.type == "leave":
            await self.presence.leave(request.plan)
            await send_quietly(
                self.channel_layer.group_discard(group_of_plan(request.plan), self.channel_name)
            )
        else:
            self.watches.pop(request.plan, None)

    async def subscribe(self, request: PageMessage) -> None:
        """Send a snapshot now, and revisions from then on; a used id starts again."""
        await self.unsubscribe(request.id)
        self.refuse_too_many()
        subscription = snapshots.parse_subscription(request)
        if isinstance(subscription, Ranked):
            self.refuse_more_rankings(subscription)
        with self.reserving(subscription):
            await self.send_json(await self.read(snapshots.build_snapshot, subscription, self.user))
            self.subscriptions[request.id] = subscription
        await send_quietly(self.channel_layer.group_add(group_of(request.node), self.channel_name))
        self.has_news.set()

    async def unsubscribe(self, name: str) -> None:
        """End the subscription with this id."""
        subscription = self.subscriptions.pop(name, None)
        if subscription is not None and group_of(subscription.node) not in self.list_groups():
            await send_quietly(
                self.channel_layer.group_discard(group_of(subscription.node), self.channel_name)
            )

    async def watch(self, plan: int) -> None:
        """Send the status of a plan's nodes, now and whenever it changes."""
        if plan not in self.watches:
            self.refuse_too_many()
        watch = Watch(plan)
        with self.reserving(watch):
            if not await self.read(snapshots.is_plan_readable, plan, self.user):
                raise refuse_unknown_plan(plan)
            self.watches[plan] = watch
        self.has_news.set()

    async def attend(self, request: PageMessage) -> None:
        """Send who else is on a plan and when it is saved, run or stopped, now and on each change."""
        if request.plan not in self.presence.plans:
            self.refuse_too_many()
            with self.reserving(Watch(request.plan)):
                if not await self.read(snapshots.is_plan_readable, request.plan, self.user):
                    raise refuse_unknown_plan(request.plan)
                await send_quietly(
                    self.channel_layer.group_add(group_of_plan(request.plan), self.channel_name)
                )
                await self.presence.attend(request.plan, list(request.selected))
        else:
            await self.presence.attend(request.plan, list(request.selected))
        self.has_news.set()

    async def send_to_group(self, group: str, message: dict[str, Any]) -> None:
        await send_quietly(self.channel_layer.group_send(group, message))

    async def person_here(self, event: dict[str, Any]) -> None:
        """Handle that somebody is on a plan, perhaps with another selection."""
        self.presence.receive(event)
        self.has_news.set()

    person_gone = person_here

    async def plan_changed(self, event: dict[str, Any]) -> None:
        """Handle that a plan was saved, run, stopped or deleted."""
        self.presence.mark(event["plan"])
        self.has_news.set()

    @contextlib.contextmanager
    def reserving(self, item: Subscription | Ranked | Watch) -> Iterator[None]:
        """Count a subscription before it exists: another page may ask for the last one during the query."""
        self.reserved = item
        try:
            yield
        finally:
            self.reserved = None

    def refuse_too_many(self) -> None:
        """Refuse more subscriptions than a page can show."""
        if len(self.subscriptions) + len(self.watches) + len(self.presence.plans) >= MAX_SUBSCRIPTIONS:
            raise ApiError(
                f"A socket has at most {MAX_SUBSCRIPTIONS} subscriptions. Unsubscribe some.", code="too_many"
            )
        limit = settings.QUOTAS["subscriptions"]
        if open_sockets.count_subscriptions_of(self.caller) >= limit:
            words = f"All your pages together have at most {limit:,} subscriptions. Close some pages."
            raise ApiError(words, code="too_many")

    def refuse_more_rankings(self, ranked: Ranked) -> None:
        """Limit rankings: each node and each instant has its own, of up to 20,000 keys."""
        limit, open_rankings = settings.QUOTAS["rankings"], open_sockets.collect_rankings(self.caller)
        if (ranked.node, ranked.at) not in open_rankings and len(open_rankings) >= limit:
            words = f"All your pages together have at most {limit} rankings of different nodes or instants."
            raise ApiError(f"{words} Close some pages.", code="too_many_rankings")

    async def refuse(self, name: str | None, code: str, message: str, plan: int | None = None) -> None:
        """Send an error; the page leaves the `plan` that it names."""
        error: ErrorMessage = {"type": "error", "id": name, "code": code, "message": message}
        if plan is not None:
            error["plan"] = plan
        await self.send_json(error)

    async def node_advanced(self, event: dict[str, Any]) -> None:
        """Handle that the publisher committed a batch of this node."""
        for subscription in self.subscriptions.values():
            subscription.dirty |= subscription.node == event.get("digest")
        self.has_news.set()

    async def alerts_changed(self, event: dict[str, Any]) -> None:
        """Handle that incidents of some alerts changed."""
        self.bell.receive(event.get("alerts", ()))
        self.has_news.set()

    async def status_changed(self, _event: dict[str, Any]) -> None:
        """Handle that the supervisor saw or did something."""
        for watch in self.watches.values():
            watch.dirty = True
        self.has_news.set()

    async def close(self, code: int | bool | None = None, reason: str | None = None) -> None:
        """Close the socket; nothing is sent behind that."""
        self.is_closed = True
        await super().close(code, reason)

    async def send_json(self, content: ServerMessage, close: bool = False) -> None:
        """Send a message, unless the page has disconnected; `disconnect` follows."""
        with contextlib.suppress(OSError):
            await super().send_json(content, close)

    async def keep_sending(self) -> None:
        """Send news at most ten times a second, and read everything at least every two seconds."""
        refreshed = looked_after = due = time.monotonic()
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(REFRESH_INTERVAL_S):
                    await self.has_news.wait()
            self.has_news.clear()
            now = time.monotonic()
            if now - refreshed >= REFRESH_INTERVAL_S - ROUND_S:
                refreshed = now
                self.mark_all()
            try:
                if self.doubtful or now - looked_after >= self.access_check_interval_s:
                    looked_after, self.doubtful = now, False
                    await self.check_access()
                    if self.is_closed:
                        return
                await self.flush()
            except DatabaseError:
                log.exception("could not read what is new for a live page; trying again")
                self.doubtful = True
                self.mark_all()
            except Exception:
                log.exception("could not send what is new to a live page; it connects again")
                await self.close(code=CLOSE_INTERNAL_ERROR)
                return
            seconds_taken = time.monotonic() - now
            # Wait for the rest of the round; a slow socket leaves time to others.
            due = max(due, now - EARLY_S) + ROUND_S
            await asyncio.sleep(max(due - now - seconds_taken, seconds_taken / 2))

    def mark_all(self) -> None:
        """Mark everything to be read in the next round."""
        for subscription in self.subscriptions.values():
            subscription.dirty = True
        for watch in self.watches.values():
            watch.dirty = True
        self.presence.mark()

    async def flush(self) -> None:
        """Read and send news for everything that is marked."""
        subscriptions = clear_marks(list(self.subscriptions.values()))
        watches = clear_marks(list(self.watches.values()))
        if subscriptions:
            for subscription, message in await get_batched_reader().read_news(subscriptions):
                if self.subscriptions.get(subscription.id) is subscription:
                    await self.send_json(message)
            if any(item.dirty for item in self.subscriptions.values()):
                self.has_news.set()  # a ranking of many keys goes on at the next round
        if watches:
            for watch, statuses in await self.read(snapshots.collect_changed_statuses, watches):
                if self.watches.get(watch.plan) is watch:
                    await self.send_json(statuses)
        for news in (*await self.collect_bell_news(), *await self.collect_presence_news()):
            await self.send_json(news)

    async def collect_bell_news(self) -> list[BellMessage | IncidentsMessage]:
        """Return news of incidents, if the page has asked for them."""
        if not self.bell.dirty:
            return []
        return list(self.bell.collect_news(*await self.read(self.bell.read, self.user)))

    async def collect_presence_news(self) -> list[PlanMessage | PeopleMessage]:
        """Return news of the attended plans."""
        if not self.presence.plans:
            return []
        await self.presence.send_heartbeats()
        plans = self.presence.take_marked()
        return list(self.presence.take_changes(await self.read(load_plan_states, plans) if plans else {}))

    async def check_access(self) -> None:
        """Close after a logout, end hidden subscriptions, and rejoin groups that Redis may have lost."""
        user = await self.read(
            snapshots.check_login, self.user, self.scope.get("session"), self.scope.get("token")
        )
        if user is None:
            await self.close(code=CLOSE_NOT_LOGGED_IN)
            return
        self.user = user
        await self.end_hidden()
        self.bell.mark()
        await self.rejoin_groups()

    async def rejoin_groups(self) -> None:
        """Join all groups again: Redis may have lost them."""
        for group in {STATUSES, *self.list_groups()}:
            await send_quietly(self.channel_layer.group_add(group, self.channel_name))

    async def end_hidden(self) -> None:
        """End subscriptions that the user may no longer read, and say so."""
        nodes = {subscription.node for subscription in self.subscriptions.values()}
        plans = self.watches.keys() | self.presence.plans.keys()
        hidden, hidden_plans = await self.read(snapshots.find_hidden, self.user, nodes, plans)
        for name in [
            name for name, subscription in self.subscriptions.items() if subscription.node in hidden
        ]:
            await self.unsubscribe(name)
            await self.refuse(name, "unknown_node", ACCESS_LOST_MESSAGE)
        for plan in hidden_plans:
            self.watches.pop(plan, None)
            await self.presence.leave(plan)
            await send_quietly(self.channel_layer.group_discard(group_of_plan(plan), self.channel_name))
            await self.refuse(None, "unknown_plan", f"You may not look at plan {plan} any more.", plan)

    async def access_changed(self, _event: dict[str, Any]) -> None:
        """Handle that somebody got or lost a right, perhaps this user."""
        self.doubtful = True
        self.has_news.set()

    def list_groups(self) -> set[str]:
        """Return the groups of the subscribed nodes and the attended plans."""
        nodes = {group_of(subscription.node) for subscription in self.subscriptions.values()}
        return nodes | self.presence.list_groups() | self.bell.list_groups()

    @classmethod
    async def encode_json(cls, content: Any) -> str:
        """Return compact JSON."""
        return json.dumps(content, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
