"""Plans: drawn or written, checked, run and stopped."""

from __future__ import annotations

import builtins
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from timelines.errors import Ambiguous, ApiError, Missing, Problem, TimelinesError
from timelines.http import Http, Json
from timelines.nodes import Node
from timelines.things import Numbered

Document = Mapping[str, Any]


class Plan(Numbered):
    """A plan as it was when it was read; `refresh()` reads it anew."""

    def __repr__(self) -> str:
        return f"Plan({self.id}, {self.name!r}, {'running' if self.running else 'stopped'})"

    @property
    def owner(self) -> str:
        """The person or team to whom it belongs."""
        return str(self._told["owner"])

    @property
    def rights(self) -> frozenset[str]:
        """What you may do with it: read, edit, operate, own."""
        return frozenset(self._told["rights"])

    @property
    def running(self) -> bool:
        """Whether it runs."""
        return bool(self._told["running"])

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with the draft; empty: it can run."""
        return tuple(map(Problem.from_json, self._told["problems"]))

    @property
    def nodes(self) -> dict[str, Node]:
        """The nodes that it runs, by name."""
        return {
            str(node["name"]): Node(self.http, node["digest"], node["name"], self.id)
            for node in self._told["nodes"]
        }

    @property
    def path(self) -> str:
        """Its address under `/api/`."""
        return f"plans/{self.id}/"

    def node(self, name: str) -> Node:
        """A node that it runs; a plan that stands still runs none."""
        nodes = self.nodes
        if name not in nodes:
            running = f"it runs {', '.join(sorted(nodes))}" if nodes else "it does not run"
            raise Missing(404, "unknown_node", f"{self.name} runs no node {name!r}: {running}.")
        return nodes[name]

    def refresh(self) -> Plan:
        """Read it anew."""
        return self._now(self.http.get(self.path))

    def save(
        self, document: Document | None = None, *, text: str | None = None, name: str | None = None
    ) -> Plan:
        """A new draft, based on the version that was read. Raises `Conflict` where somebody changed the same."""
        body: Json = {
            "document": dict(document_of(self.http, document, text)),
            "version": self.version,
            "edit": uuid.uuid4().hex,
        }
        body |= {"base": self.document} | ({} if name is None else {"name": name})
        return self._now(self.http.put(self.path, body, again=True))

    def text(self) -> str:
        """The draft in the text language."""
        return str(self.http.get(f"{self.path}text/")["text"])

    def check(self) -> tuple[Problem, ...]:
        """What is wrong with the draft now; empty: it can run."""
        return Plans(self.http).check(self.document)

    def consequences(self, placement: str | None = None) -> Json:
        """What running it would do: which nodes are joined, begin or stop, and how much history is replayed."""
        answer: Json = self.http.get(f"{self.path}consequences/", placement=placement)
        return answer

    def run(self, placement: str | None = None) -> Plan:
        """Run the draft; nodes that run already are joined. Raises `ApiError` 422 with all problems."""
        return self._now(self.http.post(f"{self.path}run/", {"placement": placement} if placement else {}))

    def stop(self, reason: str = "") -> Plan:
        """Leave all nodes; those that nobody else uses stop."""
        return self._now(self.http.post(f"{self.path}stop/", {"reason": reason} if reason else {}))

    def delete(self) -> None:
        """Stop it and forget it."""
        self.http.delete(self.path)

    def versions(self) -> Iterator[Json]:
        """What was run or kept, the newest first."""
        return self.http.pages(f"{self.path}versions/", limit=200)

    def restore(self, version: int) -> Plan:
        """The draft becomes what a version was."""
        return self._now(self.http.post(f"{self.path}versions/{version}/restore/"))

    def tests(self) -> Iterator[Json]:
        """The tests that are kept with it."""
        return self.http.pages(f"{self.path}tests/")

    def keep_test(
        self, name: str, sample: int, expected: list[Json] | None = None, *, nodes: Iterable[str] = ()
    ) -> Json:
        """Keep a test on a sample: what is expected, or else what the draft says now (of these nodes)."""
        expectation: Json = {"take": {"nodes": [*nodes]}} if expected is None else {"expected": expected}
        answer: Json = self.http.post(f"{self.path}tests/", {"name": name, "sample": sample, **expectation})
        return answer

    def run_tests(self) -> Json:
        """What becomes of its tests."""
        answer: Json = self.http.post(f"{self.path}tests/run/")
        return answer


@dataclass(frozen=True)
class Plans:
    """All plans that you may look at."""

    http: Http

    def list(self, q: str = "") -> Iterator[Plan]:
        """Those that fit a search, such as `is:running owner:me`, the one that was changed last first."""
        for document in self.http.pages("plans/", q=q or None, limit=200):
            yield Plan(self.http, document)

    def search(self, q: str) -> Iterator[Plan]:
        """The same by another name."""
        return self.list(q)

    def get(self, which: int | str) -> Plan:
        """By number or by name; raises `Missing`, or `Ambiguous` where several have the name."""
        if isinstance(which, int):
            return Plan(self.http, self.http.get(f"plans/{which}/"))
        quoted = "" if '"' in which else f'"{which}"'
        near = [plan for plan in self.list(quoted) if plan.name.casefold() == which.casefold()]
        plans = [plan for plan in near if plan.name == which] or near
        if not plans:
            raise Missing(404, "unknown_plan", f"There is no plan {which!r} that you may look at.")
        if len(plans) > 1:
            numbers = ", ".join(f"{plan.id} of {plan.owner}" for plan in plans)
            raise Ambiguous(f"Several plans are called {which!r}: {numbers}. Ask by number.")
        return plans[0]

    def create(
        self, document: Document | None = None, *, text: str | None = None, name: str | None = None
    ) -> Plan:
        """A new draft from a document or from text; it may still have problems."""
        body: Json = {"document": dict(document_of(self.http, document, text)), "edit": uuid.uuid4().hex}
        body |= {} if name is None else {"name": name}
        return Plan(self.http, self.http.post("plans/", body))

    def check(self, document: Document | None = None, *, text: str | None = None) -> tuple[Problem, ...]:
        """All problems at once; nothing is kept."""
        if text is not None:
            answer = self.http.post("text/", {"text": text})
        else:
            answer = self.http.post("plans/check/", {"document": dict(document or {})})
        return tuple(map(Problem.from_json, answer["problems"]))


def document_of(http: Http, document: Document | None, text: str | None) -> Document:
    """One of both, as a document; raises `ApiError` where a text cannot be read."""
    if (document is None) == (text is None):
        raise TimelinesError("Give either a document or text.")
    if document is not None:
        return document
    answer = http.post("text/", {"text": text})
    if answer["document"] is None:
        problems: builtins.list[Problem] = [Problem.from_json(problem) for problem in answer["problems"]]
        raise ApiError(400, "bad_text", "This text cannot be read.", tuple(problems))
    parsed: Document = answer["document"]
    return parsed
