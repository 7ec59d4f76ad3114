"""A Celery consumer that survives the loss of its broker."""

from __future__ import annotations

import logging

from celery.worker.consumer import Consumer

log = logging.getLogger(__name__)


class ReconnectingConsumer(Consumer):  # type: ignore[misc]  # celery has no types
    """Celery's consumer, which does not end its worker when messages cannot be returned."""

    def on_connection_error_after_connected(self, exc: Exception) -> None:
        """Let go of a connection that was lost; the next one is made in any case.

        The messages that were not begun yet are to go back to the broker, on a connection that Celery has taken apart
        by then (seen with 5.7.0): an AttributeError, which ends the worker. They are not lost: the worker has them, and
        so has the broker, which gives them out again after an hour.
        """
        try:
            super().on_connection_error_after_connected(exc)
        except AttributeError:
            log.warning("what was not begun could not be given back to the broker", exc_info=True)
