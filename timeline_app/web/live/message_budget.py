"""A rate limit for the messages of a socket: a token bucket."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

MAX_MESSAGES_PER_S = 50.0
MAX_MESSAGE_BURST = 500.0
"""A page that reconnects subscribes to all that it shows at once."""
MAX_REFUSED_MESSAGES = 500
"""A socket with this many more refused than accepted messages is closed."""


@dataclass(slots=True)
class MessageBudget:
    """The state of the bucket."""

    tokens: float = MAX_MESSAGE_BURST
    refused: int = 0
    _at: float = field(default_factory=time.monotonic)

    def take(self) -> bool:
        """Return whether one more message is within the budget."""
        now = time.monotonic()
        self.tokens = min(MAX_MESSAGE_BURST, self.tokens + (now - self._at) * MAX_MESSAGES_PER_S)
        self._at = now
        if self.tokens < 1:
            self.refused += 1
            return False
        self.tokens -= 1
        self.refused = max(0, self.refused - 1)  # not 0: even a flood gets some messages accepted
        return True
