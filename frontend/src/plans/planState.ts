import type { Plan } from "../core/api/types";

/** How a plan is, in one word for its dot and in some for a reader: what of it fails comes first. */
export function stateOf({ running, nodes }: Pick<Plan, "running" | "nodes">): {
  state: string;
  words: string;
} {
  if (!running) return { state: "stopped", words: "stopped" };
  for (const [state, said] of [
    ["failed", "failed"],
    ["retrying", "tried again"],
    ["starting", "starting"],
  ] as const) {
    const many = nodes.filter((node) => node.status === state).length;
    if (many > 0) return { state, words: `running, ${many} ${said}` };
  }
  return { state: "running", words: "running" };
}
