"""Reports what keeps the product from starting in one sentence, without a traceback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.core.exceptions import ImproperlyConfigured

from timeline_app.operators.imported import Unusable

REFUSAL = "Cannot start. "


@contextmanager
def exit_with_sentence() -> Iterator[None]:
    """End the process with the sentence alone; raise other errors unchanged."""
    try:
        yield
    except ImproperlyConfigured as error:
        if not str(error).startswith(REFUSAL):
            raise
        raise SystemExit(str(error)) from None
    except Unusable as error:
        raise SystemExit(f"{REFUSAL}{error}.") from None
