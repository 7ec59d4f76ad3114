/** How documents were spelled by the forms and by hand, for as long as the page is open. */
import type { PlanDocument } from "../../core/api/types";

export interface Memory {
  /** As the form itself writes a document. */
  plain: WeakMap<PlanDocument, string>;
  /** As it was typed, or shown. */
  typed: WeakMap<PlanDocument, string>;
}

export function createMemory(): Memory {
  return { plain: new WeakMap(), typed: new WeakMap() };
}

export const MEMORY: Record<"text" | "json", Memory> = { text: createMemory(), json: createMemory() };
