"""What keeps the product from starting is said in its own sentence, not as where in the code that was found."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.core.exceptions import ImproperlyConfigured

from timeline_app.operators.imported import Unusable

REFUSAL = "Cannot start. "


@contextmanager
def exit_with_sentence() -> Iterator[None]:
    """Ends the process with the sentence alone; whatever else goes wrong is raised as it is."""
    try:
        yield
    except ImproperlyConfigured as wrong:
        if not str(wrong).startswith(REFUSAL):
            raise
        raise SystemExit(str(wrong)) from None
    except Unusable as wrong:
        raise SystemExit(f"{REFUSAL}{wrong}.") from None
