"""Directives: what a text says besides its nodes.

    plan "name"      stream player(key = session_id, …)      results cirr, other      layout cirr 0 0, other 240 80
    stream ads       order cirr, other                       without version          @key {"any": "JSON"}
    group CDN(nodes = [cirr, other])                         note "text" 0 200 240 96

`stream ads` says that the stream is declared elsewhere; `order` gives the order of the nodes where it is not that of
the text; a note is a comment with its place (and size) on the canvas; `@key value` sets any other key of the document
as JSON, and `without` leaves one out.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from copy import deepcopy
from typing import Any

from timeline_app.plan.text.build import Builder, start_of
from timeline_app.plan.text.literals import get_token, list_branches, name_of, read_value, unquote_text
from timeline_app.plan.text.parser import Branch, SyntaxProblem, parse
from timeline_app.plan.text.scan import Chunk, Source
from timeline_app.plan.text.words import DIRECTIVES
from timeline_app.problems.problem import Problem, Problems, suggest_nearest
from timeline_app.problems.spelling import close_names

_WORD = re.compile(r"""@\s*(?P<key>[^\W\d]\w*|"(?:[^"\\\n]|\\.)*")|(?P<word>[^\W\d]\w*)""")
_KEYS = {"plan": "name", "stream": "streams"}
_DEFAULTS: dict[str, Any] = {"version": 1, "nodes": {}}
_DIRECTIVE_CUTOFF = 0.7
"""How alike a word must be to be a directive that was misspelt."""


