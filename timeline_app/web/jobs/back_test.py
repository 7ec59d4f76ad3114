"""Back-tests of alerts on landed events, or on those of a sample."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from timeline_app.algebra.kinds import BEGINNING, OPEN, SECOND, Kind
from timeline_app.compiler import Compiled
from timeline_app.evaluate.backtest.back_test import (
    AlertRule,
    BackTest,
    arrange_file_events,
    compile_rule,
    list_read_fields,
    run_back_test,
    select_keys,
)
from timeline_app.evaluate.backtest.clock import StreamArrivals
from timeline_app.evaluate.backtest.landed import arrange_landed_rows
from timeline_app.evaluate.backtest.report import describe_back_test
from timeline_app.evaluate.backtest.value_lane import find_lane
from timeline_app.evaluate.sandbox.messages import JobMessage
from timeline_app.evaluate.tables import build_table_of_landed
from timeline_app.evaluate.trial import TooMuch
from timeline_app.landing.heartbeats import Beat
from timeline_app.plan import Refused
from timeline_app.problems.problem import suggest_nearest
from timeline_app.web.core.errors import ApiError, Invalid, PlanRefused, as_problem
from timeline_app.web.jobs.evaluate import part_of
from timeline_app.web.jobs.packing import read_declarations, unpack_parts
from timeline_app.web.jobs.rendered import render


def find_needs(message: JobMessage) -> JobMessage:
    """Job `back_test_needs`: return the fields that a back-test reads, by stream."""
    compiled, digest = _compile(message.header)
    return JobMessage({name: list(fields) for name, fields in list_read_fields(compiled, digest).items()})


def test_alert(message: JobMessage) -> JobMessage:
    """Job `back_test`: return the report of a back-test, serialised."""
    header = message.header
    compiled, digest = _compile(header)
    rule = AlertRule(**header["rule"])
    arrivals = _unpack_arrivals(message, compiled, list_read_fields(compiled, digest))
    try:
        test = run_back_test(compiled, digest, arrivals, rule.keys, rule.flapping)
    except TooMuch as why:
        raise ApiError(f"It is too much: {why}.", code="too_much", status=413) from None
    start, end = _find_range(test, header, arrivals)
    document = describe_back_test(test, start, end)
    if header["lane"] is not None and document["start"] is not None:
        key = header["lane"]
        own = {name: select_keys(item, [key]) for name, item in arrivals.items()}
        bounds = document["start"], document["end"]
        document["lane"] = {"key": key, "columns": find_lane(compiled, rule.node, own, key, *bounds)}
    return JobMessage(None, [render(document)])


def _find_range(
    test: BackTest, header: Mapping[str, Any], arrivals: Mapping[str, StreamArrivals]
) -> tuple[int, int]:
    """Return the event times between which incidents are reported: as requested, or the last of the events."""
    start, end = header["range"]
    newest = int(test.clock.newest[-1]) if test.clock.size else BEGINNING
    if start is None and header["last"] is not None and newest != BEGINNING:
        times = [item.table.table["time"].to_numpy() for item in arrivals.values()]
        oldest = min(int(time.min()) for time in times if len(time))
        start = max(newest - header["last"] * SECOND, oldest)
    return BEGINNING if start is None else start, OPEN if end is None else end


def _compile(header: Mapping[str, Any]) -> tuple[Compiled, str]:
    declarations, rule = read_declarations(header["known"]), AlertRule(**header["rule"])
    part = part_of(header["document"], declarations, partly=True)
    if rule.node in part.left_out:
        raise PlanRefused(
            "The node has a problem.", problems=[as_problem(part.left_out[rule.node].to_document())]
        )
    if rule.node not in part.compiled.names:
        hint = suggest_nearest(rule.node, part.compiled.names)
        raise Invalid.field("node", f"The plan has no node {rule.node!r}.", hint, code="unknown_node")
    try:
        compiled, digest = compile_rule(part.document, declarations, rule)
    except Refused as refused:
        problem = refused.problems[0]
        raise Invalid.field(problem.port or "node", problem.message, problem.hint or "") from None
    if compiled.table[digest].facts.kind is not Kind.BOOL:
        words, hint = (
            f"{rule.node!r} is no bool, and an alert needs one.",
            "Give `above` or `below`, or a bool node.",
        )
        raise Invalid.field("node", words, hint)
    return compiled, digest


def _unpack_arrivals(
    message: JobMessage, compiled: Compiled, needs: Mapping[str, tuple[str, ...]]
) -> dict[str, StreamArrivals]:
    """Return the events of a sample in turn, or those of landings with their batches."""
    header = message.header
    if header["parts"] is not None:
        events = unpack_parts(header["parts"], message.blobs)
        if lacking := sorted(needs.keys() - events.keys()):
            raise Invalid.field("sample", f"The sample has no events of {lacking[0]!r}.")
        return {
            name: arrange_file_events(
                build_table_of_landed(events[name].table, compiled.streams[name], fields)
            )
            for name, fields in needs.items()
        }
    arrivals = {}
    for item, blob in zip(header["landed"], message.blobs, strict=True):
        name, beats = item["stream"], [Beat(*row) for row in item["heartbeats"]]
        rows = pa.ipc.open_stream(blob).read_all()
        arrivals[name] = arrange_landed_rows(rows, compiled.streams[name], needs[name], beats)
    return arrivals
