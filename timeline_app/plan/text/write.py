"""Writing a plan document as text: reading gives back exactly the document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from timeline_app.plan.reads import list_streams
from timeline_app.plan.text.comments import Comments, format_comment, is_comment
from timeline_app.plan.text.literals import MAX_DEPTH
from timeline_app.plan.text.nesting import order_of_reading, select_nested_nodes
from timeline_app.plan.text.pieces import Piece, build_call, format_directive, format_statement
from timeline_app.plan.text.render import Renderer, is_expression, list_expression_inputs
from timeline_app.plan.text.words import is_quotable, is_word, spell_json, spell_name, spell_words
from timeline_app.problems.problem import Problem, Refused


def write_text(document: Mapping[str, Any]) -> str:
    """Return the text of a plan document, also of one that has problems.

    Raises `Refused` where it is no JSON object.
    """
    _refuse_no_json(document)
    return _Writer(document).text()


def _refuse_no_json(document: object) -> None:
    """Refuse what JSON cannot express, or nests too deeply to be read again; without recursion."""
    if not isinstance(document, Mapping):
        raise _refuse_document(
            "a plan document must be an object", 'write {"version": 1, "name": …, "nodes": {…}}'
        )
    waiting: list[tuple[Any, int]] = [(document, 0)]
    while waiting:
        value, depth = waiting.pop()
        if depth > MAX_DEPTH:
            raise _refuse_document(f"nested more than {MAX_DEPTH} deep", "write it flatter")
        if isinstance(value, Mapping):
            if not all(isinstance(key, str) for key in value):
                raise _refuse_document("a key is no text", "write every key in quotes")
            waiting += [(item, depth + 1) for item in value.values()]
        elif isinstance(value, list):
            waiting += [(item, depth + 1) for item in value]
        else:
            _refuse_no_scalar(value)


def _refuse_no_scalar(value: object) -> None:
    try:
        spell_json(value)
    except (TypeError, ValueError):
        message = f"a {type(value).__name__} that is no JSON value"
        raise _refuse_document(message, "write text, a finite number, true, false or null") from None


def _refuse_document(message: str, hint: str) -> Refused:
    return Refused([Problem(None, None, "no_document", message, hint)])


class _Writer:
    """Writes the parts of a document."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.document = document
        raw = document.get("nodes")
        self.by_statement = isinstance(raw, Mapping) and all(
            is_quotable(name) and isinstance(node, Mapping) for name, node in raw.items()
        )
        self.nodes: Mapping[str, Mapping[str, Any]] = raw if self.by_statement and raw else {}
        self.inputs = {name: self._inputs(node) for name, node in self.nodes.items()}
        self.head = list(self._head())
        self.comments = Comments(document, list(self.nodes), headed=bool(self.head))
        self.nested = self._nested()

    def text(self) -> str:
        """Head, statements and what follows them, with an empty line between."""
        foot = list(self._foot())
        blocks = [*self.comments.heads, "\n".join(self.head), *self._statements()]
        blocks += [*self._results(), *self.comments.tails, "\n".join(foot)]
        return "\n\n".join(block for block in blocks if block) + "\n" * bool(blocks)

    def _inputs(self, node: Mapping[str, Any]) -> list[str]:
        """Return the inputs of a node that may be nested in it, in the order of reading."""
        if not is_comment(node.get("comment", "")):
            return []
        return [wire for wires in list_expression_inputs(node).values() for wire in wires]

    def _nested(self) -> set[str]:
        results = self.document.get("results")
        fixed = {name for name in results if isinstance(name, str)} if isinstance(results, list) else set()
        fixed |= self.comments.before.keys()
        fixed |= {name for name, node in self.nodes.items() if "comment" in node or not is_expression(node)}
        uses = Counter(wire for node in self.nodes.values() for wire in iterate_wires(node))
        return select_nested_nodes(list(self.nodes), lambda name: self.inputs[name], fixed, uses)

    def _head(self) -> Iterator[str]:
        """Yield the plan's name, its version where it is another, its streams."""
        name = self.document.get("name")
        if isinstance(name, str):
            yield f"plan {spell_json(name)}"
        elif "name" in self.document:
            yield format_raw_part("name", name)
        version = self.document.get("version")
        if "version" in self.document and (type(version) is not int or version != 1):
            yield format_raw_part("version", version)
        absent = [key for key in ("version", "nodes") if key not in self.document]
        if absent:
            yield f"without {', '.join(absent)}"
        yield from self._streams()

    def _streams(self) -> Iterator[str]:
        streams = self.document.get("streams")
        if isinstance(streams, Mapping) and streams and all(map(_is_declaration, streams.items())):
            for name, declaration in streams.items():
                yield _format_declaration("stream", name, declaration)
        elif "streams" in self.document:
            yield format_raw_part("streams", streams)
        if isinstance(streams, Mapping) and streams:
            named = (name for node in self.nodes.values() for name in list_streams(node))
            used = dict.fromkeys(name for name in named if is_quotable(name))
            yield from (f"stream {spell_name(name)}" for name in used if name not in streams)

    def _statements(self) -> Iterator[str]:
        """Statements without a comment stand together."""
        renderer = Renderer(self.nodes, self.nested)
        together: list[str] = []
        for name, node in self.nodes.items():
            if name in self.nested:
                continue
            comment = node.get("comment")
            free = self.comments.before.get(name, [])
            if free or (comment is not None and is_comment(comment)):
                yield "\n".join(together)
                yield from free
                together = []
            together += self._statement(renderer, name, node)
        yield "\n".join(together)

    def _statement(self, renderer: Renderer, name: str, node: Mapping[str, Any]) -> Iterator[str]:
        if "comment" not in node:
            yield format_statement(spell_name(name), renderer.expression(node))
        elif is_comment(node["comment"]):
            yield format_comment(node["comment"])
            yield format_statement(spell_name(name), renderer.expression(omit_key(node, "comment")))
        else:
            yield format_statement(spell_name(name), Piece(spell_json(node)))

    def _results(self) -> Iterator[str]:
        results = self.document.get("results")
        if isinstance(results, list) and all(map(is_quotable, results)):
            yield format_directive("results", [spell_name(name) for name in results])
        elif "results" in self.document:
            yield format_raw_part("results", results)

    def _foot(self) -> Iterator[str]:
        """Yield the rarely needed parts."""
        names = list(self.nodes)
        if order_of_reading(names, self.nested, lambda name: self.inputs[name]) != names:
            yield format_directive("order", [spell_name(name) for name in names])
        if "nodes" in self.document and not self.by_statement:
            yield format_raw_part("nodes", self.document["nodes"])
        if self.comments.rest is not None:
            yield f"@comments {self.comments.rest}"
        for key, value in self.document.items():
            if key not in _WRITTEN:
                yield format_raw_part(key, value)
        yield from self._groups()
        yield from self._layout()

    def _groups(self) -> Iterator[str]:
        groups = self.document.get("groups")
        if isinstance(groups, list) and groups and all(map(_is_group, groups)):
            for group in groups:
                yield _format_declaration("group", group["title"], omit_key(group, "title"))
        elif "groups" in self.document:
            yield format_raw_part("groups", groups)

    def _layout(self) -> Iterator[str]:
        layout = self.document.get("layout")
        if isinstance(layout, Mapping) and all(map(is_quotable, layout)):
            yield format_directive("layout", [_place(name, position) for name, position in layout.items()])
        elif "layout" in self.document:
            yield format_raw_part("layout", layout)


