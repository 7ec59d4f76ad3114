"""The fields that random events have, and the values that everything random is made of."""

from __future__ import annotations

STATES = ("play", "buffer", "pause")
NUMBERS = (0, 1, 1.5, -2, 0.1, 0.2, 3, 1000000.25)
FIELDS = {"bitrate": "number", "live": "bool"}
KINDS = {"state": "text", "cdn": "text", **FIELDS}
