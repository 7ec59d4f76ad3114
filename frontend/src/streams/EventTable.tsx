import type { EventRow } from "../core/api/streams";
import { formatClock, formatDay, formatOffset } from "../core/time/format";
import { fieldsOfKey } from "./key";

interface Props {
  events: readonly EventRow[];
  /** How the columns are called. */
  names: { key: string; time: string; id: string | null };
  label: string;
}

/** Events as they are kept: key and time first, then every field that any of them has. */
export function EventTable({ events, names, label }: Props) {
  const fields = [...new Set(events.flatMap((event) => Object.keys(event.values)))].filter(
    (name) => name !== names.id,
  );
  const days = new Set(events.map((event) => formatDay(event.time)));
  const zones = [...new Set(events.map((event) => formatOffset(event.time)))].join(", ");
  return (
    <div className="scroll tall" role="region" aria-label={label} tabIndex={0}>
      <table className="events">
        <thead>
          <tr>
            {events[0]?.line !== undefined && <th className="number">Line</th>}
            <th>
              {names.key} <i className="faint">key</i>
            </th>
            <th>
              {fieldsOfKey(names.time).join(" and ")}{" "}
              <i className="faint">{days.size === 1 ? `time, ${[...days][0]} ${zones}` : `time, ${zones}`}</i>
            </th>
            {names.id !== null && (
              <th>
                {names.id} <i className="faint">id</i>
              </th>
            )}
            {fields.map((name) => (
              <th key={name}>{name}</th>
            ))}
          </tr>
        </thead>
        <tbody className="code">
          {events.map((event, place) => (
            <tr key={place}>
              {event.line !== undefined && <td className="number faint">{event.line}</td>}
              <td>{event.key}</td>
              <td>
                {days.size > 1 && `${formatDay(event.time)} `}
                {formatClock(event.time)}
              </td>
              {names.id !== null && <td>{event.id ?? "–"}</td>}
              {fields.map((name) => (
                <td key={name}>{event.values[name] ?? <span className="faint">–</span>}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
