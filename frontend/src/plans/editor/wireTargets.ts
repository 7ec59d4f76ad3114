/** The ports to which a node's output could be wired, those that take it first; the others with their reason. */
import type { PlanDocument } from "../../core/api/types";
import { sourcesAt, type Wire } from "../../core/graph/document";
import { refusesWire, type Catalogue } from "../../core/graph/wiring";

export interface Target {
  wire: Wire;
  /** The node and its port. */
  title: string;
  refusal: string | null;
  instead: string | null;
}

export function wireTargets(document: PlanDocument, from: string, catalogue: Catalogue): Target[] {
  const all = Object.entries(document.nodes).flatMap(([to, node]) =>
    to === from
      ? []
      : (catalogue.operators.get(node.op)?.inputs ?? []).map((port): Target => {
          const wire = { from, to, port: port.name };
          const held = sourcesAt(node, port.name);
          return {
            wire,
            title: `${to} · ${port.title}`,
            refusal: refusesWire(document, wire, catalogue),
            instead: port.many || held.length === 0 ? null : `instead of ${held.join(", ")}`,
          };
        }),
  );
  const rank = (target: Target): number => (target.refusal !== null ? 2 : target.instead !== null ? 1 : 0);
  return all.toSorted((a, b) => rank(a) - rank(b));
}
