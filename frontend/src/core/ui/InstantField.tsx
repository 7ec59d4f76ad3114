import { useId } from "react";
import { formatMoment } from "../time/format";
import { parseField, type Parsed } from "../time/parse";
import { spellZone, useZone } from "../time/zone";

/** What is meant where the clocks change: the same rule as for the times of events. */
function changeWords({ us, change }: Parsed): string {
  if (change === "skipped") return `The clocks skip this time. Meant is ${formatMoment(us)}.`;
  return `The clocks show this time twice. Meant is the first: ${formatMoment(us)}.`;
}

interface Props {
  label: string;
  /** What a `datetime-local` field holds. */
  value: string;
  set: (value: string) => void;
  testid?: string;
  autoFocus?: boolean;
}

/** A date and time, read in the zone that is shown. */
export function InstantField({ label, value, set, testid, autoFocus }: Props) {
  const id = useId();
  const zone = useZone();
  const parsed = parseField(value);
  const hint = parsed === null || parsed.change === null ? null : changeWords(parsed);
  return (
    <div className="field">
      <label htmlFor={id}>
        {label} ({spellZone(zone)})
      </label>
      <input
        id={id}
        data-testid={testid}
        type="datetime-local"
        step="1"
        autoFocus={autoFocus}
        value={value}
        aria-describedby={hint === null ? undefined : `${id}-hint`}
        onChange={(event) => set(event.target.value)}
      />
      {hint !== null && (
        <small id={`${id}-hint`} className="faint">
          {hint}
        </small>
      )}
    </div>
  );
}
