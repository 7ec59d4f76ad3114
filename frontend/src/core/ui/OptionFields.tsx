import { useId } from "react";
import { listKeptSecrets, formatOptionTitle, type Before, type Filled, type Option } from "./options";

interface Props {
  option: Option;
  /** Of what it is an option: source, sink. */
  of: string;
  /** Null: the secret that is kept is to be removed. */
  value: string | null | undefined;
  /** Whether a secret is kept already, or was until another option changed who is told it, or how. */
  kept: "stays" | "ends" | null;
  change: (value: string | null) => void;
}

const KEPT = {
  stays: "stored; leave empty to keep it",
  ends: "must be entered again after this change",
};
const LONG: readonly string[] = ["ca", "certificate", "private_key"];

/** A kept secret that is not needed can be removed, until the form is sent also kept again. */
function Removing({ option, value, change }: Pick<Props, "option" | "value" | "change">) {
  const name = formatOptionTitle(option.name);
  return value === null ? (
    <p className="row amber" role="status">
      Removed with the next save.
      <button type="button" aria-label={`Keep ${name}`} onClick={() => change("")}>
        Keep it
      </button>
    </p>
  ) : (
    <button type="button" className="remove-kept" aria-label={`Remove ${name}`} onClick={() => change(null)}>
      Remove it
    </button>
  );
}

/** A field for an option of a source or a sink, as its kind describes it. */
function OptionField({ option, of, value, kept, change }: Props) {
  const id = useId();
  const shown = value ?? (option.default === null || value === null ? "" : String(option.default));
  const common = {
    id,
    value: shown,
    "data-testid": `${of}-${option.name}`,
    "aria-describedby": `${id}-help`,
  };
  const written = {
    ...common,
    placeholder: kept !== null && value !== null ? KEPT[kept] : undefined,
    required: option.required && kept !== "stays",
    spellCheck: false,
  };
  const choices = option.kind === "bool" ? ["true", "false"] : option.choices;
  return (
    <div className="field">
      <label htmlFor={id}>
        {formatOptionTitle(option.name)}
        {option.unit !== "" && `, in ${option.unit}`}
        {!option.required && <i className="faint"> optional</i>}
      </label>
      {choices.length > 0 ? (
        <select {...common} onChange={(event) => change(event.target.value)}>
          {choices.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      ) : LONG.includes(option.name) ? (
        <textarea {...written} rows={2} onChange={(event) => change(event.target.value)} />
      ) : (
        <input
          {...written}
          type={option.secret ? "password" : "text"}
          inputMode={option.kind === "whole" ? "numeric" : option.kind === "number" ? "decimal" : undefined}
          autoComplete="off"
          onChange={(event) => change(event.target.value)}
        />
      )}
      <small id={`${id}-help`} className="faint">
        {option.help}
      </small>
      {kept === "stays" && !option.required && <Removing option={option} value={value} change={change} />}
    </div>
  );
}

interface FieldsProps {
  options: readonly Option[];
  of: string;
  filled: Filled;
  before: Before | null;
  change: (filled: Filled) => void;
}

/** A field for each. */
export function OptionFields({ options, of, filled, before, change }: FieldsProps) {
  const stay = listKeptSecrets(options, filled, before);
  const keptOf = (name: string) =>
    stay.includes(name) ? "stays" : before?.secrets.includes(name) ? "ends" : null;
  return options.map((option) => (
    <OptionField
      key={option.name}
      option={option}
      of={of}
      value={filled[option.name]}
      kept={keptOf(option.name)}
      change={(value) => change({ ...filled, [option.name]: value })}
    />
  ));
}