_WRITTEN = ("version", "name", "nodes", "results", "streams", "comments", "groups", "layout")


def format_raw_part(key: str, value: Any) -> str:
    """Any key of the document, as JSON."""
    return f"@{key if is_word(key) else spell_json(key)} {spell_json(value)}"


def omit_key(node: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Return the node without a key."""
    return {name: name_in_node for name, name_in_node in node.items() if name != key}


def iterate_wires(node: Mapping[str, Any]) -> Iterator[str]:
    """Yield all names at a node's inputs, whatever their form."""
    inputs = node.get("inputs")
    for wires in inputs.values() if isinstance(inputs, Mapping) else ():
        yield from (wire for wire in (wires if isinstance(wires, list) else [wires]) if isinstance(wire, str))


def _is_declaration(item: tuple[str, Any]) -> bool:
    name, declaration = item
    return is_quotable(name) and isinstance(declaration, Mapping) and all(map(is_quotable, declaration))


def _is_group(group: Any) -> bool:
    return isinstance(group, Mapping) and is_quotable(group.get("title")) and all(map(is_quotable, group))


def _format_declaration(word: str, name: str, pairs: Mapping[str, Any]) -> str:
    """`stream name(key = value, …)`; a group is written alike."""
    spelled = [Piece(f"{spell_name(key)} = {spell_words(value)}") for key, value in pairs.items()]
    return build_call(f"{word} {spell_name(name)}", spelled).text


def _place(name: str, position: Any) -> str:
    pair = (
        isinstance(position, list)
        and len(position) == 2
        and all(type(item) in (int, float) for item in position)
    )
    spelled = spell_name(name)
    return (
        f"{spelled} {spell_json(position[0])} {spell_json(position[1])}"
        if pair
        else f"{spelled}: {spell_json(position)}"
    )
