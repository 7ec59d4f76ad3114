/** The chart of all keys of a node: a row for each over time. */
import { useCallback, useMemo, useRef, useSyncExternalStore, type PointerEvent } from "react";
import type { Chart } from "../core/api/dashboards";
import { isPublicPage } from "../core/api/publicLink";
import { KeyRowList, RowLegend, useSight } from "../timechart/KeyRowList";
import type { HeatScale } from "../timechart/heat";
import { sortRows, selectState, valuesOf, type KeyRow } from "../timechart/keyRows";
import { drawnKind } from "../timechart/lane";
import { registerOfValues } from "../timechart/colourRegister";
import { useDisplay } from "../timechart/displays";
import { RowCursor, type CursorSource } from "../timechart/rowCursor";
import type { Window } from "../timechart/window";
import { Times, Zone } from "../timechart/Times";
import { edgeNow, knownUntil, nowOf, onFrame, windowOf } from "./clock";
import { useFollow, useLive, useSeen } from "./hooks";
import { keysFeed, type KeyRows, type KeysFeed } from "./keysFeed";
import { Empty, type ManyProps } from "./ranks";
import { cursorOf, get, setPointer, sourceId, useBoard, type BoardState } from "./store";
import { spellValue } from "./words";

const CURSOR: CursorSource = {
  subscribe: (listener) => useBoard.subscribe(listener),
  read: () => cursorOf(get()),
};
const SECOND = 1_000_000;

/** Where the lanes of a key of a chart are; a public link leads nowhere. */
export const lanesHref = ({ plan }: Chart, isGroup: boolean, key: string): string | undefined =>
  isPublicPage() ? undefined : `/plans/${plan}/?${new URLSearchParams({ [isGroup ? "group" : "key"]: key })}`;

/** What is known of all keys of a node, while the chart is seen. */
export function useKeyRows(digest: string, isSeen: boolean): [KeysFeed, KeyRows] {
  const feeds = useMemo(() => [keysFeed(digest)] as const, [digest]);
  const [feed] = feeds;
  useFollow(feeds, isSeen);
  return [feed, useSyncExternalStore(onFrame, () => feed.state)];
}

/** The window and now, by whole seconds: rows are drawn anew for nothing less. */
export const viewOf = (state: BoardState) => ({
  window: windowOf(state),
  now: Math.floor(nowOf(state) / SECOND) * SECOND,
});

/** The instant under the pointer, where it is over the time of a row. */
function instantAt({ target, clientX }: PointerEvent, { start, end }: Window): number | null {
  const row = target instanceof Element ? target.closest(".key-row") : null;
  const box = row?.querySelector("canvas")?.getBoundingClientRect();
  if (!box || clientX < box.left || clientX > box.right) return null;
  const t = start + ((clientX - box.left) / Math.max(1, box.width)) * (end - start);
  return Math.min(t, edgeNow().now);
}

function footOf({ rows, total, isComplete }: KeyRows): string {
  if (isComplete && rows.length === total) return "";
  const [some, all] = [rows.length.toLocaleString("en"), total.toLocaleString("en")];
  return `${some} of ${all} keys: those that changed last`;
}

/** The least and the greatest number of rows. */
export function heatScaleOf(rows: readonly KeyRow[]): HeatScale {
  let [low, high] = [Infinity, -Infinity];
  for (const { pieces } of rows)
    for (const { value } of pieces)
      if (typeof value === "number") [low, high] = [Math.min(low, value), Math.max(high, value)];
  return low > high ? [0, 1] : [low, high];
}

/** What the strongest and the weakest colour stand for. */
function HeatLegend({ scale: [low, high], unit }: { scale: HeatScale; unit: string }) {
  return (
    <span className="heat-legend">
      {spellValue(low, unit)} <span className="heat-ramp" aria-hidden="true" /> {spellValue(high, unit)}
    </span>
  );
}

/** Rows in their order; they keep their places while the window only moves on with the clock. */
function useOrdered({ sort = "changed", state = "" }: Chart, rows: KeyRows, digest: string) {
  const values = useMemo(() => valuesOf(rows.rows), [rows]);
  const display = useDisplay(digest);
  const register = useMemo(() => registerOfValues(values, display), [values, display]);
  const value = selectState(values, state === "" ? null : state);
  const sorted = useMemo(
    () => sortRows(rows.rows, sort, value, rows.seen, rows.behind?.until ?? rows.seen.end),
    [rows, sort, value],
  );
  return { values, register, value, sorted };
}

export function KeyRowsChart({ chart, digest }: ManyProps) {
  const place = useRef<HTMLDivElement>(null);
  const [feed, rows] = useKeyRows(digest, useSeen(place));
  const view = useLive(useCallback(() => viewOf(get()), []));
  const { sight, look } = useSight(place);
  const { values, register, value, sorted } = useOrdered(chart, rows, digest);
  const isGroup = useBoard((state) => state.sources[sourceId(chart)]?.grouped ?? false);
  const hrefOf = useCallback((key: string) => lanesHref(chart, isGroup, key) ?? null, [chart, isGroup]);
  const foot = footOf(rows);
  const isHeat = chart.type === "heat";
  const heat = useMemo(() => (isHeat ? heatScaleOf(rows.rows) : undefined), [isHeat, rows]);
  return (
    <div className="rows-chart">
      <div
        className="rows-scroll"
        ref={place}
        tabIndex={0}
        role="region"
        aria-label={`Keys of ${chart.node} over time`}
        onScroll={look}
        onPointerMove={(event) => setPointer(instantAt(event, view.window))}
        onPointerLeave={() => setPointer(null)}
      >
        <div className="time-axis" aria-hidden="true">
          <Zone window={view.window} />
          <div className="lane-chart">
            <Times window={view.window} />
          </div>
        </div>
        <RowCursor value={CURSOR}>
          <KeyRowList
            rows={sorted}
            {...{ sight, view, register, value, hrefOf, heat }}
            kind={drawnKind(rows.kind ?? "bool")}
            until={knownUntil([feed], view.now)}
            finalUntil={rows.finalUntil}
          />
        </RowCursor>
      </div>
      <div className="rows-foot">
        <RowLegend values={values} register={register} />
        {heat && rows.rows.length > 0 && <HeatLegend scale={heat} unit={chart.unit ?? ""} />}
        {foot !== "" && <span className="faint">{foot}</span>}
      </div>
      <Empty feed={feed} />
    </div>
  );
}
