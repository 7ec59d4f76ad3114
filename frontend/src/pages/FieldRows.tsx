import type { FieldType } from "../api/types";

export interface FieldRow {
  name: string;
  type: FieldType;
}

const TYPES: readonly FieldType[] = ["text", "number", "bool"];

interface Props {
  rows: readonly FieldRow[];
  change: (rows: readonly FieldRow[]) => void;
}

/** The declared fields and their types; what is not declared is text. */
export function FieldRows({ rows, change }: Props) {
  const set = (i: number, row: FieldRow) => change(rows.map((one, j) => (i === j ? row : one)));
  return (
    <fieldset>
      <legend>Fields (what is not declared is text)</legend>
      {rows.map((row, i) => (
        <div className="row" key={i}>
          <input
            aria-label={`Field ${i + 1}`}
            value={row.name}
            spellCheck={false}
            onChange={(event) => set(i, { ...row, name: event.target.value })}
          />
          <select
            aria-label={`Type of field ${i + 1}`}
            value={row.type}
            onChange={(event) => set(i, { ...row, type: event.target.value as FieldType })}
          >
            {TYPES.map((type) => (
              <option key={type}>{type}</option>
            ))}
          </select>
          <button
            type="button"
            className="quiet"
            aria-label={`Remove field ${i + 1}`}
            onClick={() => change(rows.filter((_, j) => j !== i))}
          >
            ×
          </button>
        </div>
      ))}
      <button type="button" onClick={() => change([...rows, { name: "", type: "text" }])}>
        Add a field
      </button>
    </fieldset>
  );
}
