/** What each node computes, as far as the document tells: equal for nodes that compute the same, however they are called. */
import type { PlanDocument } from "../api/types";
import { sourcesAt } from "./document";
import { memoizeLast } from "./memo";

type Nodes = PlanDocument["nodes"];

/** Short names of all that was ever met, so that what is stacked high does not grow long. */
const numbers = new Map<string, string>();

function numberOf(spelled: string): string {
  const known = numbers.get(spelled) ?? `#${numbers.size}`;
  numbers.set(spelled, known);
  return known;
}

const sorted = (record: Readonly<Record<string, unknown>> = {}): [string, unknown][] =>
  Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));

function identify(nodes: Nodes): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const of = (name: string, above: readonly string[]): string => {
    const node = nodes[name];
    // A plan that is being drawn may have wires from nowhere, and circles.
    if (!node || above.includes(name)) return `?${name}`;
    const known = found.get(name);
    if (known !== undefined) return known;
    const inputs = sorted(node.inputs).map(([port]) => [
      port,
      sourcesAt(node, port).map((from) => of(from, [...above, name])),
    ]);
    const made = numberOf(JSON.stringify([node.op, node.stream ?? "", sorted(node.params), inputs]));
    found.set(name, made);
    return made;
  };
  for (const name of Object.keys(nodes)) of(name, []);
  return found;
}

/** Of each node by name. */
export const computeIdentities = memoizeLast(identify);
