import { useId } from "react";

interface TextFieldProps {
  label: string;
  testid: string;
  value: string;
  placeholder: string;
  set: (value: string) => void;
  maxLength?: number;
  spellCheck?: boolean;
  help?: string;
}

/** A labelled line of text, with help below it. */
export function TextField({ label, testid, value, set, help, ...input }: TextFieldProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        {...input}
        id={id}
        data-testid={testid}
        value={value}
        aria-describedby={help === undefined ? undefined : `${id}-help`}
        onChange={(event) => set(event.target.value)}
      />
      {help !== undefined && (
        <small id={`${id}-help`} className="faint">
          {help}
        </small>
      )}
    </div>
  );
}
