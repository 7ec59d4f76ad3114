import { useEffect, useRef } from "react";
import type { Compared, FieldChange, Subject } from "../../core/api/versions";
import { spellValue } from "../drafts/formatValue";
import { openVersion, titleOf, useVersions } from "./store";

const PARTS: Record<string, string> = {
  name: "The plan’s name",
  results: "Results",
  groups: "Groups",
  comments: "Comments",
  streams: "Its own streams",
};

function Row({ change }: { change: FieldChange }) {
  return (
    <tr>
      <th scope="row">{change.field}</th>
      <td className={change.before === undefined ? "faint" : "old"}>{spellValue(change.before)}</td>
      <td className={change.after === undefined ? "faint" : "new"}>{spellValue(change.after)}</td>
    </tr>
  );
}

function Changed({ subject, from, to }: { subject: Subject; from: string; to: string }) {
  const looked = useVersions((state) => subject.node && state.looked?.name === subject.name);
  const place = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (looked) place.current?.scrollIntoView({ block: "nearest" });
  }, [looked]);
  const did = subject.did.map((one) => (one === "renamed" ? `was ${subject.was ?? ""}` : one)).join(", ");
  return (
    <li ref={place} className={looked ? "looked" : ""} data-testid={`change-${subject.name}`}>
      <h3>
        {subject.node ? (
          <button type="button" className="quiet" onClick={() => openVersion(subject.name)}>
            {subject.name}
          </button>
        ) : (
          <span>{PARTS[subject.name] ?? subject.name}</span>
        )}
        <span className={`did ${subject.did.map((one) => `did-${one}`).join(" ")}`}>{did}</span>
      </h3>
      {subject.changes.length > 0 && (
        <table>
          <thead>
            <tr>
              <th aria-label="What" />
              <th scope="col">{from}</th>
              <th scope="col">{to}</th>
            </tr>
          </thead>
          <tbody>
            {subject.changes.map((change) => (
              <Row key={change.path.join("\n")} change={change} />
            ))}
          </tbody>
        </table>
      )}
    </li>
  );
}

/** What differs, thing by thing, with the values of both sides beside each other. */
export function ChangeList({ compared }: { compared: Compared }) {
  const [from, to] = [titleOf(compared.from), titleOf(compared.to)];
  return (
    <section className="changes" aria-label="Changes" data-testid="changes">
      <h2>{compared.words}</h2>
      <ul>
        {compared.subjects.map((subject) => (
          <Changed key={`${subject.node}.${subject.name}`} subject={subject} from={from} to={to} />
        ))}
      </ul>
    </section>
  );
}
