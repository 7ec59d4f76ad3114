import { may } from "../core/api/rights";
import { Owner } from "../core/search/ListTools";
import { formatInstant, formatMoment, microsOf } from "../core/time/format";
import { capitalize } from "./alertState";
import type { Silence } from "./calls";
import { describePattern } from "./silenceTimes";

const TONES: Readonly<Record<Silence["state"], string>> = { now: "amber", coming: "grey", past: "grey" };

/** What it silences: an alert, alerts with a label, or all of an owner; and which keys. */
function What({ silence }: { silence: Silence }) {
  const { alert, alert_name: name, key, label, label_value: text, owner } = silence;
  return (
    <>
      {alert === null ? (
        <b>{label === "" ? `All alerts of ${owner}` : `Alerts with ${label}=${text}`}</b>
      ) : (
        <a href={`/alerts/${alert}/`}>{name}</a>
      )}
      <small className="faint">{key === "" ? "all keys" : <span className="code">{key}</span>}</small>
    </>
  );
}

function Instant({ iso }: { iso: string }) {
  const us = microsOf(iso);
  return <span title={formatMoment(us)}>{formatInstant(us)}</span>;
}

interface RowProps {
  silence: Silence;
  end: (silence: Silence) => void;
}

function SilenceRow({ silence, end }: RowProps) {
  const { id, state, open, reason, begins_at: begins, ends_at: ends } = silence;
  const pattern = describePattern(silence);
  const canEnd = state !== "past" && may("own", silence);
  return (
    <tr data-testid={`silence-${id}`} className={state === "past" ? "faint" : undefined}>
      <td>
        <What silence={silence} />
      </td>
      <td className="nowrap" data-of="State">
        <span>
          <span className={`dot ${open ? TONES[state] : "grey"}`} aria-hidden="true" /> {capitalize(state)}
          {pattern !== null && <small className="faint">{pattern}</small>}
        </span>
      </td>
      <td className="nowrap" data-of="Begins">
        <Instant iso={begins} />
      </td>
      <td className="nowrap" data-of="Ends">
        <Instant iso={ends} />
      </td>
      <td data-of="Reason">
        <span>
          {reason}
          <small className="faint">
            <Owner thing={silence} />
          </small>
        </span>
      </td>
      <td className="actions">
        {canEnd && (
          <button type="button" className="quiet nowrap" onClick={() => end(silence)}>
            {state === "now" ? "End now" : "Cancel"}
          </button>
        )}
      </td>
    </tr>
  );
}

export function SilenceTable({ silences, end }: { silences: readonly Silence[] } & Pick<RowProps, "end">) {
  return (
    <table className="stacking" data-testid="silences">
      <thead>
        <tr>
          <th>What</th>
          <th>State</th>
          <th>Begins</th>
          <th>Ends</th>
          <th>Reason</th>
          <th aria-label="Actions" />
        </tr>
      </thead>
      <tbody>
        {silences.map((silence) => (
          <SilenceRow key={silence.id} silence={silence} end={end} />
        ))}
      </tbody>
    </table>
  );
}
