import { useCallback, useId, useState } from "react";
import type { Funnel } from "../core/api/timelines";
import { FunnelFoot, FunnelSteps, StoppedKeys } from "../timechart/FunnelSteps";
import { useDisplay } from "../timechart/displays";
import { useFunnel } from "../timechart/useFunnel";
import { openFunnel } from "./funnelPanel";
import type { KeysNode } from "./KeysPanel";
import { LanePin } from "./laneActions";
import { setPinned, useLanes } from "./store";

const RANGES = {
  shown: "the time range shown",
  day: "the last 24 h",
  week: "the last 7 d",
  all: "all time",
} as const;
type Range = keyof typeof RANGES;
const DAY = 86_400_000_000;

/** Null: since ever, until now. */
function windowOf(range: Range): { from?: number; to?: number } {
  const view = useLanes.getState().view;
  if (range === "all" || !view) return {};
  const { start, end } = view.window;
  if (range === "shown") return { from: Math.floor(start), to: Math.ceil(Math.min(end, view.now)) + 1 };
  return { from: Math.floor(view.now - (range === "day" ? DAY : 7 * DAY)) };
}

function Choice<T extends string>({
  label,
  value,
  options,
  choose,
}: {
  label: string;
  value: T;
  options: Readonly<Record<T, string>>;
  choose: (value: T) => void;
}) {
  const id = useId();
  return (
    <>
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={({ target }) => choose(target.value as T)}>
        {(Object.entries(options) as [T, string][]).map(([one, words]) => (
          <option key={one} value={one}>
            {words}
          </option>
        ))}
      </select>
    </>
  );
}

const COUNTS: Readonly<Record<Funnel["count"], string>> = { keys: "keys", runs: "runs" };

const close = () => openFunnel(null);

function Head({ nodes, name }: { nodes: readonly KeysNode[]; name: string }) {
  return (
    <header className="row">
      <h2>Funnel</h2>
      <Choice
        label="of"
        value={name}
        options={Object.fromEntries(nodes.map((node) => [node.name, node.name]))}
        choose={openFunnel}
      />
      <span className="spacer" />
      <button type="button" className="quiet" aria-label="Close" onClick={close}>
        ×
      </button>
    </header>
  );
}

/** The funnel of a sequence: how far its keys came, and which of them stopped where. */
export function FunnelPanel({ nodes, name }: { nodes: readonly KeysNode[]; name: string }) {
  const [range, setRange] = useState<Range>("all");
  const [count, setCount] = useState<Funnel["count"]>("keys");
  const [step, choose] = useState<string | null>(null);
  const node = nodes.find((one) => one.name === name);
  const display = useDisplay(name);
  const question = useCallback(
    () => ({ ...windowOf(range), count, step: step ?? undefined }),
    [range, count, step],
  );
  const { funnel, failure } = useFunnel(
    node?.digest ?? "",
    node === undefined ? null : `${range} ${count} ${step}`,
    question,
  );
  if (!node) return null;
  return (
    <aside
      className="keys-panel funnel-panel"
      aria-label="Funnel"
      data-testid="funnel-panel"
      onKeyDown={(event) => event.key === "Escape" && close()}
    >
      <Head nodes={nodes} name={name} />
      <div className="row">
        <Choice label="in" value={range} options={RANGES} choose={setRange} />
        <Choice label="count" value={count} options={COUNTS} choose={setCount} />
      </div>
      {failure !== null && <p className="bad">{failure}</p>}
      {!funnel && failure === null && <p className="faint">Loading.</p>}
      {funnel && <FunnelSteps {...{ funnel, display, choose }} chosen={step} />}
      {funnel && <FunnelFoot funnel={funnel} />}
      {funnel && step !== null && (
        <StoppedKeys
          {...{ funnel, step, display }}
          keyOf={(key) => (
            <button
              type="button"
              className="quiet"
              title="Pin this key"
              onClick={() => setPinned("key", key)}
            >
              {key}
            </button>
          )}
        />
      )}
      <LanePin key={name} name={name} as="funnel" />
    </aside>
  );
}
