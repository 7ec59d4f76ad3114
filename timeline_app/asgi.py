"""The ASGI application of the web process: pages and REST over HTTP, `/ws/live/` and `/ws/public/` over WebSocket."""

from __future__ import annotations

import os

from channels.routing import ProtocolTypeRouter, URLRouter
from django.conf import settings
from django.core.asgi import get_asgi_application
from django.urls import path

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "timeline_app.settings")
django = get_asgi_application()

from timeline_app.web.core.asgi_limits import limit_bodies  # noqa: E402
from timeline_app.web.core.disconnects import Disconnects  # noqa: E402  (models may be imported only now)
from timeline_app.web.core.log_context import get_request_username  # noqa: E402
from timeline_app.web.dashboards.public_sockets import PublicConsumer  # noqa: E402
from timeline_app.web.live.routing import sockets  # noqa: E402
from timeline_app.web.live.socket_login import Login  # noqa: E402
from timeline_app.web.ops.lifespan import serve_lifespan  # noqa: E402
from timeline_app.web.ops.observation import IdentifiedSockets, Observed  # noqa: E402

application = Observed(
    ProtocolTypeRouter(
        {
            "lifespan": serve_lifespan,
            "http": Disconnects(limit_bodies(django, settings.MAX_IN_FLIGHT_BYTES, get_request_username)),
            "websocket": Login(
                IdentifiedSockets(URLRouter([path("ws/public/", PublicConsumer.as_asgi()), *sockets]))
            ),
        }
    )
)
