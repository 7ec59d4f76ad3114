/** A colour and a label for each value of a text or bool. */
import { useState } from "react";
import type { Scalar } from "../core/api/types";
import { useDark } from "../core/ui/theme";
import { ColourSelect } from "./ColourSelect";
import { DARK, LIGHT, swatchOf } from "./colours";
import type { ColourName, Display } from "./display";
import { registerOfValues } from "./colourRegister";

interface Props {
  display: Display;
  change: (display: Display) => void;
  /** Those that are seen; others can be added. */
  values: readonly Scalar[];
}

interface RowProps {
  value: Scalar;
  colour: ColourName | undefined;
  label: string;
  guessed: string;
  change: (one: { colour?: ColourName; label?: string }) => void;
}

function Row({ value, colour, label, guessed, change }: RowProps) {
  const text = String(value);
  return (
    <tr>
      <th scope="row" className="code">
        {text}
      </th>
      <td>
        <ColourSelect
          label={`Colour of ${text}`}
          value={colour}
          guessed={guessed}
          choose={(chosen) => change({ colour: chosen, label })}
        />
      </td>
      <td>
        <input
          aria-label={`Label of ${text}`}
          value={label}
          placeholder={text}
          maxLength={60}
          onChange={({ target }) => change({ colour, label: target.value })}
        />
      </td>
    </tr>
  );
}

function AddValue({ add }: { add: (value: string) => void }) {
  const [value, setValue] = useState("");
  return (
    <div className="row">
      <input
        aria-label="Another value"
        placeholder="another value"
        value={value}
        maxLength={200}
        spellCheck={false}
        onChange={({ target }) => setValue(target.value)}
      />
      <button
        type="button"
        disabled={value === ""}
        onClick={() => {
          add(value);
          setValue("");
        }}
      >
        Add value
      </button>
    </div>
  );
}

const MAX_VALUES = 200;

/** Values once each, by what is written of them; those that were chosen for before come as well. */
function listed(values: readonly Scalar[], display: Display, added: readonly string[]): Scalar[] {
  const all = new Map<string, Scalar>(values.map((value) => [String(value), value]));
  for (const value of [...Object.keys(display.values ?? {}), ...added])
    if (!all.has(value)) all.set(value, value);
  return [...all.values()].slice(0, MAX_VALUES);
}

export function ValueFields({ display, change, values }: Props) {
  const theme = useDark() ? DARK : LIGHT;
  const [added, setAdded] = useState<readonly string[]>([]);
  const all = listed(values, display, added);
  const register = registerOfValues(all);
  const chosen = display.values ?? {};
  return (
    <>
      <table className="display-values">
        <thead>
          <tr>
            <th>Value</th>
            <th>Colour</th>
            <th>Label</th>
          </tr>
        </thead>
        <tbody>
          {all.map((value) => {
            const text = String(value);
            const one = Object.hasOwn(chosen, text) ? chosen[text] : undefined;
            return (
              <Row
                key={text}
                value={value}
                colour={one?.colour}
                label={one?.label ?? ""}
                guessed={swatchOf(value, theme, register)}
                change={(next) => change({ ...display, values: { ...chosen, [text]: next } })}
              />
            );
          })}
        </tbody>
      </table>
      <AddValue add={(value) => setAdded([...added, value])} />
    </>
  );
}
