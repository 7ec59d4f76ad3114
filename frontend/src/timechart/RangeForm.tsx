import { useId, useState, type FormEvent } from "react";
import { isRange, type RangeUnit } from "../core/time/range";
import { formatField, parseField } from "../core/time/parse";
import { DialogFoot } from "../core/ui/DialogFoot";
import { InstantField } from "../core/ui/InstantField";
import type { Window } from "./window";

const UNITS: readonly [RangeUnit, string][] = [
  ["m", "minutes"],
  ["h", "hours"],
  ["d", "days"],
];

interface Props {
  /** What is shown now. */
  window: Window;
  choose: (range: string) => void;
  look: (window: Window) => void;
  close: () => void;
}

/** The last so many minutes, hours or days. */
function LastForm({ choose, close }: Pick<Props, "choose" | "close">) {
  const id = useId();
  const [count, setCount] = useState("2");
  const [unit, setUnit] = useState<RangeUnit>("h");
  const range = `${Number(count)}${unit}`;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    choose(range);
    close();
  };
  const refusal = isRange(range) ? null : "Enter a whole number from 1 to 9999.";
  return (
    <form onSubmit={submit} aria-label="Last minutes, hours or days">
      <label htmlFor={id}>Last</label>
      <div className="row">
        <input
          id={id}
          data-testid="range-count"
          type="number"
          min={1}
          max={9999}
          autoFocus
          value={count}
          onChange={(event) => setCount(event.target.value)}
        />
        <select
          aria-label="Unit"
          data-testid="range-unit"
          value={unit}
          onChange={(event) => setUnit(event.target.value as RangeUnit)}
        >
          {UNITS.map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </select>
        <button
          type="submit"
          data-testid="range-last"
          disabled={refusal !== null}
          title={refusal ?? undefined}
        >
          Show
        </button>
      </div>
    </form>
  );
}

/** From and to, in the zone that is shown. */
function BetweenForm({ window, look, close }: Omit<Props, "choose">) {
  const [from, setFrom] = useState(formatField(window.start));
  const [to, setTo] = useState(formatField(window.end));
  const [first, last] = [parseField(from)?.us, parseField(to)?.us];
  const isWhole = first !== undefined && last !== undefined;
  const order = isWhole && first >= last ? "The end must be after the start." : null;
  const refusal = isWhole ? order : "Enter both times.";
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isWhole || refusal !== null) return;
    look({ start: first, end: last });
    close();
  };
  return (
    <form onSubmit={submit} aria-label="Fixed time range">
      <InstantField label="From" value={from} set={setFrom} testid="range-from" />
      <InstantField label="To" value={to} set={setTo} testid="range-to" />
      <DialogFoot failure={refusal} refusal={refusal} close={close} testid="range-between">
        Show
      </DialogFoot>
    </form>
  );
}

/** Any range: of a length that is typed, or between two instants. */
export default function RangeForm({ window, choose, look, close }: Props) {
  return (
    <div
      className="popover range-form"
      role="dialog"
      aria-label="Time range"
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === "Escape") close();
      }}
    >
      <LastForm choose={choose} close={close} />
      <BetweenForm window={window} look={look} close={close} />
    </div>
  );
}
