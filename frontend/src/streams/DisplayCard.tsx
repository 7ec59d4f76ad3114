/** How the values of a stream's fields are shown, wherever they are. */
import { useState } from "react";
import type { EventRow } from "../core/api/streams";
import type { FieldType, Scalar, Stream } from "../core/api/types";
import { useDark } from "../core/ui/theme";
import { colourNamed, DARK, LIGHT } from "../timechart/colours";
import { AS_GUESSED, FORMATS, type Display } from "../timechart/display";
import { DisplayForm } from "../timechart/DisplayDialog";
import { fieldTarget } from "../timechart/displays";
import { Dialog } from "../core/ui/Dialog";

interface FieldRow {
  name: string;
  type: FieldType;
}

function fieldsOf({ fields, seen_fields, id }: Stream): FieldRow[] {
  const declared = Object.entries(fields).map(([name, type]) => ({ name, type }));
  const others = seen_fields.filter((name) => name !== id && !Object.hasOwn(fields, name));
  return [...declared, ...others.map((name) => ({ name, type: "text" as const }))];
}

/** The values that the newest events have of a field, each once. */
const valuesIn = (events: readonly EventRow[], field: string): Scalar[] => [
  ...new Set(events.flatMap(({ values }) => values[field] ?? [])),
];

function Chosen({ display }: { display: Display }) {
  const theme = useDark() ? DARK : LIGHT;
  const { values = {}, thresholds = [], format, unit, decimals } = display;
  const parts = [format && FORMATS[format], unit, decimals !== undefined && `${decimals} decimals`].filter(
    Boolean,
  );
  return (
    <span className="display-chosen">
      {parts.length > 0 && <span>{parts.join(", ")}</span>}
      {Object.entries(values).map(([value, { colour, label }]) => (
        <span key={value}>
          {colour && (
            <span className="swatch" style={{ background: colourNamed(colour, theme) }} aria-hidden="true" />
          )}
          {label ? `${value}: ${label}` : value}
        </span>
      ))}
      {thresholds.map(({ start, colour }) => (
        <span key={start}>
          <span className="swatch" style={{ background: colourNamed(colour, theme) }} aria-hidden="true" />
          from {start}
        </span>
      ))}
    </span>
  );
}

interface Props {
  stream: Stream;
  events: readonly EventRow[];
  mine: boolean;
  changed: () => void;
}

export function DisplayCard({ stream, events, mine, changed }: Props) {
  const [asked, setAsked] = useState<FieldRow | null>(null);
  const fields = fieldsOf(stream);
  const displayed = (name: string): Display =>
    (Object.hasOwn(stream.display, name) && stream.display[name]) || AS_GUESSED;
  if (fields.length === 0) return null;
  const close = () => setAsked(null);
  return (
    <section className="card" data-testid="stream-display">
      <h2>Colours and formats</h2>
      <p className="faint">
        These hold in all lanes, nodes and dashboards; a plan can replace them. Without a choice, the page
        guesses the colours from the words of the values.
      </p>
      <table className="display-fields">
        <tbody>
          {fields.map((row) => (
            <tr key={row.name}>
              <th scope="row" className="code">
                {row.name}
              </th>
              <td>
                <Chosen display={displayed(row.name)} />
              </td>
              <td>
                {mine && (
                  <button
                    type="button"
                    className="quiet"
                    aria-label={`Edit display of ${row.name}`}
                    onClick={() => setAsked(row)}
                  >
                    Edit
                  </button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {asked && (
        <Dialog title={`Colours and format of ${asked.name}`} close={close}>
          <DisplayForm
            name={asked.name}
            kind={asked.type}
            values={asked.type === "bool" ? [true, false] : valuesIn(events, asked.name)}
            shown={{
              display: displayed(asked.name),
              targets: [fieldTarget(stream.name, asked.name, changed)],
              overridden: false,
            }}
            close={close}
          />
        </Dialog>
      )}
    </section>
  );
}
