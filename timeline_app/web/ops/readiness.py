"""The readiness of everything that the product depends on."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any

from django.db import DatabaseError
from redis.exceptions import RedisError
from redis.exceptions import TimeoutError as RedisIsSilent

from timeline_app.web.ops import probes
from timeline_app.web.ops.bounded_probes import BoundedProbe, ProbeTimeout
from timeline_app.web.ops.probes import Degraded, NotReady

PROBE_TIMEOUT_S = 3.0
"""For each part; they are probed concurrently."""
ANSWER_TTL_S = 1.0
HINTS = {
    "database": "Look whether the database server runs and DATABASE_URL is right.",
    "migrations": "Look at the database first.",
    "redis": "Look whether Redis runs and REDIS_URL is right.",
    "spark": "Look whether the Spark Connect server runs and SPARK_REMOTE is right.",
    "supervisor": "Look at the database first.",
    "publisher": "Look at the database first.",
    "queries": "Look at the database first.",
    "disk": "Look whether the data directory is there.",
    "folders": "Look whether the data directory is there.",
}
PARTS = tuple(HINTS)
OK: dict[str, Any] = {"ready": True, "degraded": False, "word": "ok", "detail": "", "hint": ""}
PROBES = {
    name: BoundedProbe(getattr(probes, f"probe_{name}"), PROBE_TIMEOUT_S, ANSWER_TTL_S) for name in PARTS
}
log = logging.getLogger(__name__)


def check_parts(names: Iterable[str] = PARTS) -> dict[str, dict[str, Any]]:
    """Return for each part whether it is ready or degraded, a word, details, and a hint."""
    chosen = list(names)
    for name in chosen:
        PROBES[name].begin()
    return {name: _answer_probe(name) for name in chosen}


def _answer_probe(name: str) -> dict[str, Any]:
    try:
        return OK | {"detail": PROBES[name].answer()}
    except Degraded as why:
        return OK | {"degraded": True, "word": why.word, "detail": why.detail, "hint": why.hint}
    except NotReady as why:
        word, detail, hint = why.word, why.detail, why.hint
    except ProbeTimeout:
        word, detail, hint = "does not answer", f"no answer within {PROBE_TIMEOUT_S:g} s", HINTS[name]
    except (TimeoutError, RedisIsSilent) as why:
        word, detail, hint = "does not answer", f"{type(why).__name__}: {why}", HINTS[name]
    except Exception as why:
        word = "away" if isinstance(why, OSError | DatabaseError | RedisError) else "failing"
        detail, hint = f"{type(why).__name__}: {why}", HINTS[name]
    log.warning("%s is not ready: %s", name, detail)
    return {"ready": False, "degraded": True, "word": word, "detail": detail, "hint": hint}


def redact_parts(parts: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return what anybody may know: no addresses, and no error messages."""
    return {
        name: {document: part[document] for document in ("ready", "degraded", "word")}
        for name, part in parts.items()
    }


def clear_answers() -> None:
    """Discard the last answers."""
    for probe in PROBES.values():
        probe.clear()
