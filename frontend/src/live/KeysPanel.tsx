import { useEffect, useId, useMemo, useState } from "react";
import { describeError } from "../core/api/client";
import { LanePin } from "./laneActions";
import { fetchStates } from "../core/api/timelineCalls";
import type { Distribution, States } from "../core/api/types";
import { formatMoment } from "../core/time/format";
import { formatLength } from "../core/ui/format";
import { setPinned } from "./store";
import { spellValue } from "../timechart/display";
import { describeMatching } from "./words";

const AGAIN_MS = 5000;
const SECOND = 1_000_000;

export interface KeysNode {
  readonly name: string;
  readonly digest: string;
  readonly grouped: boolean;
}

const spell = (value: unknown): string => (value === null ? "unknown" : String(value));

/** Asked anew every five seconds while the page is seen. */
function useStates(digest: string, query: Record<string, string>) {
  const asked = JSON.stringify(query);
  const [found, setFound] = useState<{ of: string; states: States | null; failure: string | null } | null>(
    null,
  );
  const of = `${digest} ${asked}`;
  useEffect(() => {
    let current = true;
    const put = (told: States | null, failure: string | null) =>
      current && setFound({ of, states: told, failure });
    const look = () => {
      if (document.hidden) return;
      void fetchStates(digest, JSON.parse(asked) as Record<string, string>).then(
        (told) => put(told, null),
        (error: unknown) => put(null, describeError(error)),
      );
    };
    const first = setTimeout(look, 150);
    const timer = setInterval(look, AGAIN_MS);
    return () => {
      current = false;
      clearTimeout(first);
      clearInterval(timer);
    };
  }, [digest, asked, of]);
  return { told: found?.states ?? null, failure: found?.failure ?? null, fresh: found?.of === of };
}

const spellOf = (of: Distribution["of"], value: number): string =>
  of === "seconds" ? formatLength(value * SECOND) : spellValue(value);

function nounOf(count: number, of: Distribution["of"]): string {
  if (of === "seconds") return count === 1 ? "span that ended" : "spans that ended";
  return count === 1 ? "key" : "keys";
}

/** What has stopped says nothing of now. */
function nowOf(answer: States | null): string {
  const { stopped_at = null, behind = null } = answer ?? {};
  if (stopped_at !== null) return `when it stopped, ${formatMoment(stopped_at)}`;
  if (behind === null || !behind.late) return "now";
  return behind.until === null ? "yet" : `(data up to ${formatMoment(behind.until)}, ${behind.words})`;
}

