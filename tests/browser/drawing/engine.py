"""What the engine would say of a node, written as it writes it; where no engine is up."""

from __future__ import annotations

from typing import Any

from tests.browser.shell import run_in_django
from workers.stack import Stack


def say(stack: Stack, digest: str, observed: str, words: str, error: str = "", **also: Any) -> None:
    """The query of a node is seen like this; a live page hears of it, as it does from the supervisor."""
    code = (
        "from django.utils import timezone\n"
        "from timeline_app.web.models import Query\n"
        "from workers.engine import status\n"
        "from workers.notify import notify_statuses\n"
        f"query = Query.objects.get(nodes__digest={digest!r})\n"
        f"also = {also!r}\n"
        "for name, value in also.items():\n"
        "    setattr(query, name, value)\n"
        "query.backlog_since = timezone.now() - timezone.timedelta(seconds=10) if query.backlog else None\n"
        f"status.observe(query, {observed!r}, {words!r}, {error!r}, tuple(also))\n"
        "# Nobody looks again: it is to stay as it was seen.\n"
        "later = timezone.now() + timezone.timedelta(hours=1)\n"
        "Query.objects.filter(pk=query.pk).update(looked_at=later)\n"
        "notify_statuses()\n"
    )
    run_in_django(stack, code)
