import type { PlanDocument } from "../../core/api/document";
import { findSinks } from "../../core/graph/document";

/** The document as it is saved: with its results named. */
export function addResults(document: PlanDocument): PlanDocument {
  return (document.results ?? []).length > 0 ? document : { ...document, results: findSinks(document) };
}