/** How many spans lasted how long, or how many keys have which value. */
function Histogram({ distribution, value, now }: { distribution: Distribution; value: string; now: string }) {
  const { of, count, median, p90, greatest, buckets } = distribution;
  const most = Math.max(1, ...buckets.map((bucket) => bucket.count));
  const title = of === "seconds" ? `Duration of ${value}` : `Values ${now}`;
  return (
    <section data-testid="distribution">
      <h3>{title}</h3>
      {count === 0 ? (
        <p className="faint">{of === "seconds" ? "No such span has ended yet." : "No data yet."}</p>
      ) : (
        <>
          <p className="faint">
            {count.toLocaleString("en")} {nounOf(count, of)}: half up to {spellOf(of, median ?? 0)}, nine of
            ten up to {spellOf(of, p90 ?? 0)}, at most {spellOf(of, greatest ?? 0)}
          </p>
          <ul className="histogram">
            {buckets.map((bucket) => (
              <li key={bucket.from}>
                <span className="faint">from {spellOf(of, bucket.from)}</span>
                <span className="histogram-bar" style={{ width: `${(bucket.count / most) * 100}%` }} />
                <span>{bucket.count.toLocaleString("en")}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

/** What was not looked at is said. */
function Bounds({ answer }: { answer: States }) {
  if (answer.complete) return null;
  return (
    <p className="faint">
      {answer.looked_at.toLocaleString("en")} of {answer.known.toLocaleString("en")} keys were looked at:
      those that changed last.
    </p>
  );
}

function Rows({ answer, jump }: { answer: States; jump: (key: string) => void }) {
  const number = answer.kind === "number";
  return (
    <ol className="key-rows" data-testid="key-rows">
      {answer.keys.map((one) => (
        <li key={one.key}>
          <button type="button" className="quiet" title="Pin this key" onClick={() => jump(one.key)}>
            {one.key}
          </button>
          <span title={`since ${formatMoment(one.since)}`}>
            {number ? (typeof one.value === "number" ? spellValue(one.value) : "unknown") : null}
            {!number &&
              `${one.at_least ? "at least " : ""}${formatLength(Math.max(0, one.seconds) * SECOND)}`}
          </span>
        </li>
      ))}
    </ol>
  );
}

interface KeysFilter {
  search: string;
  value: string;
  order: string;
}

const NOTHING: KeysFilter = { search: "", value: "", order: "" };

function queryOf({ search, value, order }: KeysFilter): Record<string, string> {
  const words = { search, value, order, limit: "100" };
  return Object.fromEntries(Object.entries(words).filter(([, word]) => word !== ""));
}

function Choices({
  answer,
  chosen,
  choose,
}: {
  answer: States;
  chosen: KeysFilter;
  choose: (one: KeysFilter) => void;
}) {
  const id = useId();
  const number = answer.kind === "number";
  const orders = number ? ["most", "least"] : ["longest", "shortest"];
  const values = answer.values.filter((value) => value.value !== null || answer.kind === "bool");
  return (
    <div className="row">
      {!number && (
        <>
          <label htmlFor={`${id}-value`}>where value is</label>
          <select
            id={`${id}-value`}
            data-testid="keys-value"
            value={chosen.value || spell(answer.value)}
            onChange={(event) => choose({ ...chosen, value: event.target.value })}
          >
            {!values.some((value) => value.value === answer.value) && (
              <option value={spell(answer.value)}>{spell(answer.value)} (0)</option>
            )}
            {values.map((value) => (
              <option key={spell(value.value)} value={spell(value.value)}>
                {spell(value.value)} ({value.keys.toLocaleString("en")})
              </option>
            ))}
          </select>
        </>
      )}
      <label htmlFor={`${id}-order`}>sort by</label>
      <select
        id={`${id}-order`}
        value={chosen.order || orders[0]}
        onChange={(event) => choose({ ...chosen, order: event.target.value })}
      >
        {orders.map((order) => (
          <option key={order} value={order}>
            {order}
          </option>
        ))}
      </select>
    </div>
  );
}

interface OfNodeProps {
  nodes: readonly KeysNode[];
  name: string;
  choose: (name: string) => void;
}

function OfNode({ nodes, name, choose }: OfNodeProps) {
  const id = useId();
  return (
    <>
      <label htmlFor={id}>of</label>
      <select id={id} data-testid="keys-node" value={name} onChange={(event) => choose(event.target.value)}>
        {nodes.map((node) => (
          <option key={node.name}>{node.name}</option>
        ))}
      </select>
    </>
  );
}

interface Props {
  nodes: readonly KeysNode[];
  first: string;
  close: () => void;
}

/** Ask the keys of a node: where this is true now, for how long, how long it mostly lasts; jump to one. */
export function KeysPanel({ nodes, first, close }: Props) {
  const [name, setName] = useState(first);
  const [chosen, choose] = useState(NOTHING);
  const node = nodes.find((one) => one.name === name) ?? nodes[0];
  const query = useMemo(() => queryOf(chosen), [chosen]);
  const { told, failure } = useStates(node?.digest ?? "", query);
  if (!node) return null;
  const value = told ? spell(told.value) : "";
  const now = nowOf(told);
  return (
    <aside
      className="keys-panel"
      aria-label="Keys"
      data-testid="keys-panel"
      onKeyDown={(event) => event.key === "Escape" && close()}
    >
      <header className="row">
        <h2>Keys</h2>
        <OfNode
          nodes={nodes}
          name={node.name}
          choose={(other) => {
            setName(other);
            choose(NOTHING);
          }}
        />
        <span className="spacer" />
        <button type="button" className="quiet" aria-label="Close" onClick={close}>
          ×
        </button>
      </header>
      <input
        type="search"
        aria-label="Search keys"
        placeholder="Search keys"
        value={chosen.search}
        onChange={(event) => choose({ ...chosen, search: event.target.value })}
      />
      {failure !== null && <p className="bad">{failure}</p>}
      {told && (
        <>
          <Choices answer={told} chosen={chosen} choose={choose} />
          <p data-testid="keys-matching">
            {told.kind === "number"
              ? `${told.matching.toLocaleString("en")} ${nounOf(told.matching, "value")}`
              : describeMatching(told, value, now)}
          </p>
          <Bounds answer={told} />
          <Rows answer={told} jump={(key) => setPinned(node.grouped ? "group" : "key", key)} />
          <Histogram distribution={told.distribution} value={value} now={now} />
          <LanePin key={node.name} name={node.name} as="table" />
        </>
      )}
    </aside>
  );
}
