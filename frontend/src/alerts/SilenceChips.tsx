import "./alerts.css";
import { BellOff } from "lucide-react";
import { formatDay, formatMinute, microsOf } from "../core/time/format";
import type { ActiveSilence } from "./calls";

/** 14:00 of today; of another day its date as well. */
function formatEnd(iso: string): string {
  const us = microsOf(iso);
  const isToday = formatDay(us) === formatDay(Date.now() * 1000);
  return isToday ? formatMinute(us) : `${formatDay(us)} ${formatMinute(us)}`;
}

/** What mutes an alert or an incident now. */
export function SilenceChips({ silences }: { silences: readonly ActiveSilence[] }) {
  return silences.map(({ id, key, reason, owner, ends_at: ends }) => (
    <a
      key={id}
      className="silence-chip"
      href="/silences/"
      title={`${reason} (${owner})`}
      data-testid={`silenced-${id}`}
    >
      <BellOff size={12} aria-hidden="true" />
      <span>
        {key === "" ? "Silenced" : `${key} silenced`} <span className="until">until {formatEnd(ends)}</span>
      </span>
    </a>
  ));
}
