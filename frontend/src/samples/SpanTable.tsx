import { useState } from "react";
import type { Kind, Scalar } from "../core/api/types";
import { isNumber, spellSaid } from "./answer";
import { paint } from "./paint";
import { setExpectation } from "./tests";
import { formatExact, formatOffset } from "../core/time/format";
import { parseExact } from "../core/time/parse";
import type { Expectation, ExpectedSpan } from "../core/api/samples";

interface TimeProps {
  label: string;
  value: number | null;
  none: string;
  near: number;
  change: (value: number | null) => void;
}

/** An instant; left empty it is since ever, or open. */
function Time({ label, value, none, near, change }: TimeProps) {
  const [draft, setDraft] = useState<string | null>(null);
  const shown = value === null ? "" : formatExact(value, near);
  const parsed = draft?.trim() === "" ? null : parseExact(draft ?? shown, near);
  const settle = () => {
    if (draft !== null && parsed !== undefined && parsed !== value) change(parsed);
    setDraft(null);
  };
  return (
    <input
      className="code"
      aria-label={label}
      placeholder={none}
      value={draft ?? shown}
      aria-invalid={(draft !== null && parsed === undefined) || undefined}
      onChange={(event) => setDraft(event.target.value)}
      onBlur={settle}
      onKeyDown={(event) => event.key === "Enter" && settle()}
    />
  );
}

function parseScalar(text: string, kind: Kind): Scalar | null | undefined {
  if (text.trim() === "unknown") return null;
  if (kind === "bool") return { true: true, false: false }[text.trim()];
  if (!isNumber(kind)) return text;
  return text.trim() === "" || Number.isNaN(Number(text)) ? undefined : Number(text);
}

interface ValueProps {
  label: string;
  span: ExpectedSpan;
  kind: Kind;
  change: (span: ExpectedSpan) => void;
}

function Value({ label, span, kind, change }: ValueProps) {
  const [draft, setDraft] = useState<string | null>(null);
  const shown = span.value === null || span.value === undefined ? "unknown" : String(span.value);
  const parsed = parseScalar(draft ?? shown, kind);
  const settle = () => {
    if (draft !== null && parsed !== undefined) change({ ...span, value: parsed });
    setDraft(null);
  };
  if (span.num) return <span>{spellSaid(span)}</span>;
  return (
    <input
      aria-label={label}
      value={draft ?? shown}
      aria-invalid={parsed === undefined || undefined}
      onChange={(event) => setDraft(event.target.value)}
      onBlur={settle}
      onKeyDown={(event) => event.key === "Enter" && settle()}
    />
  );
}

interface RowProps {
  span: ExpectedSpan;
  n: number;
  kind: Kind;
  near: number;
  change: (span: ExpectedSpan | null) => void;
}

function Row({ span, n, kind, near, change }: RowProps) {
  const climbs = isNumber(kind) && typeof span.value === "number";
  return (
    <tr>
      <td>
        <Time
          label={`Span ${n} from`}
          value={span.from}
          none="since the beginning"
          near={near}
          change={(from) => change({ ...span, from })}
        />
      </td>
      <td>
        <Time
          label={`Span ${n} to`}
          value={span.to}
          none="open"
          near={near}
          change={(to) => change({ ...span, to })}
        />
      </td>
      <td>
        <Value label={`Span ${n} value`} span={span} kind={kind} change={change} />
      </td>
      {isNumber(kind) && (
        <td>
          {climbs && (
            <input
              type="number"
              step="any"
              aria-label={`Span ${n} slope`}
              value={span.slope ?? 0}
              onChange={(event) => change({ ...span, slope: Number(event.target.value) })}
            />
          )}
        </td>
      )}
      <td>
        <button type="button" className="quiet" aria-label={`Remove span ${n}`} onClick={() => change(null)}>
          ×
        </button>
      </td>
    </tr>
  );
}

function Allowances({ held }: { held: Expectation }) {
  return (
    <div className="row allowances">
      <label>
        Numbers may differ by{" "}
        <input
          type="number"
          min={0}
          step="any"
          value={held.tolerance ?? 0.000001}
          onChange={(event) =>
            setExpectation({ ...held, tolerance: Number(event.target.value) }, "tolerance")
          }
        />
      </label>
      <label>
        Edges may be off by{" "}
        <select
          value={held.slack ?? "0s"}
          onChange={(event) => setExpectation({ ...held, slack: event.target.value })}
        >
          {["0s", "1ms", "10ms", "100ms", "250ms", "500ms", "1s", "2s", "5s", "10s", "1min"].map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
    </div>
  );
}

interface Props {
  held: Expectation;
  kind: Kind;
  near: number;
}

/** What is expected, as a table: exact, and by keyboard. */
export function SpanTable({ held, kind, near }: Props) {
  const replace = (n: number, span: ExpectedSpan | null) => {
    const rest = held.spans.filter((_, i) => i !== n);
    const { from, to, ...said } = span ?? { from: 0, to: 0 };
    const backwards = (from ?? -Infinity) >= (to ?? Infinity);
    if (span !== null && backwards) return;
    setExpectation({ ...held, spans: span === null ? rest : paint(rest, { from, to }, said) }, `row ${n}`);
  };
  const last = held.spans.at(-1);
  const add = () => {
    const from = last === undefined ? null : (last.to ?? near);
    const value = kind === "bool" ? true : isNumber(kind) ? 0 : null;
    setExpectation({ ...held, spans: paint(held.spans, { from, to: null }, { value }) });
  };
  return (
    <div className="span-table">
      <table>
        <caption className="faint">
          {held.node} of {held.key}; times are {formatOffset(near)}, an end that is left empty has none
        </caption>
        <thead>
          <tr>
            <th scope="col">From</th>
            <th scope="col">To</th>
            <th scope="col">Value</th>
            {isNumber(kind) && <th scope="col">Slope per second</th>}
            <th scope="col">
              <span className="visually-hidden">Remove</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {held.spans.map((span, i) => (
            <Row
              key={`${i} ${span.from} ${span.to}`}
              span={span}
              n={i + 1}
              kind={kind}
              near={near}
              change={(next) => replace(i, next)}
            />
          ))}
        </tbody>
      </table>
      <div className="row">
        <button type="button" onClick={add}>
          Add a span
        </button>
        <Allowances held={held} />
      </div>
    </div>
  );
}
