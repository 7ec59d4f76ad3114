/** A row for each key of one node over the lanes' window: who is in which state, since when, for how long. */
import { useCallback, useId, useMemo, useRef } from "react";
import type { Scalar } from "../core/api/types";
import { setAllKeys, useAllKeys } from "./allKeys";
import type { Register } from "../timechart/colours";
import { KeyRowList, RowLegend, useSight } from "../timechart/KeyRowList";
import { MAX_KEY_ROWS, sortRows, ORDERS, selectState, valuesOf, type Order } from "../timechart/keyRows";
import { onLaneKey } from "./keyboard";
import type { KeysNode } from "./KeysPanel";
import { drawnKind } from "../timechart/lane";
import { registerOfValues } from "../timechart/colourRegister";
import { RowCursor, type CursorSource } from "../timechart/rowCursor";
import { setPinned, useLanes, type View } from "./store";
import { TimeAxis } from "./TimeAxis";
import { useGestures } from "./useGestures";
import { useKeyRows, type KeyRows } from "./useKeyRows";
import { useDisplay } from "../timechart/displays";

const CURSOR: CursorSource = {
  subscribe: (listener) => useLanes.subscribe(listener),
  read: () => useLanes.getState().cursor,
};

interface ChoicesProps {
  nodes: readonly KeysNode[];
  chosen: KeysNode;
  values: readonly Scalar[];
  value: Scalar | null;
  rows: KeyRows;
  register: Register;
}

/** How many rows there are of how many keys. */
function describeKeyCount({ answer, rows, failure }: KeyRows): string {
  if (failure !== null) return failure;
  if (answer === null) return "reading…";
  const all = answer.known.toLocaleString("en");
  if (answer.complete) return `${all} ${answer.known === 1 ? "key" : "keys"}`;
  return `${rows.length.toLocaleString("en")} of ${all} keys: those that changed last`;
}

/** The state whose times are told. */
function StateChoice({ values, value, register }: Pick<ChoicesProps, "values" | "value" | "register">) {
  const id = useId();
  return (
    <>
      <label htmlFor={id}>state</label>
      <select
        id={id}
        data-testid="all-keys-value"
        value={String(value)}
        onChange={(event) => setAllKeys({ value: event.target.value })}
      >
        {values.map((one) => (
          <option key={String(one)} value={String(one)}>
            {register.label(one)}
          </option>
        ))}
      </select>
    </>
  );
}

function Choices({ nodes, chosen, values, value, rows, register }: ChoicesProps) {
  const id = useId();
  const search = useAllKeys((state) => state.search);
  const order = useAllKeys((state) => state.order);
  return (
    <div className="key-rows-bar row">
      <label htmlFor={`${id}-node`}>of</label>
      <select
        id={`${id}-node`}
        data-testid="all-keys-node"
        value={chosen.name}
        onChange={(event) => setAllKeys({ node: event.target.value, value: null })}
      >
        {nodes.map(({ name }) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      <input
        type="search"
        aria-label="Only keys that contain"
        placeholder="search keys"
        value={search}
        onChange={(event) => setAllKeys({ search: event.target.value })}
      />
      <label htmlFor={`${id}-order`}>by</label>
      <select
        id={`${id}-order`}
        data-testid="all-keys-order"
        value={order}
        onChange={(event) => setAllKeys({ order: event.target.value as Order })}
      >
        {Object.entries(ORDERS).map(([name, words]) => (
          <option key={name} value={name}>
            {name === "held" && value === null ? "value" : words}
          </option>
        ))}
      </select>
      {value !== null && <StateChoice values={values} value={value} register={register} />}
      <span className="faint" data-testid="all-keys-count">
        {describeKeyCount(rows)}
      </span>
      <RowLegend values={values} register={register} />
    </div>
  );
}

interface Props {
  nodes: readonly KeysNode[];
  /** The node whose keys are shown where none is chosen. */
  first: string;
  view: View;
}

function useRegister(name: string, values: readonly Scalar[]): Register {
  const display = useDisplay(name);
  return useMemo(() => registerOfValues(values, display), [values, display]);
}

function OfNode({ nodes, chosen, view }: { nodes: readonly KeysNode[]; chosen: KeysNode; view: View }) {
  const { search, order, value: wanted } = useAllKeys();
  const rows = useKeyRows(chosen.digest, search, view.window);
  const place = useRef<HTMLDivElement>(null);
  const { sight, look } = useSight(place);
  const jump = useCallback(
    (key: string) => {
      setPinned(chosen.grouped ? "group" : "key", key);
      setAllKeys({ open: false });
    },
    [chosen.grouped],
  );
  const values = useMemo(() => valuesOf(rows.rows), [rows.rows]);
  const register = useRegister(chosen.name, values);
  const value = selectState(values, wanted);
  const { stopped_at: stopped, behind } = rows.answer ?? {};
  const until = Math.min(view.now, stopped ?? Infinity, behind?.until ?? Infinity);
  // Rows keep their places while the window only moves on with the clock.
  const sorted = useMemo(
    () => sortRows(rows.rows, order, value, rows.seen, rows.answer?.known_until ?? rows.seen.end),
    [rows.rows, order, value, rows.seen, rows.answer],
  );
  const kind = drawnKind(rows.answer?.kind ?? "bool");
  return (
    <>
      <Choices {...{ nodes, chosen, values, value, rows, register }} />
      <div
        className="lanes-scroll"
        data-testid="all-keys"
        ref={place}
        onScroll={look}
        onClick={({ target }) => {
          const key =
            target instanceof Element ? target.closest("[data-key]")?.getAttribute("data-key") : null;
          if (key != null) jump(key);
        }}
        {...useGestures(place, jump)}
        onKeyDown={onLaneKey}
      >
        <TimeAxis window={view.window} />
        <RowCursor value={CURSOR}>
          <KeyRowList
            rows={sorted}
            {...{ sight, kind, view, until, register, value }}
            finalUntil={rows.answer?.final_until ?? null}
          />
        </RowCursor>
        {rows.answer !== null && sorted.length === 0 && (
          <p className="faint lanes-empty">No key has data in this time range.</p>
        )}
      </div>
    </>
  );
}

/** In place of the lanes: at most so many keys, those that changed last, of a node that is chosen. */
export function AllKeys({ nodes, first, view }: Props) {
  const node = useAllKeys((state) => state.node);
  const chosen = nodes.find(({ name }) => name === (node ?? first)) ?? nodes[0];
  if (chosen === undefined) return <p className="faint lanes-empty">No node has keys yet.</p>;
  return <OfNode key={chosen.digest} nodes={nodes} chosen={chosen} view={view} />;
}

export const ALL_KEYS_HINT = `A row for each of up to ${MAX_KEY_ROWS.toLocaleString("en")} keys`;
