import { useId } from "react";

export type Choices = readonly (readonly [value: string, words: string])[];

interface Props {
  label: string;
  testid: string;
  value: string;
  choices: Choices;
  set: (value: string) => void;
  /** Further choices below a heading each. */
  groups?: readonly (readonly [heading: string, choices: Choices])[];
}

const toOptions = (choices: Choices) =>
  choices.map(([value, words]) => (
    <option key={value} value={value}>
      {words}
    </option>
  ));

/** A labelled list of choices, of which one is chosen. */
export function ChoiceField({ label, testid, value, choices, groups = [], set }: Props) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} data-testid={testid} value={value} onChange={(event) => set(event.target.value)}>
        {toOptions(choices)}
        {groups.map(([heading, more]) => (
          <optgroup key={heading} label={heading}>
            {toOptions(more)}
          </optgroup>
        ))}
      </select>
    </div>
  );
}
