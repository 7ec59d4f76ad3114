/** A cell for each key, in the colour of what it says now, or at the cursor. */
import { memo, useCallback, useMemo, useRef } from "react";
import type { Scalar } from "../core/api/types";
import { registerOfValues } from "../timechart/colourRegister";
import { inkOn, type Register, type Theme } from "../timechart/colours";
import { colourOf } from "../timechart/colours";
import { chosenColour } from "../timechart/display";
import { useDisplay } from "../timechart/displays";
import { heatColour, type HeatScale } from "../timechart/heat";
import { sortRows, selectState, valuesOf } from "../timechart/keyRows";
import { readingAt } from "../timechart/spans";
import { useLive, useSeen, useTheme } from "./hooks";
import { instantOf } from "./instants";
import { heatScaleOf, lanesHref, useKeyRows } from "./KeyRowsChart";
import { Empty, type ManyProps } from "./ranks";
import { get, sourceId, useBoard } from "./store";
import { spellValue } from "./words";

const SECOND = 1_000_000;

interface CellProps {
  name: string;
  words: string;
  href: string | undefined;
  background: string;
  ink: string;
}

const Cell = memo(function Cell({ name, words, href, background, ink }: CellProps) {
  return (
    <a className="status-cell" href={href} title={`${name}: ${words}`} style={{ background, color: ink }}>
      <span className="status-key">{name}</span>
      <span className="status-value">{words}</span>
    </a>
  );
});

/** The colour of a cell, and of its words. */
function looksOf(value: Scalar | null, theme: Theme, register: Register, scale: HeatScale) {
  if (value === null) return { background: "var(--sunk)", ink: "var(--ink)" };
  if (typeof value === "number" && chosenColour(value, register.display) === null) {
    const [low, high] = scale;
    const isStrong = high > low && (value - low) / (high - low) > 0.5;
    return { background: heatColour(value, scale, theme), ink: isStrong ? inkOn(theme.line) : "var(--ink)" };
  }
  const background = colourOf(value, theme, register);
  return { background, ink: inkOn(background) };
}

export function StatusGrid({ chart, digest }: ManyProps) {
  const place = useRef<HTMLDivElement>(null);
  const theme = useTheme();
  const [feed, rows] = useKeyRows(digest, useSeen(place));
  const at = useLive(useCallback(() => Math.floor(instantOf(get(), [feed]) / SECOND) * SECOND, [feed]));
  const isGroup = useBoard((state) => state.sources[sourceId(chart)]?.grouped ?? false);
  const values = useMemo(() => valuesOf(rows.rows), [rows]);
  const display = useDisplay(digest);
  const register = useMemo(() => registerOfValues(values, display), [values, display]);
  const scale = useMemo(() => heatScaleOf(rows.rows), [rows]);
  const { sort = "name", unit = "" } = chart;
  const sorted = useMemo(
    () => sortRows(rows.rows, sort, selectState(values, null), rows.seen, at),
    [rows, sort, values, at],
  );
  return (
    <div className="cell-grid" ref={place} tabIndex={0} role="region" aria-label={`Keys of ${chart.node}`}>
      {sorted.map(({ key, pieces }) => {
        const value = readingAt(pieces, at)?.value ?? null;
        return (
          <Cell
            key={key}
            name={key}
            words={spellValue(value, unit, false, display)}
            href={lanesHref(chart, isGroup, key)}
            {...looksOf(value, theme, register, scale)}
          />
        );
      })}
      <Empty feed={feed} />
    </div>
  );
}
