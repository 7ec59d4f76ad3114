/** The fields of options that few chart types have. */
import { useId } from "react";
import type { Sort } from "../core/api/dashboards";
import { ORDERS } from "../timechart/keyRows";
import type { FieldsProps } from "./chartFields";
import { AlertFields } from "./AlertFields";
import { hasOption } from "./document";

function RowFields({ draft, edit }: FieldsProps) {
  const id = useId();
  return (
    <div className="row">
      <div className="field">
        <label htmlFor={`${id}-sort`}>Sort by</label>
        <select
          id={`${id}-sort`}
          data-testid="chart-sort"
          value={draft.sort ?? "changed"}
          onChange={(event) => edit({ sort: event.target.value as Sort })}
        >
          {Object.entries(ORDERS).map(([sort, words]) => (
            <option key={sort} value={sort}>
              {words}
            </option>
          ))}
        </select>
      </div>
      {hasOption(draft.type, "state") && (
        <div className="field grow">
          <label htmlFor={`${id}-state`}>
            State <i className="faint">optional</i>
          </label>
          <input
            id={`${id}-state`}
            maxLength={1024}
            value={draft.state ?? ""}
            placeholder="true, else the most frequent"
            onChange={(event) => edit({ state: event.target.value })}
          />
        </div>
      )}
    </div>
  );
}

function BoundField({ label, name, draft, edit }: FieldsProps & { label: string; name: "low" | "high" }) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>
        {label} <i className="faint">optional</i>
      </label>
      <input
        id={id}
        type="number"
        step="any"
        value={draft[name] ?? ""}
        onChange={({ target }) => edit({ [name]: target.value === "" ? null : Number(target.value) })}
      />
    </div>
  );
}

function BoundFields(props: FieldsProps) {
  return (
    <div className="row">
      <BoundField {...props} label="From" name="low" />
      <BoundField {...props} label="To" name="high" />
    </div>
  );
}

function CountField({ draft, edit }: FieldsProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>Count</label>
      <select
        id={id}
        data-testid="chart-count"
        value={draft.count ?? "keys"}
        onChange={(event) => edit({ count: event.target.value === "runs" ? "runs" : "keys" })}
      >
        <option value="keys">each key once, by its furthest run</option>
        <option value="runs">each run</option>
      </select>
    </div>
  );
}

function SparklineField({ draft, edit }: FieldsProps) {
  return (
    <label className="check">
      <input
        type="checkbox"
        checked={draft.sparkline ?? false}
        onChange={(event) => edit({ sparkline: event.target.checked })}
      />
      Show each key over time
    </label>
  );
}

function TextField({ draft, edit }: FieldsProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>Text, in Markdown</label>
      <textarea
        id={id}
        rows={8}
        maxLength={20_000}
        value={draft.text ?? ""}
        placeholder={"## On call\n\nCall **the operator** when a machine has failed for more than 10 min."}
        onChange={(event) => edit({ text: event.target.value })}
      />
    </div>
  );
}

/** Those that the type of the chart has. */
export function OptionFields(props: FieldsProps) {
  const { type } = props.draft;
  return (
    <>
      {hasOption(type, "sort") && <RowFields {...props} />}
      {hasOption(type, "low") && <BoundFields {...props} />}
      {hasOption(type, "count") && <CountField {...props} />}
      {hasOption(type, "sparkline") && <SparklineField {...props} />}
      {hasOption(type, "text") && <TextField {...props} />}
      <AlertFields {...props} />
    </>
  );
}
