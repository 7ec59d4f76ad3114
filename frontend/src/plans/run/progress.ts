/** How each node of a running plan does: what needs a person first, then what is on its way, then what runs. */
import type { NodeStatus, PlanNode } from "../../core/api/types";
import { formatLength, formatRate } from "../../core/ui/format";

export interface Row {
  /** How it is drawn, else how it is called where it runs. */
  name: string;
  /** How it is called where it runs. */
  as: string;
  observed: string;
  words: string;
  /** Of what it catches up with, from 0 to 1; null where it is not catching up. */
  done: number | null;
  /** Speed and time left while it catches up. */
  pace: string;
  trouble: string;
  hint: string;
  error: string;
}

const URGENCY = ["failed", "retrying", "starting", "stopping", "stopped"];

function urgency(row: Row): number {
  const at = URGENCY.indexOf(row.observed);
  if (at >= 0) return at;
  return row.done === null ? URGENCY.length + 1 : URGENCY.length;
}

function rowOf(node: PlanNode, status: NodeStatus | undefined, name: string): Row {
  const observed = status?.observed ?? node.status;
  const backlog = observed === "running" ? (status?.backlog ?? null) : null;
  const left = backlog?.seconds_left;
  const pace = [
    `${Math.floor((backlog?.done ?? 0) * 100)} %`,
    `${formatRate(status?.rates.events_per_second ?? 0)} events/s`,
    left == null ? "" : `${formatLength(Math.ceil(left) * 1_000_000)} left`,
  ];
  return {
    name,
    as: node.name,
    observed,
    words: status?.trouble && observed === "failed" ? "failed" : status?.words || observed,
    done: backlog?.done ?? null,
    pace: backlog === null ? "" : pace.filter(Boolean).join(" · "),
    trouble: status?.trouble ?? "",
    hint: status?.hint ?? "",
    error: status?.error ?? "",
  };
}

/** Of all nodes that run; `drawn` says how one is drawn, where that is known. */
export function rowsOf(
  nodes: readonly PlanNode[],
  statuses: Readonly<Record<string, NodeStatus>>,
  drawn: ReadonlyMap<string, string> = new Map(),
): Row[] {
  const rows = nodes.map((node) => rowOf(node, statuses[node.name], drawn.get(node.name) ?? node.name));
  return rows.sort((a, b) => urgency(a) - urgency(b) || a.name.localeCompare(b.name));
}

/** All of them in a few words. */
export function summaryOf(rows: readonly Row[]): string {
  const count = (is: (row: Row) => boolean): number => rows.filter(is).length;
  const running = count((row) => row.observed === "running");
  const catching = rows.filter((row) => row.done !== null);
  const troubled = count((row) => row.observed === "failed" || row.observed === "retrying");
  const parts = [
    running === rows.length ? `${rows.length} of ${rows.length} run` : `${running} of ${rows.length} run`,
    troubled > 0 ? `${troubled} failing` : "",
    catching.length > 0
      ? `${catching.length} catching up, ${Math.floor(Math.min(...catching.map((row) => row.done ?? 1)) * 100)} % at least`
      : "",
  ];
  return parts.filter(Boolean).join(" · ");
}
