"""A Celery consumer that survives the loss of its broker."""

from __future__ import annotations

import logging

from celery.worker.consumer import Consumer

log = logging.getLogger(__name__)


class ReconnectingConsumer(Consumer):  # type: ignore[misc]  # celery has no types
    """Celery's consumer, except that a failure to return messages does not end the worker."""

    def on_connection_error_after_connected(self, exc: Exception) -> None:
        """Drop a lost connection; Celery then opens the next one.

        Celery tries to return unstarted messages on a connection that it has already taken apart (seen with 5.7.0).
        The AttributeError would end the worker. No message is lost: the worker still holds it, and the broker
        redelivers it after an hour.
        """
        try:
            super().on_connection_error_after_connected(exc)
        except AttributeError:
            log.warning("what was not begun could not be given back to the broker", exc_info=True)
