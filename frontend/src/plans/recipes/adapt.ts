/** A recipe is written for streams of its own: what reads them reads a stream that is there, and keeps what fits it. Pure. */
import type { DocumentNode, ParameterValue, PlanDocument, Stream } from "../../core/api/types";
import { omitKey } from "../../core/graph/records";

type Streams = ReadonlyMap<string, Stream>;

const FIRST_NAME = /^[\p{L}_][\p{L}\p{N}_.]*/u;

function hasField(stream: Stream | undefined, value: ParameterValue | undefined): boolean {
  const [name] = FIRST_NAME.exec(typeof value === "string" ? value : "") ?? [];
  return (
    name !== undefined && stream !== undefined && (name in stream.fields || stream.seen_fields.includes(name))
  );
}

/** The steps of a sequence and what breaks it keep their conditions: one without would take every event. */
function adaptParts(value: ParameterValue, streams: Streams, likely: string): ParameterValue {
  if (!Array.isArray(value)) return value;
  return value.map((part) => (streams.has(part.stream) ? part : { ...part, stream: likely }));
}

function adaptParams(node: DocumentNode, streams: Streams, likely: string): DocumentNode {
  if (node.params === undefined) return node;
  const params = Object.entries(node.params).map(([name, value]) => [
    name,
    adaptParts(value, streams, likely),
  ]);
  return { ...node, params: Object.fromEntries(params) as Record<string, ParameterValue> };
}

function adaptNode(node: DocumentNode, streams: Streams, likely: string | undefined): DocumentNode {
  if (node.stream === undefined) return likely === undefined ? node : adaptParams(node, streams, likely);
  if (streams.has(node.stream)) return node;
  const stream = streams.get(likely ?? "");
  const strange = ["field", "where"].filter((name) => !hasField(stream, node.params?.[name]));
  const params = strange.reduce((held, name) => omitKey(held, name), { ...node.params });
  const bare = omitKey(omitKey(node, "stream"), "params") as DocumentNode;
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
