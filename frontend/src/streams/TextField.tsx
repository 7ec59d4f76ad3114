import { useId, type ReactNode } from "react";

interface Props {
  label: string;
  name: string;
  value: string;
  change: (value: string) => void;
  help: string;
  optional?: boolean;
  /** What may be meant: offered while one types. */
  offers?: readonly string[];
  /** Why it cannot be changed. */
  locked?: string | null;
  children?: ReactNode;
}

export function TextField(props: Props) {
  const { label, name, value, change, help, optional = false, offers, locked = null, children } = props;
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>
        {label}
        {optional && <i className="faint"> optional</i>}
      </label>
      <input
        id={id}
        name={name}
        data-testid={`stream-${name}`}
        required={!optional}
        disabled={locked !== null}
        spellCheck={false}
        autoComplete="off"
        list={offers ? `${id}-offers` : undefined}
        aria-describedby={`${id}-help`}
        value={value}
        onChange={(event) => change(event.target.value)}
      />
      {offers && (
        <datalist id={`${id}-offers`}>
          {offers.map((offer) => (
            <option key={offer} value={offer} />
          ))}
        </datalist>
      )}
      <small id={`${id}-help`} className="faint">
        {locked ?? help}
      </small>
      {children}
    </div>
  );
}
