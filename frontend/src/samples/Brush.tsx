import type { Kind, Scalar } from "../core/api/types";
import { isNumber } from "./answer";
import { labelOf, type Display } from "../timechart/display";
import { useDisplay } from "../timechart/displays";
import type { ExpectedValue } from "../core/api/samples";

interface Props {
  node: string;
  kind: Kind;
  values: readonly (Scalar | null)[];
  brush: ExpectedValue | null;
  choose: (brush: ExpectedValue | null) => void;
}

const WIPE = "wipe";
const OTHER = "other";
const named = (value: Scalar | null, display: Display): string =>
  value === null ? "unknown" : labelOf(value, display);

/** A value, as an option of a list: told apart from the words for others. */
const spelled = (value: Scalar | null): string => JSON.stringify(value);

function Numbers({ node, brush, choose }: Props) {
  const value = typeof brush?.value === "number" ? brush.value : 0;
  const slope = brush?.slope ?? 0;
  const take = (change: ExpectedValue) => choose({ value, slope, ...change });
  return (
    <>
      <input
        type="number"
        step="any"
        aria-label={`Value to paint on ${node}`}
        value={value}
        onChange={(event) => take({ value: Number(event.target.value) })}
      />
      <input
        type="number"
        step="any"
        aria-label={`Slope to paint on ${node}, a second`}
        title="Change per second"
        value={slope}
        onChange={(event) => take({ slope: Number(event.target.value) })}
      />
    </>
  );
}

function Other({ node, brush, choose }: Props) {
  return (
    <input
      aria-label={`Text to paint on ${node}`}
      placeholder="a value"
      value={typeof brush?.value === "string" ? brush.value : ""}
      onChange={(event) => choose({ value: event.target.value })}
    />
  );
}

/** What is painted on the lane of a node. */
export function Brush(props: Props) {
  const { node, kind, values, brush, choose } = props;
  const display = useDisplay(node);
  const numeric = isNumber(kind);
  const options = numeric ? [null] : values;
  const known = brush !== null && options.includes(brush.value ?? null);
  const other = brush !== null && !known;
  const take = (chosen: string) => {
    if (chosen === WIPE) choose(null);
    else if (chosen === OTHER) choose({ value: numeric ? 0 : "" });
    else choose({ value: JSON.parse(chosen) as Scalar | null });
  };
  return (
    <span className="paint-choice">
      <select
        aria-label={`What to paint on ${node}`}
        value={brush === null ? WIPE : known ? spelled(brush.value ?? null) : OTHER}
        onChange={(event) => take(event.target.value)}
      >
        {numeric && <option value={OTHER}>a number</option>}
        {options.map((value) => (
          <option key={spelled(value)} value={spelled(value)}>
            {named(value, display)}
          </option>
        ))}
        {kind === "text" && <option value={OTHER}>another value</option>}
        <option value={WIPE}>ignore</option>
      </select>
      {other && (numeric ? <Numbers {...props} /> : <Other {...props} />)}
    </span>
  );
}
