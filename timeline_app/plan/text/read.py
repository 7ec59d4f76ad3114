"""Reading a text: statements and directives to a plan document, with the places of all that they make."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from timeline_app.plan.text.build import Builder
from timeline_app.plan.text.conditions import list_fields, split_field
from timeline_app.plan.text.directives import Directives
from timeline_app.plan.text.expressions import MAKERS
from timeline_app.plan.text.parser import Branch, SyntaxProblem, parse
from timeline_app.plan.text.scan import STATEMENT, Chunk, Source, scan
from timeline_app.plan.text.words import RESERVED, is_name, unquote_name
from timeline_app.problems.problem import Problem, Problems, Refused, TooManyProblems

MAX_BYTES = 2**20
MAX_STATEMENTS = 10_000
MAX_PROBLEMS_REPORTED = 200
"""Fixing the first ones often fixes the others."""

Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Text:
    """What a text says: the document; line and column of each node, of its ports, and of the document's own parts."""

    document: dict[str, Any]
    places: Mapping[str, Place]
    ports: Mapping[tuple[str, str], Place]
    parts: Mapping[str, Place]

    def located(self, problem: Problem) -> Problem:
        """Return the problem with its line and column, as far as its node and port tell them."""
        if problem.node is None:
            parts = [self.parts.get(name) for name in _iterate_prefixes(problem.port or "")]
            location = next((part for part in parts if part is not None), None)
        else:
            location = self.ports.get((problem.node, problem.port or "")) or self.places.get(problem.node)
        return problem if location is None else replace(problem, line=location[0], column=location[1])


def read_text(text: str) -> dict[str, Any]:
    """Return the plan document that a text means. Raises `Refused` with all problems, each with line and column."""
    return read_text_with_places(text).document


def read_text_with_places(text: str) -> Text:
    """Return the plan document with the places of its nodes, so that what a check finds can be shown in the text."""
    _refuse_no_text(text)
    return _TextReader(scan(text.removeprefix("\ufeff"))).read()


def _refuse_no_text(text: str) -> None:
    """Refuse a text that is too long or has forbidden characters."""
    strange = next((sign for sign in text if sign == "\0" or "\ud800" <= sign <= "\udfff"), None)
    if strange is not None:
        before = text[: text.index(strange)]
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        trouble = "a NUL" if strange == "\0" else "half a character (a surrogate)"
        hint = "is this a plan in the text language? Save it as UTF-8"
        raise Refused(
            [Problem(None, None, "no_text", f"the text holds {trouble}", hint, "error", line, column)]
        )
    if (size := len(text.encode())) > MAX_BYTES:
        message = f"a text of {size:,} bytes; at most {MAX_BYTES:,} are read"
        raise Refused(
            [Problem(None, None, "too_long", message, "split it into several plans", "error", 1, 1)]
        )


