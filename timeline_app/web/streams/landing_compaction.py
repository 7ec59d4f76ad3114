"""Compaction of all landings: declarations and running queries determine how much of each is needed."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping

import pyarrow as pa
from django.conf import settings

from timeline_app.landing.compaction import Needed, compact_landing, compute_retention_limit
from timeline_app.landing.log import Landing
from timeline_app.plan import StreamDeclaration
from timeline_app.web.models import Query
from timeline_app.web.streams.backlog import read_positions
from timeline_app.web.streams.selectors import load_declarations

SEGMENTS_PER_RETENTION = 8
"""A segment spans such a small part of the retention because it is dropped as a whole."""
LANDING_ERRORS = (OSError, ValueError, pa.ArrowException)
log = logging.getLogger(__name__)


def compact_landings() -> None:
    """Compact the landings of all streams. A failure affects only its own stream."""
    declared = load_declarations(None)
    landings = {name: Landing(settings.LANDING, item.folder) for name, item in declared.items()}
    own_limits = compute_retention_limits(declared)
    horizons = _join_limits(own_limits, _read_together())
    for name, landing in landings.items():
        try:
            _compact_one_landing(landing, name, horizons[name], declared[name].retention)
        except LANDING_ERRORS as why:
            log.warning("the landing of %s could not be compacted: %s", name, why)


def _compact_one_landing(landing: Landing, name: str, horizon: int | None, retention: int) -> None:
    unread = min((start for _, start in read_positions(name, working=False)), default=landing.end())
    compact_landing(
        landing, Needed(horizon, unread, None if horizon is None else retention // SEGMENTS_PER_RETENTION)
    )


def compute_retention_limits(declared: Mapping[str, StreamDeclaration]) -> dict[str, int | None]:
    """Return by stream before when nobody needs its events; None: all are kept, or it is unknown."""
    return {
        name: _compute_retention_limit(Landing(settings.LANDING, item.folder), item)
        for name, item in declared.items()
    }


def _compute_retention_limit(landing: Landing, declaration: StreamDeclaration) -> int | None:
    """Return before when the stream alone needs no events; None: all are kept, or it is unknown."""
    if declaration.keeps_everything:
        return None
    try:
        return compute_retention_limit(landing.index().seen, declaration.retention)
    except LANDING_ERRORS as why:
        log.warning("how old the landing of %s is cannot be read: %s", landing.path.name, why)
        return None


def _read_together() -> list[list[str]]:
    """Return the streams that a desired query reads together: the slowest determines its progress."""
    programs = Query.objects.filter(desired=Query.Desired.RUNNING).values_list("program", flat=True)
    return [streams for program in programs if len(streams := list(program["streams"])) > 1]


def _join_limits(own_limits: Mapping[str, int | None], groups: Iterable[list[str]]) -> dict[str, int | None]:
    result = dict(own_limits)
    for streams in groups:
        of_all = [own_limits.get(name) for name in streams]
        for name in streams:
            known_limits = [item for item in (*of_all, result.get(name)) if item is not None]
            result[name] = None if None in of_all or result.get(name) is None else min(known_limits)
    return result
