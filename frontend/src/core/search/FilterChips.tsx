interface Props<T extends string> {
  label: string;
  choices: readonly (readonly [value: T, title: string])[];
  value: T | "";
  choose: (value: T | "") => void;
}

/** Chips of which one is chosen, or none; pressing the chosen one chooses none. */
export function FilterChips<T extends string>({ label, choices, value, choose }: Props<T>) {
  return (
    <div className="segments" role="group" aria-label={label}>
      {choices.map(([one, title]) => (
        <button
          key={one}
          type="button"
          aria-pressed={value === one}
          data-testid={`filter-${one}`}
          onClick={() => choose(value === one ? "" : one)}
        >
          {title}
        </button>
      ))}
    </div>
  );
}
