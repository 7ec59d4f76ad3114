import { useId, useState, type FormEvent } from "react";
import { api, inWords } from "../api/client";
import type { FieldType, StreamDeclaration, TimeUnit } from "../api/types";
import { FieldRows, type FieldRow } from "./FieldRows";

const UNITS: Readonly<Record<TimeUnit, string>> = {
  ms: "milliseconds",
  s: "seconds",
  us: "microseconds",
  iso8601: "ISO 8601 text",
};

type Draft = Omit<StreamDeclaration, "id" | "fields"> & { id: string };

const FIRST: Draft = {
  name: "",
  key: "",
  time: "",
  unit: "ms",
  id: "",
  allowed_lateness: "30s",
  retention: "7d",
};

interface TextProps {
  label: string;
  name: string;
  value: string;
  change: (value: string) => void;
  help?: string;
  optional?: boolean;
}

function TextField({ label, name, value, change, help, optional = false }: TextProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        name={name}
        data-testid={`stream-${name}`}
        required={!optional}
        spellCheck={false}
        autoComplete="off"
        value={value}
        onChange={(event) => change(event.target.value)}
      />
      {help && <small className="faint">{help}</small>}
    </div>
  );
}

function declaration(draft: Draft, rows: readonly FieldRow[]): StreamDeclaration {
  const named = rows.filter((row) => row.name.trim() !== "");
  const fields: Record<string, FieldType> = Object.fromEntries(
    named.map((row) => [row.name.trim(), row.type]),
  );
  return { ...draft, id: draft.id.trim() === "" ? null : draft.id.trim(), fields };
}

function UnitField({ unit, change }: { unit: TimeUnit; change: (unit: TimeUnit) => void }) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>Time is in</label>
      <select id={id} value={unit} onChange={(event) => change(event.target.value as TimeUnit)}>
        {Object.entries(UNITS).map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </select>
    </div>
  );
}

export function StreamForm({ done, cancel }: { done: () => void; cancel: () => void }) {
  const [draft, setDraft] = useState(FIRST);
  const [rows, setRows] = useState<readonly FieldRow[]>([]);
  const [failure, setFailure] = useState<string | null>(null);
  const field = (name: keyof Draft) => ({
    name,
    value: draft[name],
    change: (value: string) => setDraft({ ...draft, [name]: value }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    api.declareStream(declaration(draft, rows)).then(done, (error: unknown) => setFailure(inWords(error)));
  };
  return (
    <form className="card stream-form" onSubmit={submit}>
      <h2>Declare a stream</h2>
      <div className="grid">
        <TextField label="Name" {...field("name")} help="How plans call it, such as player." />
        <TextField
          label="Key field"
          {...field("key")}
          help="Whose timeline it is: a session, a card, a machine."
        />
        <TextField label="Time field" {...field("time")} help="When it happened (event time)." />
        <UnitField unit={draft.unit} change={(unit) => setDraft({ ...draft, unit })} />
        <TextField
          label="Id field (optional)"
          {...field("id")}
          optional
          help="Copies with one id count once."
        />
        <TextField
          label="Allowed lateness"
          {...field("allowed_lateness")}
          help="What is older is final: 30s, 10min."
        />
        <TextField
          label="Retention"
          {...field("retention")}
          help="How late an event may be and still count: 7d. What is older is folded away."
        />
      </div>
      <FieldRows rows={rows} change={setRows} />
      {failure && (
        <p className="bad" role="alert">
          {failure}
        </p>
      )}
      <div className="row">
        <button type="submit" className="primary" data-testid="declare">
          Declare
        </button>
        <button type="button" onClick={cancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}
