import type { FieldGuess } from "../core/api/streams";
import type { FieldType } from "../core/api/types";
import { Sureness } from "./Guessed";
import type { FieldRow } from "./draft";

const TYPES: readonly FieldType[] = ["text", "number", "bool"];

interface RowProps {
  row: FieldRow;
  place: number;
  guess: FieldGuess | undefined;
  change: (row: FieldRow) => void;
  remove: () => void;
}

function Why({ guess, type }: { guess: FieldGuess; type: FieldType }) {
  return (
    <>
      {guess.type === type ? <Sureness confidence={guess.confidence} /> : <b className="sureness">edited</b>}{" "}
      {guess.why}
    </>
  );
}

function Row({ row, place, guess, change, remove }: RowProps) {
  return (
    <tr>
      <td>
        <input
          aria-label={`Field ${place}`}
          autoFocus={row.name === ""}
          value={row.name}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => change({ ...row, name: event.target.value })}
        />
      </td>
      <td>
        <select
          aria-label={`Type of field ${place}`}
          value={row.type}
          onChange={(event) => change({ ...row, type: event.target.value as FieldType })}
        >
          {TYPES.map((type) => (
            <option key={type}>{type}</option>
          ))}
        </select>
      </td>
      <td className="code values">{guess?.values.join(" · ")}</td>
      <td className="why">{guess && <Why guess={guess} type={row.type} />}</td>
      <td>
        <button type="button" className="quiet" aria-label={`Remove field ${place}`} onClick={remove}>
          ×
        </button>
      </td>
    </tr>
  );
}

interface Props {
  rows: readonly FieldRow[];
  change: (rows: readonly FieldRow[]) => void;
  guesses: readonly FieldGuess[];
}

/** The declared fields and their types; what is not declared is text. */
export function FieldTable({ rows, change, guesses }: Props) {
  const set = (i: number, row: FieldRow) => change(rows.map((one, j) => (i === j ? row : one)));
  return (
    <fieldset className="field-table">
      <legend>Fields</legend>
      <small className="faint">
        Undeclared fields are text. Events whose value does not match the type are rejected.
      </small>
      {rows.length > 0 && (
        <table>
          <thead>
            <tr>
              <th>Field</th>
              <th>Type</th>
              <th>{guesses.length > 0 && "In the sample"}</th>
              <th>{guesses.length > 0 && "Why"}</th>
              <th aria-label="Remove" />
            </tr>
          </thead>
          <tbody>
            {rows.map((row, i) => (
              <Row
                key={i}
                row={row}
                place={i + 1}
                guess={guesses.find(({ name }) => name === row.name)}
                change={(changed) => set(i, changed)}
                remove={() => change(rows.filter((_, j) => j !== i))}
              />
            ))}
          </tbody>
        </table>
      )}
      <button type="button" onClick={() => change([...rows, { name: "", type: "text" }])}>
        Add a field
      </button>
    </fieldset>
  );
}
