/** A recipe is written for streams of its own: what reads them reads a stream that is there, and keeps what fits it. Pure. */
import type { DocumentNode, PlanDocument, Scalar, Stream } from "../api/types";
import { without } from "../graph/records";

type Streams = ReadonlyMap<string, Stream>;

const FIRST_NAME = /^[\p{L}_][\p{L}\p{N}_.]*/u;

function hasField(stream: Stream | undefined, text: Scalar | undefined): boolean {
  const [name] = FIRST_NAME.exec(String(text ?? "")) ?? [];
  return (
    name !== undefined && stream !== undefined && (name in stream.fields || stream.seen_fields.includes(name))
  );
}

function adaptNode(node: DocumentNode, streams: Streams, likely: string | undefined): DocumentNode {
  if (node.stream === undefined || streams.has(node.stream)) return node;
  const stream = streams.get(likely ?? "");
  const strange = ["field", "where"].filter((name) => !hasField(stream, node.params?.[name]));
  const params = strange.reduce((held, name) => without(held, name), { ...node.params });
  const bare = without(without(node, "stream"), "params") as DocumentNode;
  return {
    ...bare,
    ...(stream ? { stream: stream.name } : {}),
    ...(Object.keys(params).length > 0 ? { params } : {}),
  };
}

/** The plan of a recipe on the streams that are there; fields and conditions that the stream does not have are left empty. */
export function adaptRecipe(
  document: PlanDocument,
  streams: Streams,
  likely: string | undefined,
): PlanDocument {
  const nodes = Object.entries(document.nodes).map(([name, node]) => [
    name,
    adaptNode(node, streams, likely),
  ]);
  return { ...document, nodes: Object.fromEntries(nodes) as PlanDocument["nodes"] };
}
