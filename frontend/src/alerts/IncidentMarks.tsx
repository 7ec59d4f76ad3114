import "./marks.css";
import { useEffect, type PointerEvent } from "react";
import { shareOf } from "../timechart/timeScale";
import { widenWindow } from "../timechart/view";
import type { Window } from "../timechart/window";
import { capitalize } from "./alertState";
import type { Incident } from "./calls";
import { showMarks, useMarks } from "./marks";
import { formatSpan } from "./span";

interface Props {
  digest: string;
  pinned: string;
  /** For which they are placed: on a sheet that is wider. */
  window: Window;
  /** As it was known then; null: now. */
  knownAt: number | null;
}

// The lanes take the pointer for a stroke; this is a link.
const stop = (event: PointerEvent): void => event.stopPropagation();

function Mark({ incident, sheet }: { incident: Incident; sheet: Window }) {
  const { id, alert, state, start, end } = incident;
  const [from, to] = [start ?? -Infinity, end ?? Infinity];
  if (to < sheet.start || from > sheet.end) return null;
  const left = shareOf(Math.max(from, sheet.start), sheet) * 100;
  const right = shareOf(Math.min(to, sheet.end), sheet) * 100;
  const ends = `${from >= sheet.start ? " begins" : ""}${to <= sheet.end ? " ends" : ""}`;
  const words = `${capitalize(state)}: ${alert.name}, ${alert.severity}, ${formatSpan(incident)}`;
  return (
    <a
      className={`incident-mark ${state}${ends}`}
      href={`/incidents/${id}/`}
      title={words}
      aria-label={words}
      data-testid={`incident-mark-${id}`}
      style={{ left: `${left}%`, width: `max(8px, ${right - left}%)` }}
      onPointerDown={stop}
      onClick={(event) => event.stopPropagation()}
    />
  );
}

/** The incidents of a node and a key over its lane: when each begins and ends. */
export function IncidentMarks({ digest, pinned, window, knownAt }: Props) {
  useEffect(() => showMarks(digest, pinned), [digest, pinned]);
  const incidents = useMarks(digest, pinned);
  const sheet = widenWindow(window);
  return incidents
    .filter(({ known_at: known }) => knownAt === null || known <= knownAt)
    .map((incident) => <Mark key={incident.id} incident={incident} sheet={sheet} />);
}
