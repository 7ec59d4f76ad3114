import { useState } from "react";
import { formatCounted } from "../core/ui/format";
import {
  messagesInWords,
  RANGES,
  rangeOf,
  totalsInWords,
  type BackTest,
  type Range,
  type TestedNode,
} from "./backTest";
import type { FlappingDraft } from "./flapping";
import { IncidentBars, LimitLane } from "./LimitLane";
import { refusesLimits, toParameters, type LimitsDraft } from "./limits";
import { useBackTest } from "./useBackTest";

/** So many keys are shown. */
const KEYS = 8;

interface Props {
  node: TestedNode;
  /** Null: the node is watched as it is. */
  limits: LimitsDraft | null;
  change: (limits: LimitsDraft) => void;
  flapping: FlappingDraft;
}

interface KeysProps {
  test: BackTest;
  range: Range;
  chosen: string | null;
  choose: ((key: string) => void) | null;
}

function Keys({ test, range, chosen, choose }: KeysProps) {
  return (
    <ul className="tested-keys">
      {test.keys.slice(0, KEYS).map((key) => (
        <li key={key.key}>
          {choose ? (
            <button
              type="button"
              className="plain"
              aria-pressed={key.key === chosen}
              onClick={() => choose(key.key)}
            >
              {key.key}
            </button>
          ) : (
            <span className="key-name">{key.key}</span>
          )}
          <IncidentBars spans={key.spans} range={range} />
          <span className="faint">{formatCounted(key.spans.length, "incidents")}</span>
        </li>
      ))}
    </ul>
  );
}

function Found({
  test,
  limits,
  change,
  lane,
  choose,
}: Omit<Props, "node" | "flapping"> & {
  test: BackTest;
  lane: string | null;
  choose: (key: string) => void;
}) {
  const range = rangeOf(test);
  if (range === null) return <p className="faint">No events have come yet.</p>;
  const columns = test.lane?.columns ?? null;
  return (
    <>
      <p role="status" data-testid="tested-totals">
        {totalsInWords(test)} <span className="faint">{messagesInWords(test)}</span>
      </p>
      {limits && columns && columns.length > 0 && (
        <LimitLane
          name={test.lane?.key ?? ""}
          columns={columns}
          range={range}
          limit={Number(limits.limit)}
          clear={limits.clear.trim() === "" ? null : Number(limits.clear)}
          set={(limit) => change({ ...limits, limit: String(limit) })}
        />
      )}
      <Keys test={test} range={range} chosen={lane} choose={limits && choose} />
      {test.key_count > KEYS && (
        <p className="faint">{formatCounted(test.key_count - KEYS, "more keys")} are not shown.</p>
      )}
    </>
  );
}

/** What the rule would have done in the last day or week, while it is entered. */
export function BackTestPanel({ node, limits, change, flapping }: Props) {
  const [last, setLast] = useState<number>(RANGES[0].seconds);
  const [chosen, choose] = useState<string | null>(null);
  const [first, setFirst] = useState<string | null>(null);
  const isReady = limits === null || refusesLimits(limits) === null;
  const lane = limits === null ? null : (chosen ?? first);
  const asked = isReady ? { node, parameters: limits && toParameters(limits), last, lane, flapping } : null;
  const { test, failure, busy } = useBackTest(asked);
  const leading = test?.keys[0]?.key ?? null;
  if (first === null && leading !== null) setFirst(leading);
  return (
    <fieldset className="back-test" data-testid="back-test" aria-busy={busy}>
      <legend>Back-test</legend>
      <div className="row">
        <span className="faint">On the events that came, in the</span>
        <select
          aria-label="Range of the back-test"
          value={last}
          onChange={(event) => setLast(Number(event.target.value))}
        >
          {RANGES.map(({ seconds, title }) => (
            <option key={seconds} value={seconds}>
              {title}
            </option>
          ))}
        </select>
        {busy && <span className="faint">Computing…</span>}
      </div>
      {!isReady && <p className="faint">Enter a limit to see when the alert would have fired.</p>}
      {failure !== null && <p className="failure">{failure}</p>}
      {isReady && test && <Found test={test} limits={limits} change={change} lane={lane} choose={choose} />}
    </fieldset>
  );
}
