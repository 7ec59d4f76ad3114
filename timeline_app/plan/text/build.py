"""From the expressions of a text to the nodes of a document."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from timeline_app.operators import operators
from timeline_app.plan.text.deep import Walk, run_walk
from timeline_app.plan.text.literals import name_of, read_value, strip_parentheses
from timeline_app.plan.text.parser import Branch, SyntaxProblem
from timeline_app.plan.text.scan import Source
from timeline_app.plan.text.words import Numbering
from timeline_app.problems.problem import Problem, Problems, suggest_nearest

Node = dict[str, Any]


@dataclass(slots=True)
class Made:
    """A node under construction, and the places of its ports and parameters in the text."""

    node: Node
    ports: dict[str, int] = field(default_factory=dict)


Maker = Callable[["Builder", Branch], Walk[Made | None]]


class Builder:
    """Makes nodes; keeps their places and every problem."""

    def __init__(
        self,
        source: Source,
        names: Mapping[str, int],
        problems: Problems,
        makers: Mapping[str, Maker],
    ) -> None:
        """`names` are the statements of the text with their offsets; the makers of nodes go by form of expression.

        `streams` are those that the text declares, None where it declares none.
        """
        self.source, self.names, self.problems, self._makers = source, names, problems, makers
        self.streams: frozenset[str] | None = None
        self.mentioned: set[str] = set()
        self.nodes: dict[str, Any] = {}
        self.places: dict[str, int] = {}
        self.ports: dict[tuple[str, str], int] = {}
        self.statement: str | None = None
        self._taken = set(names)
        self._numbering = Numbering("", self._taken)

    def refuse(self, offset: int, code: str, message: str, hint: str, port: str | None = None) -> None:
        """Keep a problem of this place."""
        line, column = self.source.place(offset)
        self.problems.append(Problem(self.statement, port, code, message, hint, "error", line, column))

    def caught(self, wrong: SyntaxProblem, code: str = "syntax", port: str | None = None) -> None:
        """Keep a problem that was raised."""
        self.refuse(wrong.offset, code, wrong.message, wrong.hint, port)

    def build(self, name: str, tree: Branch) -> Node | None:
        """Make the nodes of a statement; None where its expression makes none."""
        self.statement, self._numbering = name, Numbering(name, self._taken)
        tree = strip_parentheses(tree)
        if tree.data == "object":
            built = self._raw(tree)
        elif tree.data == "name":
            hint = f"use {name_of(tree)} where you need it"
            self.refuse(
                start_of(tree), "alias", f"{name} would only be another name of {name_of(tree)}", hint
            )
            built = None
        else:
            built = run_walk(self.node(tree))
        if built is None:
            return None
        self._keep(name, built, self.names[name])
        return built.node

    def wire(self, tree: Branch) -> Walk[str]:
        """Return the name of an expression's node, which is made and numbered if missing."""
        tree = strip_parentheses(tree)
        if tree.data == "name":
            return self._known(tree)
        built: Made | None = yield self.node(tree)
        if built is None:
            return ""
        name = self._numbering.next()
        self._taken.add(name)
        self._keep(name, built, start_of(tree))
        return name

    def wires(self, trees: list[Branch]) -> Walk[list[str]]:
        """Yield the names of several."""
        names = []
        for tree in trees:
            names.append((yield self.wire(tree)))  # noqa: PERF401 (a comprehension cannot yield)
        return names

    def node(self, tree: Branch) -> Walk[Made | None]:
        """Yield the node of an expression that is no name; None after a problem."""
        make = self._makers.get(str(tree.data))
        built: Made | None = None
        if make is None:
            self._refuse_no_timeline(tree)
        else:
            built = yield make(self, tree)
        return built

    def _keep(self, name: str, built: Made, offset: int) -> None:
        self.nodes[name] = built.node
        self.places[name] = offset
        self.ports.update({(name, port): written_at for port, written_at in built.ports.items()})

    def _known(self, tree: Branch) -> str:
        name = name_of(tree)
        if name not in self.names:
            other_names = self.names.keys() - {self.statement}
            hint = suggest_nearest(name, other_names, f"give it a statement: {name} = …")
            if name in operators():
                hint = f"{name} is an operator: write {name}(…)"
            self.refuse(start_of(tree), "unknown_node", f"there is no node {name!r}", hint)
        return name

    def _raw(self, tree: Branch) -> Made | None:
        try:
            return Made(read_value(tree))
        except SyntaxProblem as error:
            self.caught(error)
            return None

    def _refuse_no_timeline(self, tree: Branch) -> None:
        excerpt = self.source.clean[tree.meta.start_pos : tree.meta.end_pos].split("\n")[0][:60]
        if tree.data == "field":
            message, hint = (
                f"{excerpt} is a field of events, not a timeline",
                f"write latest_event_to_state({excerpt})",
            )
        elif tree.data in ("membership", "missing", "present"):
            message = f"{'in' if tree.data == 'membership' else 'is missing'} is for conditions on fields"
            hint = (
                'write x == "a" or x == "b"'
                if tree.data == "membership"
                else "compare the timeline with a value"
            )
        elif tree.data == "absent":
            message, hint = "missing is for values of events", "write it in a leaf: if(condition, a, missing)"
        elif tree.data == "signed":
            message, hint = "a sign stands before a number only", "write x * -1 for -x"
        else:
            message = f"the value {excerpt} stands where a timeline is expected"
            hint = "write the name of a node, or an expression"
        self.refuse(start_of(tree), "no_timeline", message, hint)


def start_of(tree: Branch) -> int:
    """Return where in the text an expression begins."""
    return int(tree.meta.start_pos)