class Directives:
    """Reads directives; keeps the parts of the document, their places and every problem."""

    def __init__(self, source: Source, problems: Problems) -> None:
        """`source` is the whole text; its problems are added to `problems`."""
        self.source = source
        self.parts: dict[str, Any] = {}
        self.places: dict[str, int] = {}
        self.streams: set[str] = set()
        self.elsewhere: set[str] = set()
        self.problems = problems
        self.notes: dict[int, dict[str, Any]] = {}
        self._order: list[str] = []
        self._without: list[str] = []
        self._results: list[Branch] = []

    def read(self, chunk: Chunk) -> None:
        """Read one directive, or refuse an unknown one; `notes` are stored by the offset of their chunk."""
        match = _WORD.match(self.source.clean, chunk.start, chunk.end)
        word = match["word"] if match else None
        read = _READERS.get(word or "")
        try:
            if match is None or (word and read is None):
                raise self._no_statement(chunk, word)
            if read is None:
                self._raw(match["key"], chunk.start, match.end(), chunk.end)
            else:
                read(self, chunk.start, match.end(), chunk.end)
        except SyntaxProblem as error:
            self._refuse(error.offset, "syntax", error.message, error.hint)

    def document(self, nodes: dict[str, Any], comments: list[Any], builder: Builder) -> dict[str, Any]:
        """Return the whole document."""
        for tree in self._results:
            if name_of(tree) not in nodes and name_of(tree) not in builder.names:
                hint = suggest_nearest(name_of(tree), nodes, "take it out of the results")
                message = f"the result {name_of(tree)!r} is no node"
                self._refuse(start_of(tree), "unknown_result", message, hint)
        if comments:
            self._set("comments", comments, self.places.get("comments", 0))
        if nodes:
            self._set("nodes", self._ordered(nodes), next(iter(builder.places.values())))
        defaults = {key: name for key, name in _DEFAULTS.items() if key not in self._without}
        return {**deepcopy(defaults), **self.parts}

    def _ordered(self, nodes: dict[str, Any]) -> dict[str, Any]:
        first = {name: nodes[name] for name in self._order if name in nodes}
        return first | {name: node for name, node in nodes.items() if name not in first}

    def _set(self, key: str, value: Any, offset: int) -> None:
        if key in self.parts:
            self._refuse(offset, "given_twice", f"{key!r} is given twice", "take one of them away")
        self.parts[key] = value
        self.places.setdefault(key, offset)

    def _plan(self, begin: int, start: int, end: int) -> None:
        tree = parse(self.source, start, end)
        if tree.data != "text":
            raise SyntaxProblem(
                start_of(tree), "the plan's name is a text", 'write plan "Rebuffering by CDN"'
            )
        self._set("name", unquote_text(get_token(tree)), begin)

    def _stream(self, begin: int, start: int, end: int) -> None:
        tree = parse(self.source, start, end)
        if tree.data not in ("name", "call"):
            hint = "write stream player(key = session_id, time = t, unit = ms)"
            raise SyntaxProblem(start_of(tree), "a stream is declared by its name and its keys", hint)
        name = name_of(tree)
        if name in self.streams or name in self.elsewhere:
            raise SyntaxProblem(begin, f"the stream {name!r} is declared twice", "take one of them away")
        (self.elsewhere if tree.data == "name" else self.streams).add(name)
        if tree.data == "name":
            return
        if not isinstance(self.parts.setdefault("streams", {}), dict):
            raise SyntaxProblem(begin, "'streams' is given twice", "take one of them away")
        self.parts["streams"][name] = self._declaration(tree, "a stream", "unit = ms")
        self.places[f"streams.{name}"] = begin

    def _declaration(self, tree: Branch, subject: str, example: str) -> dict[str, Any]:
        pairs: dict[str, Any] = {}
        for pair in list_branches(tree):
            if pair.data != "keyword":
                raise SyntaxProblem(
                    start_of(pair), f"{subject} is declared by key = value", f"such as {example}"
                )
            if name_of(pair) in pairs:
                raise SyntaxProblem(
                    start_of(pair), f"{name_of(pair)!r} is given twice", "take one of them away"
                )
            pairs[name_of(pair)] = read_value(list_branches(pair)[0], words=True)
        return pairs

    def _names(self, start: int, end: int) -> list[Branch]:
        return list_branches(parse(self.source, start, end, "names"))

    def _read_results(self, begin: int, start: int, end: int) -> None:
        self._results = self._names(start, end)
        self._set("results", [name_of(tree) for tree in self._results], begin)

    def _read_order(self, _begin: int, start: int, end: int) -> None:
        self._order += [name_of(tree) for tree in self._names(start, end)]

    def _read_without(self, _begin: int, start: int, end: int) -> None:
        self._without += [name_of(tree) for tree in self._names(start, end)]

    def _group(self, begin: int, start: int, end: int) -> None:
        tree = parse(self.source, start, end)
        if tree.data != "call":
            hint = "write group CDN(nodes = [cirr, cirr_by_cdn])"
            raise SyntaxProblem(start_of(tree), "a group has a title and its nodes", hint)
        if not isinstance(self.parts.setdefault("groups", []), list):
            raise SyntaxProblem(begin, "'groups' is given twice", "take one of them away")
        group = f"groups.{len(self.parts['groups']) + 1}"
        self.parts["groups"].append(
            {"title": name_of(tree), **self._declaration(tree, "a group", "nodes = [cirr]")}
        )
        self.places.setdefault("groups", begin)
        self.places[group] = begin

    def _note(self, begin: int, start: int, end: int) -> None:
        tree = parse(self.source, start, end, "note")
        numbers = [_read_coordinate(item) for item in list_branches(tree)]
        note: dict[str, Any] = {"text": unquote_text(get_token(tree)), "at": numbers[:2]}
        self.notes[begin] = note | ({"size": numbers[2:]} if len(numbers) > 2 else {})
        self.places.setdefault("comments", begin)

    def _layout(self, begin: int, start: int, end: int) -> None:
        places = list_branches(parse(self.source, start, end, "places"))
        self._set(
            "layout", {name_of(list_branches(entry)[0]): _read_position(entry) for entry in places}, begin
        )

    def _raw(self, key: str, begin: int, start: int, end: int) -> None:
        if key.startswith('"'):
            key = name_of_key(self.source, begin, start)
        value = read_value(parse(self.source, start, end))
        if key == "streams" and isinstance(value, dict):
            self.streams |= set(value)
        self._set(key, value, begin)

    def _no_statement(self, chunk: Chunk, word: str | None) -> SyntaxProblem:
        close = close_names(word or "", DIRECTIVES, _DIRECTIVE_CUTOFF)
        example = "write cirr = duration_where(…), or a directive such as plan"
        hint = f"did you mean {' or '.join(close)}?" if close else example
        line = self.source.clean[chunk.start : chunk.end].split("\n")[0][:40]
        return SyntaxProblem(chunk.start, f"found {line!r}, expected a statement: a name and =", hint)

    def _refuse(self, offset: int, code: str, message: str, hint: str) -> None:
        line, column = self.source.place(offset)
        self.problems.append(Problem(None, None, code, message, hint, "error", line, column))


def name_of_key(source: Source, begin: int, end: int) -> str:
    """Return the key of `@"odd key" value`."""
    start = source.clean.index('"', begin)
    return unquote_text(get_token(parse(source, start, end)))


def _read_position(entry: Branch) -> Any:
    values = list_branches(entry)[1:]
    if values[0].data != "coordinate":
        return read_value(values[0])
    return [_read_coordinate(item) for item in values]


def _read_coordinate(tree: Branch) -> Any:
    spelled = "".join(str(part) for part in tree.children)
    return int(spelled) if spelled.lstrip("+-").isdigit() else float(spelled)


_READERS: dict[str, Callable[[Directives, int, int, int], None]] = {
    "plan": Directives._plan,
    "stream": Directives._stream,
    "results": Directives._read_results,
    "layout": Directives._layout,
    "order": Directives._read_order,
    "without": Directives._read_without,
    "group": Directives._group,
    "note": Directives._note,
}
