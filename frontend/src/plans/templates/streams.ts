/** The streams of a template: declared under their own names, or under others where those are taken. */
import { ApiError } from "../../core/api/client";
import { streamApi } from "../../core/api/streams";
import type {
  DocumentNode,
  ParameterValue,
  PlanDocument,
  Stream,
  StreamDeclaration,
} from "../../core/api/types";

export type Declarations = Readonly<Record<string, Omit<StreamDeclaration, "name">>>;
export type StreamNames = Readonly<Record<string, string>>;

const MOST_NAMES = 20;
const PARTS = ["key", "time", "unit", "id", "until"] as const;

/** Whether a stream that is there has all that the declaration says. */
export function isDeclaredSo(stream: Stream, declaration: Declarations[string]): boolean {
  const fields = Object.entries(declaration.fields ?? {});
  return (
    PARTS.every((part) => (stream[part] ?? "") === (declaration[part] ?? "")) &&
    fields.every(([name, type]) => stream.fields[name] === type)
  );
}

const isTaken = (error: unknown): boolean => error instanceof ApiError && error.status === 409;

async function declareStream(
  name: string,
  declaration: Declarations[string],
  streams: ReadonlyMap<string, Stream>,
): Promise<string> {
  for (let number = 1; number <= MOST_NAMES; number += 1) {
    const candidate = number === 1 ? name : `${name}_${number}`;
    const stream = streams.get(candidate);
    if (stream && isDeclaredSo(stream, declaration)) return candidate;
    if (stream) continue;
    try {
      return (await streamApi.declare({ ...declaration, name: candidate })).name;
    } catch (error) {
      if (!isTaken(error)) throw error;
    }
  }
  throw new Error(
    `The names ${name} to ${name}_${MOST_NAMES} are taken by other streams. Delete one of them.`,
  );
}

/** Declares what is not there yet; answers the name of each stream. */
export async function declareStreams(
  declarations: Declarations,
  streams: ReadonlyMap<string, Stream>,
): Promise<StreamNames> {
  const names: Record<string, string> = {};
  for (const [name, declaration] of Object.entries(declarations))
    names[name] = await declareStream(name, declaration, streams);
  return names;
}

const renameParts = (value: ParameterValue, names: StreamNames): ParameterValue =>
  Array.isArray(value)
    ? value.map((part) => ({ ...part, stream: names[part.stream] ?? part.stream }))
    : value;

function renameStreamsOf(node: DocumentNode, names: StreamNames): DocumentNode {
  const params = Object.entries(node.params ?? {}).map(([name, value]) => [name, renameParts(value, names)]);
  return {
    ...node,
    ...(node.stream !== undefined && { stream: names[node.stream] ?? node.stream }),
    ...(node.params && { params: Object.fromEntries(params) as Record<string, ParameterValue> }),
  };
}

/** The document with other names of its streams. */
export function renameStreams(document: PlanDocument, names: StreamNames): PlanDocument {
  const nodes = Object.entries(document.nodes).map(([name, node]) => [name, renameStreamsOf(node, names)]);
  return { ...document, nodes: Object.fromEntries(nodes) as PlanDocument["nodes"] };
}
