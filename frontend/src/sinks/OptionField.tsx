import { useId } from "react";
import type { SinkOption } from "./calls";

interface Props {
  option: SinkOption;
  value: string | undefined;
  /** Whether a secret is kept already. */
  kept: boolean;
  change: (value: string) => void;
}

const LONG: readonly string[] = ["ca", "certificate", "private_key"];

/** A field for an option of a sink, as its kind describes it. */
export function OptionField({ option, value, kept, change }: Props) {
  const id = useId();
  const shown = value ?? (option.default === null ? "" : String(option.default));
  const common = { id, value: shown, "data-testid": `sink-${option.name}`, "aria-describedby": `${id}-help` };
  const choices = option.kind === "bool" ? ["true", "false"] : option.choices;
  return (
    <div className="field">
      <label htmlFor={id}>
        {option.name.replaceAll("_", " ")}
        {option.unit !== "" && `, in ${option.unit}`}
        {!option.required && <i className="faint"> optional</i>}
      </label>
      {choices.length > 0 ? (
        <select {...common} onChange={(event) => change(event.target.value)}>
          {choices.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      ) : LONG.includes(option.name) ? (
        <textarea {...common} rows={2} onChange={(event) => change(event.target.value)} />
      ) : (
        <input
          {...common}
          type={option.secret ? "password" : "text"}
          autoComplete="off"
          required={option.required && !kept}
          spellCheck={false}
          onChange={(event) => change(event.target.value)}
        />
      )}
      <small id={`${id}-help`} className="faint">
        {option.help}
        {kept && "; kept already: leave it empty to let it be"}
      </small>
    </div>
  );
}
