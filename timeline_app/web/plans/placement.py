"""The placement of a running plan: which query hosts, reads, keeps and publishes what."""

from __future__ import annotations

from typing import Any

from timeline_app.algebra.events import TEXT, UNTIL
from timeline_app.compiler import Program
from timeline_app.web.models import Node, Plan, Query
from timeline_app.web.nodes.selectors import describe_observed_state

Document = dict[str, Any]


def describe_placement(plan: Plan) -> Document:
    """Return the queries that compute the nodes of a running plan, and those to which nodes are moving."""
    uses = plan.uses.select_related("node__query", "node__next_query").order_by("name")
    names: dict[str, list[str]] = {}
    queries: dict[int, Query] = {}
    for use in uses:
        names.setdefault(use.node.digest, []).extend([use.name] if use.name else [])
        for query in (use.node.query, use.node.next_query):
            if query is not None:
                queries[query.pk] = query
    query_documents = [
        _describe_query(query, names) for query in sorted(queries.values(), key=lambda item: item.name)
    ]
    return {
        "placement": plan.placement,
        "running": plan.running,
        "queries": query_documents,
        "text": _format_queries(query_documents),
    }


def _describe_query(query: Query, names: dict[str, list[str]]) -> Document:
    program = Program.from_document(query.program)
    hosted = [
        _describe_hosted_node(node, query, names)
        for node in (query.nodes.all() | query.coming.all()).distinct().order_by("digest")
        if node.digest not in program.silent
    ]
    observed, words = describe_observed_state(query)
    return {
        "name": query.name,
        "observed": observed,
        "words": words,
        "hosts": hosted,
        "reads": _describe_inputs(program, names),
        "keeps": {"what": _describe_state(program), "rows": query.state_rows, "bytes": query.state_bytes},
        "publishes": [item["digest"] for item in hosted if not item["moving_to"]],
    }


def _describe_hosted_node(node: Node, query: Query, names: dict[str, list[str]]) -> Document:
    """Return a node of a query, with its names in this plan."""
    moving = node.next_query.name if node.next_query is not None else None
    return {
        "digest": node.digest,
        "operator": node.operator,
        "names": names.get(node.digest, []),
        "moving_from": node.query.name if node.query_id != query.pk else None,
        "moving_to": moving if node.query_id == query.pk else None,
    }


def _describe_inputs(program: Program, names: dict[str, list[str]]) -> list[Document]:
    streams = [
        {"stream": name, "fields_read": _list_fields_read(program, name), "node": None, "names": []}
        for name in program.streams
    ]
    feeds = [
        {"stream": None, "fields_read": [], "node": digest, "names": names.get(digest, [])}
        for digest in program.inputs
    ]
    return [*streams, *feeds]


def _list_fields_read(program: Program, stream: str) -> list[str]:
    """Return the fields that it reads, with the events' own name for the end of a row."""
    until = program.declarations[stream].until
    fields = {until if name == UNTIL and until else name for name in program.fields[stream]}
    return sorted(fields - {TEXT})


def _describe_state(program: Program) -> str:
    """Describe what the state consists of."""
    if program.across_keys:
        kept_words = "what each key says of its inputs"
        return f"{kept_words}, and the sums of each group" if program.additive else kept_words
    if program.feeds:
        return "what each key says of its inputs"
    spans = {
        name: "for ever" if item.keeps_everything else item.to_document()["retention"]
        for name, item in program.declarations.items()
    }
    kept_words = ", ".join(f"{name} ({span})" for name, span in spans.items())
    return f"the events of each key within the retention: {kept_words}"


def _format_queries(queries: list[Document]) -> str:
    """Return a text with a paragraph for each query."""
    return "\n\n".join(_format_query(item) for item in queries)


def _format_query(item: Document) -> str:
    hosts = ", ".join(_format_names(node["names"], node["digest"]) for node in item["hosts"])
    reads = "; ".join(
        f"stream {read['stream']} ({', '.join(read['fields_read']) or 'no fields'})"
        if read["stream"]
        else f"node {_format_names(read['names'], read['node'])}"
        for read in item["reads"]
    )
    lines = [
        f"query {item['name'][:20]}: {item['words']}",
        f"  hosts      {hosts}",
        f"  reads      {reads}",
        f"  keeps      {item['keeps']['what']}; {item['keeps']['bytes']:,} bytes",
        f"  publishes  {len(item['publishes'])} of its {len(item['hosts'])} nodes",
    ]
    return "\n".join(lines)


def _format_names(names: list[str], digest: str) -> str:
    return " = ".join(names) if names else f"({digest[:12]})"
