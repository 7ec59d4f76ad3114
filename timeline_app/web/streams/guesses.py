"""Guessing a declaration from a sample of events."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from timeline_app.web.core.sandboxed_work import Asker, compute
from timeline_app.web.jobs.rendered import Rendered

HINT = "Send a smaller sample: some hundred rows say as much."


def propose_declaration(body: bytes, known_parts: Mapping[str, Any], mapping: Any, asker: Asker) -> Rendered:
    """Return the proposed declaration, given the parts that are certain; computed in a child."""
    (answer,) = compute(
        "guess", {"said": known_parts, "mapping": mapping}, [body], asker=asker, hint=HINT
    ).blobs
    return Rendered(answer)
