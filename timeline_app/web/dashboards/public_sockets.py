"""`/ws/public/`: the live socket of a public link. It follows what the charts show, and nothing else."""

from __future__ import annotations

from asgiref.sync import sync_to_async
from rest_framework.exceptions import Throttled

from timeline_app.web.core.authentication import note_credential_use
from timeline_app.web.core.client_addresses import find_scope_address
from timeline_app.web.dashboards.public_api import refuse_many_calls
from timeline_app.web.dashboards.public_boards import load_public_board
from timeline_app.web.dashboards.public_links import find_link, load_valid_link
from timeline_app.web.live.consumers import CLOSE_NOT_LOGGED_IN, CLOSE_OVER_LIMIT, LiveConsumer
from timeline_app.web.live.messages import BadMessage, PageMessage
from timeline_app.web.models.public_links import PublicLink

PROTOCOL = "timelines"
"""The page offers it with the secret as a second protocol: browsers send no header, and addresses are logged."""
PUBLIC_TYPES = ("subscribe", "rank", "unsubscribe", "ping")


def authenticate_socket(address: str, text: str) -> PublicLink | None:
    """Return the link of this secret; raise `Throttled`."""
    refuse_many_calls(f"address-{address}")
    link = find_link(text)
    if link is not None:
        refuse_many_calls(f"link-{link.pk}")
        note_credential_use(link, "a public link")
    return link


class PublicConsumer(LiveConsumer):
    """Reads by the rights of the person who made the link, and is counted with the other sockets of the link."""

    access_check_interval_s = 5.0
    link: PublicLink

    async def admit(self) -> bool:
        """Accept whoever has a valid link."""
        offered = [*self.scope.get("subprotocols", ()), "", ""]
        link, code = None, CLOSE_NOT_LOGGED_IN
        try:
            link = await sync_to_async(authenticate_socket)(find_scope_address(self.scope), offered[1])
        except Throttled:
            code = CLOSE_OVER_LIMIT
        await self.accept(subprotocol=PROTOCOL if offered[0] == PROTOCOL else None)
        if link is None:
            await self.close(code=code)
            return False
        self.link, self.user, self.caller = link, link.made_by, f"link-{link.pk}"
        return True

    async def answer(self, request: PageMessage) -> None:
        """Answer what the charts ask for; refuse the rest."""
        if request.type not in PUBLIC_TYPES:
            raise BadMessage("not_public", "A public link follows only what its dashboard shows.")
        if request.type in ("subscribe", "rank"):
            link = await self.read(load_valid_link, pk=self.link.pk)
            if link is None:
                await self.close(code=CLOSE_NOT_LOGGED_IN)
                return
            self.link, self.user = link, link.made_by
            board = await self.read(load_public_board, link)
            is_shown = (
                board.shows_all(request.node)
                if request.type == "rank"
                else board.shows(request.node, request.key)
            )
            if not is_shown:
                raise BadMessage("unknown_node", "This public link does not show that.", request.id)
        await super().answer(request)

    async def check_access(self) -> None:
        """Close when the link has ended; end subscriptions of what it shows no longer."""
        link = await self.read(load_valid_link, pk=self.link.pk)
        if link is None:
            await self.close(code=CLOSE_NOT_LOGGED_IN)
            return
        self.link, self.user = link, link.made_by
        await self.end_hidden()
        board = await self.read(load_public_board, link)
        for name, item in list(self.subscriptions.items()):
            key = getattr(item, "key", None)
            if not (board.shows_all(item.node) if key is None else board.shows(item.node, key)):
                await self.unsubscribe(name)
                await self.refuse(name, "unknown_node", "This public link does not show that any more.")
        await self.rejoin_groups()
