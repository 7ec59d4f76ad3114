/** Format, unit, decimals and thresholds of a number. */
import { useId } from "react";
import type { Scalar } from "../core/api/types";
import { ColourSelect } from "./ColourSelect";
import { FORMATS, type Display, type Format, type Threshold } from "./display";
import { spellValue } from "./display";

interface Props {
  display: Display;
  change: (display: Display) => void;
  values: readonly Scalar[];
}

type FieldProps = Pick<Props, "display" | "change">;

function FormatField({ display, change }: FieldProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>Format</label>
      <select
        id={id}
        value={display.format ?? ""}
        onChange={({ target }) =>
          change({ ...display, format: target.value === "" ? undefined : (target.value as Format) })
        }
      >
        <option value="">Automatic</option>
        {Object.entries(FORMATS).map(([format, words]) => (
          <option key={format} value={format}>
            {words}
          </option>
        ))}
      </select>
    </div>
  );
}

const WITH_UNIT: ReadonlySet<Format> = new Set(["number", "currency"]);

function UnitField({ display, change }: FieldProps) {
  const id = useId();
  if (!WITH_UNIT.has(display.format ?? "number")) return null;
  const isCurrency = display.format === "currency";
  return (
    <div className="field">
      <label htmlFor={id}>{isCurrency ? "Currency" : "Unit"}</label>
      <input
        id={id}
        value={display.unit ?? ""}
        required={isCurrency}
        pattern={isCurrency ? "[A-Za-z]{3}" : undefined}
        title={isCurrency ? "A code of three letters, such as EUR" : undefined}
        placeholder={isCurrency ? "EUR" : "°C"}
        maxLength={isCurrency ? 3 : 20}
        onChange={({ target }) =>
          change({ ...display, unit: isCurrency ? target.value.toUpperCase() : target.value })
        }
      />
    </div>
  );
}

const DECIMALS = [0, 1, 2, 3, 4, 5, 6];

function DecimalsField({ display, change }: FieldProps) {
  const id = useId();
  if (display.format === "duration") return null;
  return (
    <div className="field">
      <label htmlFor={id}>Decimals</label>
      <select
        id={id}
        value={display.decimals ?? ""}
        onChange={({ target }) =>
          change({ ...display, decimals: target.value === "" ? undefined : Number(target.value) })
        }
      >
        <option value="">Automatic</option>
        {DECIMALS.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
    </div>
  );
}

interface ThresholdProps {
  place: number;
  one: Threshold;
  change: (one: Threshold) => void;
  remove: () => void;
}

function ThresholdRow({ place, one, change, remove }: ThresholdProps) {
  return (
    <div className="row threshold">
      <span>from</span>
      <input
        type="number"
        step="any"
        required
        aria-label={`Threshold ${place}`}
        defaultValue={one.start}
        onChange={({ target }) =>
          Number.isFinite(target.valueAsNumber) && change({ ...one, start: target.valueAsNumber })
        }
      />
      <ColourSelect
        label={`Colour of threshold ${place}`}
        value={one.colour}
        choose={(colour) => colour && change({ ...one, colour })}
      />
      <button type="button" className="quiet" aria-label={`Remove threshold ${place}`} onClick={remove}>
        ×
      </button>
    </div>
  );
}

const MAX_THRESHOLDS = 20;

function Thresholds({ display, change }: FieldProps) {
  const { thresholds = [] } = display;
  const set = (next: Threshold[]) => change({ ...display, thresholds: next });
  const last = thresholds.at(-1);
  return (
    <fieldset className="thresholds">
      <legend>Thresholds</legend>
      {display.format === "percent" && <small className="faint">As the number itself: 0.9 is 90 %.</small>}
      {display.format === "duration" && <small className="faint">In seconds.</small>}
      {thresholds.map((threshold, i) => (
        <ThresholdRow
          key={i}
          place={i + 1}
          one={threshold}
          change={(next) => set(thresholds.map((other, j) => (i === j ? next : other)))}
          remove={() => set(thresholds.filter((other) => other !== threshold))}
        />
      ))}
      <button
        type="button"
        disabled={thresholds.length >= MAX_THRESHOLDS}
        onClick={() =>
          set([
            ...thresholds,
            { start: (last?.start ?? 0) + (last ? 1 : 0), colour: last ? "bad" : "warning" },
          ])
        }
      >
        Add threshold
      </button>
    </fieldset>
  );
}

/** What the newest value looks like, so that nobody need save to see. */
function Example({ display, values }: Pick<Props, "display" | "values">) {
  const number = values.findLast((value) => typeof value === "number") ?? 1234.5;
  const ready = display.format !== "currency" || /^[A-Z]{3}$/.test(display.unit ?? "");
  return (
    <p className="faint" data-testid="display-example">
      {String(number)} is shown as <b>{ready ? spellValue(number, display) : "…"}</b>
    </p>
  );
}

export function NumberFields({ display, change, values }: Props) {
  return (
    <>
      <div className="display-number">
        <FormatField display={display} change={change} />
        <UnitField display={display} change={change} />
        <DecimalsField display={display} change={change} />
      </div>
      <Example display={display} values={values} />
      <Thresholds display={display} change={change} />
    </>
  );
}
