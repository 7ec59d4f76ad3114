import type { EventRow } from "../core/api/streams";
import { clock, day } from "../core/ui/format";

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
  const days = new Set(events.map((event) => day(event.time)));
  const moment = (us: number) => (days.size > 1 ? `${day(us)} ${clock(us)}` : clock(us));
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
              {names.time}{" "}
              <i className="faint">{days.size === 1 ? `time, ${[...days][0]} UTC` : "time, UTC"}</i>
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
              <td>{moment(event.time)}</td>
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
