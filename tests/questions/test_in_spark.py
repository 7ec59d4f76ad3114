"""Questions in one run of Spark: their plans as one plan, whose streams and nodes have the question's number."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.depth import select_share
from tests.questions.asked import load_questions
from tests.questions.comparing import describe_differences
from tests.questions.question import Question
from timeline_app.compiler import compile_plan
from timeline_app.evaluate.engine import list_fields
from timeline_app.evaluate.spark import evaluate_with_spark
from timeline_app.evaluate.tables import EventTable
from timeline_app.events.validate import EventBatch
from timeline_app.testing.points import group_points

pytestmark = pytest.mark.spark


def test_spark_answers_questions(spark_remote: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARK_REMOTE", spark_remote)
    questions = {f"q{number}_": question for number, question in enumerate(select_questions())}
    compiled = compile_plan(join_plans(questions), {})
    batches = {name: EventBatch(declared) for name, declared in compiled.streams.items()}
    for prefix, question in questions.items():
        for stream, event in question.delivered:
            batches[prefix + stream].add(event)
    tables = {
        name: EventTable.from_batch(batches[name], fields)
        for name, fields in list_fields(compiled, compiled.programs).items()
    }
    results = {prefix: compiled.names[prefix + question.result] for prefix, question in questions.items()}
    timelines, _ = evaluate_with_spark(compiled, tables, set(results.values()))
    differences = {
        questions[prefix].name: describe_differences(questions[prefix], group_points(timelines[digest]))
        for prefix, digest in results.items()
    }
    assert {name: words for name, words in differences.items() if words} == {}


def select_questions() -> list[Question]:
    """Some of the questions, and as many more as it takes to run every operator that computes one."""
    chosen = list(select_share(load_questions()))
    seen = {part for question in chosen for part in list_operators(question)}
    for question in load_questions():
        if not seen.issuperset(parts := list_operators(question)):
            chosen.append(question)
            seen |= parts
    return chosen


def list_operators(question: Question) -> set[str]:
    """The operators that compute a plan, once it is rewritten."""
    compiled = compile_plan(question.document, {})
    return {computation.op for computation in compiled.table.values()}


def join_plans(questions: Mapping[str, Question]) -> dict[str, Any]:
    """One plan of several."""
    nodes: dict[str, Any] = {}
    streams: dict[str, Any] = {}
    for prefix, question in questions.items():
        document = question.document
        nodes |= {prefix + name: rename_parts(node, prefix) for name, node in document["nodes"].items()}
        streams |= {prefix + name: declared for name, declared in document["streams"].items()}
    return {"version": 1, "nodes": nodes, "streams": streams, "results": [*nodes]}


def rename_parts(node: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    """A node whose inputs and streams have a prefix."""
    params = {name: rename_streams(value, prefix) for name, value in node.get("params", {}).items()}
    inputs = {
        port: prefix + wires if isinstance(wires, str) else [prefix + wire for wire in wires]
        for port, wires in node.get("inputs", {}).items()
    }
    return {**rename_streams(node, prefix), "params": params, "inputs": inputs}


def rename_streams(part: Any, prefix: str) -> Any:
    """The same with a prefix at each stream that is named: of a node, of a step, of a condition of `not`."""
    if isinstance(part, list):
        return [rename_streams(item, prefix) for item in part]
    if isinstance(part, dict) and "stream" in part:
        return {**part, "stream": prefix + part["stream"]}
    return part
