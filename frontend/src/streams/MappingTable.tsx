import type { ComparedEvent } from "../core/api/streams";
import { CASTS, NEW_RULE, type Cast, type RuleRow } from "./mapping";

interface RowProps {
  row: RuleRow;
  place: number;
  change: (row: RuleRow) => void;
  remove: () => void;
}

function Rule({ row, place, change, remove }: RowProps) {
  return (
    <tr>
      <td>
        <input
          aria-label={`Field of rule ${place}`}
          autoFocus={row.to === ""}
          value={row.to}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => change({ ...row, to: event.target.value })}
        />
      </td>
      <td>
        <select
          aria-label={`What rule ${place} does`}
          value={row.does}
          onChange={(event) => change({ ...row, does: event.target.value as RuleRow["does"] })}
        >
          <option value="reads">is read from</option>
          <option value="is">is always</option>
        </select>
      </td>
      <td>
        <input
          aria-label={row.does === "reads" ? `Source field of rule ${place}` : `Constant of rule ${place}`}
          value={row.value}
          placeholder={row.does === "reads" ? row.to : "Berlin"}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => change({ ...row, value: event.target.value })}
        />
      </td>
      <td>
        {row.does === "reads" && (
          <select
            aria-label={`Cast of rule ${place}`}
            value={row.cast}
            onChange={(event) => change({ ...row, cast: event.target.value as Cast })}
          >
            {Object.entries(CASTS).map(([cast, words]) => (
              <option key={cast} value={cast}>
                {words}
              </option>
            ))}
          </select>
        )}
      </td>
      <td>
        <button type="button" className="quiet" aria-label={`Remove rule ${place}`} onClick={remove}>
          ×
        </button>
      </td>
    </tr>
  );
}

interface Props {
  rows: readonly RuleRow[];
  change: (rows: readonly RuleRow[]) => void;
}

/** How the fields of a source or a sample become the fields of the stream. */
export function MappingTable({ rows, change }: Props) {
  const set = (i: number, row: RuleRow) => change(rows.map((one, j) => (i === j ? row : one)));
  return (
    <fieldset className="field-table" data-testid="mapping">
      <legend>Field mapping</legend>
      <small className="faint">
        Renames fields, casts values or adds constants before events are validated. A field may be a path such
        as ctx.device.os. Fields without a rule stay as they are.
      </small>
      {rows.length > 0 && (
        <table>
          <thead>
            <tr>
              <th>Field of the stream</th>
              <th aria-label="What the rule does" />
              <th>Field as it comes, or constant</th>
              <th>Cast to</th>
              <th aria-label="Remove" />
            </tr>
          </thead>
          <tbody>
            {rows.map((row, i) => (
              <Rule
                key={i}
                row={row}
                place={i + 1}
                change={(changed) => set(i, changed)}
                remove={() => change(rows.filter((_, j) => j !== i))}
              />
            ))}
          </tbody>
        </table>
      )}
      <button type="button" data-testid="add-rule" onClick={() => change([...rows, NEW_RULE])}>
        Add a rule
      </button>
    </fieldset>
  );
}

const MOST_EVENTS = 3;

/** The first events before and after their fields are mapped, as the server maps them. */
export function ComparedEvents({ events }: { events: readonly ComparedEvent[] }) {
  return events.slice(0, MOST_EVENTS).map(({ before, after, refusal }, place) => (
    <div key={place} className="scroll" role="region" aria-label={`Event ${place + 1}`} tabIndex={0}>
      <table className="events" data-testid="compared">
        <thead>
          <tr>
            <th>Event {place + 1}</th>
            {fieldsOf(before, after).map((name) => (
              <th key={name}>{name}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Side label="Before" fields={before} names={fieldsOf(before, after)} />
          <Side label="After" fields={after} names={fieldsOf(before, after)} />
        </tbody>
      </table>
      {refusal !== "" && <p className="bad">{refusal}</p>}
    </div>
  ));
}

type Fields = Readonly<Record<string, string>>;

const fieldsOf = (before: Fields, after: Fields) => [
  ...new Set([...Object.keys(before), ...Object.keys(after)]),
];

function Side({ label, fields, names }: { label: string; fields: Fields; names: readonly string[] }) {
  return (
    <tr>
      <th scope="row">{label}</th>
      {names.map((name) => (
        <td key={name} className="code cut">
          {fields[name] ?? <span className="faint">–</span>}
        </td>
      ))}
    </tr>
  );
}
