/** The layout of a plan that has none: ELK's, the same at every opening; the plain one where that fails or takes long. */
import type { Operator, PlanDocument } from "../api/types";
import { layOut } from "../graph/elk";

const PATIENCE_MS = 3000;
/** ELK would keep a larger plan waiting; it is opened in plain columns, and laid out when that is asked. */
const MOST_NODES = 150;

/** Whether it tells no places at all, and is small enough to be laid out at once. */
function isBare({ nodes, layout = {} }: PlanDocument): boolean {
  const names = Object.keys(nodes);
  return names.length > 1 && names.length <= MOST_NODES && names.every((name) => layout[name] === undefined);
}

const late = (): Promise<never> =>
  new Promise((_, reject) =>
    window.setTimeout(() => reject(new Error("The layout took too long.")), PATIENCE_MS),
  );

async function made(document: PlanDocument, operators: ReadonlyMap<string, Operator>): Promise<PlanDocument> {
  const { layoutEngine } = await import("./layoutEngine");
  return (await layOut(document, [], operators, await layoutEngine()))(document);
}

/** The document with places for its nodes, where it tells none at all. */
export async function withLayout(
  document: PlanDocument,
  operators: ReadonlyMap<string, Operator>,
): Promise<PlanDocument> {
  if (!isBare(document)) return document;
  // Without places of its own it is drawn in plain columns.
  return Promise.race([made(document, operators), late()]).catch(() => document);
}
