import type { PlanDocument } from "../api/document";
import { sinks } from "../graph/document";

/** The document as it is saved: with its results named. */
export function complete(document: PlanDocument): PlanDocument {
  return (document.results ?? []).length > 0 ? document : { ...document, results: sinks(document) };
}
