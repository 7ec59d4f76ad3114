/** In words: what emptying or deleting a stream would cause. Pure. */
import type { Removal } from "../core/api/streams";
import { formatSize } from "../core/ui/format";

export type RemovalKind = "delete" | "empty";

const counted = (many: number, one: string): string =>
  `${many.toLocaleString("en")} ${one}${many === 1 ? "" : "s"}`;

/** A length of time in words: 1 day, 12 hours. */
export function formatRetention(seconds: number): string {
  if (seconds % 86_400 === 0) return counted(seconds / 86_400, "day");
  if (seconds % 3_600 === 0) return counted(seconds / 3_600, "hour");
  return counted(Math.round(seconds / 60), "minute");
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, 3).join(", ");
  return names.length > 3 ? `${shown} and ${names.length - 3} more` : shown;
}

/** What goes, a sentence each. */
export function describeConsequences(removal: Removal, way: RemovalKind): string[] {
  const stored = `${counted(removal.events, "event")} (${formatSize(removal.bytes)})`;
  const rejected = removal.rejected > 0 ? ` and ${counted(removal.rejected, "rejected event")}` : "";
  const boards = removal.dashboards.map(({ name }) => `“${name}”`);
  return [
    removal.events + removal.rejected > 0 ? `${stored}${rejected} move to the trash.` : "It holds no events.",
    removal.nodes + removal.sinks > 0 &&
      `${counted(removal.nodes, "node")} computed from it and ${counted(removal.sinks, "sink")} get no more events.`,
    boards.length > 0 && `Dashboards that show its results: ${listed(boards)}.`,
    removal.has_source && "Its source is paused.",
    way === "empty"
      ? `You can restore the events for ${formatRetention(removal.kept_seconds)}.`
      : `You can restore the stream for ${formatRetention(removal.kept_seconds)}. Its name is free at once.`,
  ].filter((sentence) => sentence !== false);
}

/** Why it cannot be done, whatever is agreed to; null where it can. */
export function describeRefusal(removal: Removal): string | null {
  const others = removal.plans.filter((plan) => plan.running && !plan.may_stop);
  if (others.length === 0) return null;
  const owners = [...new Set(others.map(({ owner }) => owner))];
  return `You may not stop ${listed(others.map(({ name }) => name))}. Ask ${owners.join(", ")}.`;
}

/** What must stop first, as a question that is answered with yes; null where nothing must. */
export const describeConsent = (removal: Removal): string | null =>
  removal.stops === 0
    ? null
    : `Stop ${counted(removal.stops, "running plan")} that ${removal.stops === 1 ? "reads" : "read"} it`;
