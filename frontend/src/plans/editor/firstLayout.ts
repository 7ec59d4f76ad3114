/**
 * The layout of a plan that has none: ELK's, the same at every opening however long it takes. No clock decides: a plan that is
 * too large for it, or whose layout cannot be made, lies in plain columns.
 */
import type { Operator, PlanDocument } from "../../core/api/types";
import { layOut } from "../../core/graph/elk";
import { rebaseHistory } from "../../core/graph/history";
import type { LayoutEngine } from "./layoutEngine";
import { documentOf, get, set } from "./store";

/** ELK would keep a larger plan waiting; it is opened in plain columns, and laid out when that is asked. */
const MOST_NODES = 2000;

/** Whether it tells no places at all, and is small enough to be laid out at once. */
export function isBare({ nodes, layout = {} }: PlanDocument): boolean {
  const names = Object.keys(nodes);
  return names.length > 1 && names.length <= MOST_NODES && names.every((name) => layout[name] === undefined);
}

async function engineOfPage(): Promise<LayoutEngine> {
  return (await import("./layoutEngine")).layoutEngine();
}

/** The document with places for its nodes, where it tells none at all. */
export async function withLayout(
  document: PlanDocument,
  operators: ReadonlyMap<string, Operator>,
  engine: () => Promise<LayoutEngine> = engineOfPage,
): Promise<PlanDocument> {
  if (!isBare(document)) return document;
  try {
    return (await layOut(document, [], operators, await engine()))(document);
  } catch {
    return document;
  }
}

/** Places for those nodes of another state of the plan that have none there. */
function placed(laid: PlanDocument): (state: PlanDocument) => PlanDocument {
  return (state) => {
    const told = { ...laid.layout, ...state.layout };
    const layout = Object.fromEntries(Object.entries(told).filter(([name]) => name in state.nodes));
    const known = Object.keys(state.layout ?? {});
    return Object.keys(layout).every((name) => known.includes(name)) ? state : { ...state, layout };
  };
}

/** Lay out the plan that is open, should it have no places: no edit, nothing is saved or can be undone by it. */
export async function layOutBare(): Promise<void> {
  const document = documentOf(get());
  const laid = await withLayout(document, get().operators);
  if (laid === document || documentOf(get()) !== document) return;
  const bring = placed(laid);
  set(({ history, saved }) => ({
    history: { ...rebaseHistory(history, laid, bring), tag: history.tag },
    saved: saved === document ? laid : bring(saved),
  }));
}
