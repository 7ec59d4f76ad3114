/** What happened to an incident: its changes, and what people did, in one order. Times are microseconds. */
import { formatMoment, microsOf } from "../core/time/format";
import { capitalize } from "./alertState";
import type { IncidentWithHistory, Note, Transition } from "./calls";
import { formatSpan } from "./span";

export interface HistoryEntry {
  id: string;
  /** When it became known. */
  at: number;
  words: string;
  /** Who did it; null: events did. */
  author: string | null;
  /** What somebody wrote. */
  text: string;
  /** A late event caused it. */
  isCorrection: boolean;
}

const bound = (us: number | null, without: string): string => (us === null ? without : formatMoment(us));

/** Which ends of the span moved. */
function describeMoves(before: Transition, now: Transition): string[] {
  const moves: string[] = [];
  if (before.start !== now.start)
    moves.push(`its begin from ${bound(before.start, "ever")} to ${bound(now.start, "ever")}`);
  if (before.end !== now.end)
    moves.push(`its end from ${bound(before.end, "open")} to ${bound(now.end, "open")}`);
  return moves;
}

/** What a change did, in words. */
export function describeTransition(now: Transition, before: Transition | null): string {
  switch (now.kind) {
    case "begun":
    case "firing":
      return `${capitalize(now.state)}, ${formatSpan(now)}`;
    case "resolved":
      return now.end === null ? "Resolved" : `Resolved at ${formatMoment(now.end)}`;
    case "reopened":
      return `Reopened, ${formatSpan(now)}`;
    case "retracted":
      return now.joined === null
        ? "Retracted: its span is not true any more"
        : `Retracted: incident ${now.joined} now covers its span`;
    case "flapping":
      return "Flapping: incidents of its key start too often. Messages wait until it has settled";
    case "settled":
      return "Settled: its key flaps no more";
    case "amended": {
      const moves = before === null ? [] : describeMoves(before, now);
      return moves.length === 0 ? `Amended, ${formatSpan(now)}` : `Amended: moved ${moves.join(" and ")}`;
    }
  }
}

const CORRECTIONS: ReadonlySet<Transition["kind"]> = new Set(["amended", "retracted", "reopened"]);

function describeNote({ kind, text }: Note): string {
  if (kind === "acknowledged") return "acknowledged it";
  if (kind === "unacknowledged") return "took the acknowledgement back";
  if (kind === "assigned") return text === "" ? "took the assignment back" : `assigned it to ${text}`;
  return "commented";
}

/** The oldest first. */
export function listHistory({
  history,
  notes,
}: Pick<IncidentWithHistory, "history" | "notes">): HistoryEntry[] {
  const changes = history.map((now, i): HistoryEntry => ({
    id: `change-${now.number}`,
    at: now.known_at,
    words: describeTransition(now, history[i - 1] ?? null),
    author: null,
    text: "",
    isCorrection: CORRECTIONS.has(now.kind),
  }));
  const historyEntries = notes.map((note, i): HistoryEntry => ({
    id: `note-${i}`,
    at: microsOf(note.at),
    words: describeNote(note),
    author: note.author,
    text: note.kind === "comment" ? note.text : "",
    isCorrection: false,
  }));
  return [...changes, ...historyEntries].toSorted((a, b) => a.at - b.at);
}
