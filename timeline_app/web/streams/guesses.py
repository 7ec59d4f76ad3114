"""What a sample of events says of its stream."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from timeline_app.web.core.sandboxed_work import Asker, compute
from timeline_app.web.jobs.rendered import Rendered

CURE = "Send a smaller sample: some hundred rows say as much."


def propose_declaration(body: bytes, said: Mapping[str, Any], mapping: Any, asker: Asker) -> Rendered:
    """The declaration that a sample proposes, with what is certain already; worked out in a child."""
    (answer,) = compute("guess", {"said": said, "mapping": mapping}, [body], asker=asker, cure=CURE).blobs
    return Rendered(answer)