class _TextReader:
    """Reads the chunks of a text."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.names: dict[str, int] = {}
        self.problems = Problems(MAX_PROBLEMS_REPORTED + 1)
        self.statements: dict[int, str] = {}
        self.trees: dict[int, Branch] = {}
        self.directives = Directives(source, self.problems)

    def read(self) -> Text:
        """Everything, or every problem in the order of the text."""
        self._refuse_many()
        builder, document = self._built()
        if self.problems:
            self.problems.sort(key=lambda problem: (problem.line or 0, problem.column or 0))
            raise Refused(_limit_problems(self.problems))
        locate, directives = self.source.place, self.directives
        return Text(
            document,
            {name: locate(offset) for name, offset in builder.places.items()},
            {port: locate(offset) for port, offset in builder.ports.items()},
            {section: locate(offset) for section, offset in directives.places.items()},
        )

    def _built(self) -> tuple[Builder, dict[str, Any]]:
        """Return the nodes and the document, as far as problems let them be made."""
        with suppress(TooManyProblems):
            self._statements()
        builder, document = Builder(self.source, self.names, self.problems, MAKERS), {}
        directives = self.directives
        if directives.streams:
            builder.streams = frozenset(directives.streams | directives.elsewhere)
        builder.mentioned = {
            split_field(field)[0] for tree in self.trees.values() for field in list_fields(tree)
        }
        with suppress(TooManyProblems):
            for number, tree in self.trees.items():
                self._build(builder, self.statements[number], tree, self.source.chunks[number])
            document = directives.document(builder.nodes, self._comments(), builder)
        return builder, document

    def _statements(self) -> None:
        for number, chunk in enumerate(self.source.chunks):
            match = STATEMENT.match(self.source.clean, chunk.start, chunk.end)
            if match is None:
                self.directives.read(chunk)
            else:
                self._statement(number, match["name"], match.end(), chunk)

    def _refuse_many(self) -> None:
        if len(self.source.chunks) > MAX_STATEMENTS:
            line, column = self.source.place(self.source.chunks[MAX_STATEMENTS].start)
            message = f"more than {MAX_STATEMENTS:,} statements"
            hint = "split it into several plans"
            raise Refused([Problem(None, None, "too_long", message, hint, "error", line, column)])

    def _statement(self, number: int, spelled: str, start: int, chunk: Chunk) -> None:
        name = unquote_name(spelled)
        self.statements[number] = name
        if spelled in RESERVED:
            hint = f"choose another name, or write `{spelled}` in backquotes"
            self._refuse(chunk.start, name, "reserved_word", f"{spelled!r} is a word of the language", hint)
        elif spelled == name and not is_name(name):
            hint = "use letters, digits and _, not beginning with a digit"
            self._refuse(
                chunk.start, name[:100], "bad_name", f"{name[:100]!r} cannot be the name of a node", hint
            )
        elif name in self.names:
            line = self.source.place(self.names[name])[0]
            hint = "give one of them another name"
            self._refuse(
                chunk.start, name, "duplicate_name", f"{name!r} has a statement on line {line}", hint
            )
        self.names.setdefault(name, chunk.start)
        try:
            self.trees[number] = parse(self.source, start, chunk.end)
        except SyntaxProblem as error:
            self._refuse(error.offset, name, "syntax", error.message, error.hint)

    def _build(self, builder: Builder, name: str, tree: Branch, chunk: Chunk) -> None:
        node = builder.build(name, tree)
        if node is not None and chunk.comments:
            if "comment" in node:
                hint = "keep one of them"
                self._refuse(
                    chunk.start, name, "two_comments", "a comment stands above and in the node", hint
                )
            node["comment"] = "\n".join(chunk.comments)

    def _comments(self) -> list[Any]:
        """Return the comments without a node, each with the statement that follows it.

        Those at the top are texts alone; `before` is null after the last statement. A note has its place as well.
        """
        free: list[tuple[int, int, dict[str, Any]]] = [
            (number, 0, {"text": text}) for number, text in self.source.free
        ]
        notes = {}
        for number, chunk in enumerate(self.source.chunks):
            if number not in self.statements and chunk.comments:
                free.append((number, 1, {"text": "\n".join(chunk.comments)}))
            if chunk.start in self.directives.notes:
                notes[number] = self.directives.notes[chunk.start]
        free += [(number, 2, note) for number, note in notes.items()]
        free.sort(key=lambda item: item[:2])
        following = self._following()
        first = min([*self.statements, *notes], default=len(self.source.chunks))
        return [
            comment["text"] if number < first else {**comment, "before": following[number]}
            for number, _, comment in free
        ]

    def _following(self) -> list[str | None]:
        """Return the next statement for each chunk number, and after the last one."""
        names: list[str | None] = [None]
        for number in reversed(range(len(self.source.chunks))):
            names.append(self.statements.get(number, names[-1]))
        return names[::-1]

    def _refuse(self, offset: int, node: str, code: str, message: str, hint: str) -> None:
        line, column = self.source.place(offset)
        self.problems.append(Problem(node, None, code, message, hint, "error", line, column))


def _limit_problems(problems: list[Problem]) -> list[Problem]:
    if len(problems) <= MAX_PROBLEMS_REPORTED:
        return problems
    message, hint = "more problems", "mend these first, then read it again"
    last = problems[MAX_PROBLEMS_REPORTED]
    problem = Problem(None, None, "too_many_problems", message, hint, "error", last.line, last.column)
    return [*problems[:MAX_PROBLEMS_REPORTED], problem]


def _iterate_prefixes(port: str) -> list[str]:
    """`a.b.c`, `a.b`, `a`."""
    parts = port.split(".")
    return [".".join(parts[:size]) for size in range(len(parts), 0, -1)]
