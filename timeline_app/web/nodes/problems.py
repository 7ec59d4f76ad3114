"""Explanations of failed queries: what is wrong, and what helps, from the error or its stack trace."""

from __future__ import annotations

import re

from timeline_app.web.models import Query

_KNOWN: tuple[tuple[re.Pattern[str], str, str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), words, hint)
    for pattern, words, hint in (
        (
            r"worker (failed )?to connect back",
            "The machine was too busy to start Python in time.",
            "If that happens again and again, give it more cores, or run fewer queries at once: nodes that are placed "
            "together share one.",
        ),
        (
            r"spark server at|failed to connect|connection refused|StatusCode\.UNAVAILABLE",
            "The Spark server does not answer.",
            "See that it runs; the node goes on by itself as soon as it does.",
        ),
        (
            r"no space left|disk quota|ENOSPC",
            "The disk is full.",
            "Make room where the data lies, or keep events for a shorter time.",
        ),
        (
            r"OutOfMemory|java heap|cannot allocate memory|MemoryError|GC overhead",
            "The memory does not suffice.",
            "Give Spark more memory, or put nodes together in one query (placement: together).",
        ),
        (
            r"permission denied|AccessDenied|EACCES|read-only file system",
            "A file may not be read or written.",
            "Give the workers the right to write where the data lies.",
        ),
        (
            r"not all the events are kept",
            "Its state cannot be read, and some of the events that it was made of are gone.",
            "Restore the data from a copy, or make the node anew by changing it.",
        ),
        (
            r"ForeignState|STATE_STORE|state cannot be read|ROCKSDB",
            "Its state cannot be read.",
            "It is built anew from the retained events; nothing is to be done.",
        ),
        (
            r"\bstalled\b|hang|no progress|\bidle for\b|makes no",
            "It stands still.",
            "It is started again by itself; if it stands still again, look whether the machine has too much to do.",
        ),
    )
)
_WAIT = "It is tried again by itself; nothing is to be done unless it goes on."
_GIVEN_UP = "Mend the cause, then press Apply: the node begins again with all its tries."


def describe_failure(query: Query) -> dict[str, str]:
    """Return `trouble`, what is wrong, and `hint`, what helps; both are empty if nothing is wrong."""
    if not query.error or query.observed not in (Query.Observed.RETRYING, Query.Observed.FAILED):
        return {"trouble": "", "hint": ""}
    error_text = f"{query.error}\n{query.words}"
    explanation = next(((words, hint) for pattern, words, hint in _KNOWN if pattern.search(error_text)), None)
    if query.observed == Query.Observed.FAILED:
        words, hint = explanation or ("It failed too often.", "")
        return {"trouble": words, "hint": " ".join(filter(None, (hint, _GIVEN_UP)))}
    words, hint = explanation or ("It failed, and is tried again.", _WAIT)
    return {"trouble": words, "hint": hint}
