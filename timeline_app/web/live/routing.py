"""URLs of WebSockets."""

from __future__ import annotations

from django.urls import path, re_path

from timeline_app.web.live.consumers import LiveConsumer, NoSuchSocket

sockets = [path("ws/live/", LiveConsumer.as_asgi()), re_path(r"", NoSuchSocket.as_asgi())]
