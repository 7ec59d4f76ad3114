"""How many messages a socket may send: a bucket of tokens that fills again with time."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

MAX_MESSAGES_PER_S = 50.0
MAX_MESSAGES_AT_ONCE = 500.0
"""A page that connects again asks for all that it shows at once."""
MAX_REFUSED_MESSAGES = 500
"""A socket with so many more refusals than messages that were taken is closed."""


@dataclass(slots=True)
class MessageBudget:
    """What is left of it."""

    tokens: float = MAX_MESSAGES_AT_ONCE
    refused: int = 0
    _at: float = field(default_factory=time.monotonic)

    def take(self) -> bool:
        """Whether one more message is within the budget."""
        now = time.monotonic()
        self.tokens = min(MAX_MESSAGES_AT_ONCE, self.tokens + (now - self._at) * MAX_MESSAGES_PER_S)
        self._at = now
        if self.tokens < 1:
            self.refused += 1
            return False
        self.tokens -= 1
        self.refused = max(0, self.refused - 1)  # not 0: the bucket gives something in between to every flood
        return True
