/** The limits of alerts on numbers, as a plan has them. Pure. */
import type { PlanDocument } from "../api/types";

export interface Limit {
  /** The alert node. */
  readonly of: string;
  readonly value: number;
  /** Whether it ends there; else it fires. */
  readonly clears: boolean;
}

/** By the node whose number is compared. */
export function limitsOf({ nodes }: Pick<PlanDocument, "nodes">): Record<string, Limit[]> {
  const found: Record<string, Limit[]> = {};
  for (const [name, { op, inputs = {}, params = {} }] of Object.entries(nodes)) {
    const input = [inputs.of].flat()[0];
    const fires = params.above ?? params.below;
    if (op !== "alert" || input === undefined || typeof fires !== "number") continue;
    const limits = (found[input] ??= []);
    limits.push({ of: name, value: fires, clears: false });
    if (typeof params.clear === "number" && params.clear !== fires)
      limits.push({ of: name, value: params.clear, clears: true });
  }
  return found;
}
