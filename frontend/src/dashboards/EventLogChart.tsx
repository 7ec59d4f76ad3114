/** The newest changes of all keys of a node, one below the other. */
import { memo, useCallback, useMemo, useRef } from "react";
import { formatTime } from "../core/time/format";
import { registerOfValues } from "../timechart/colourRegister";
import { hasSwatch, swatchOf } from "../timechart/colours";
import { useDisplay } from "../timechart/displays";
import { valuesOf } from "../timechart/keyRows";
import { drawnKind } from "../timechart/lane";
import { MAX_CHANGES, selectChanges } from "./changes";
import { useLive, useSeen, useTheme } from "./hooks";
import { instantOf } from "./instants";
import { lanesHref, useKeyRows, viewOf } from "./KeyRowsChart";
import { Empty, type ManyProps } from "./ranks";
import { get, sourceId, useBoard } from "./store";
import { spellValue } from "./words";

const SECOND = 1_000_000;

interface RowProps {
  t: number;
  name: string;
  href: string | undefined;
  words: string;
  swatch: string | null;
}

const ChangeRow = memo(function ChangeRow({ t, name, href, words, swatch }: RowProps) {
  return (
    <tr>
      <td className="nowrap faint">{formatTime(t)}</td>
      <td>
        <a href={href}>{name}</a>
      </td>
      <td>
        {swatch !== null && <span className="swatch" style={{ background: swatch }} aria-hidden="true" />}{" "}
        {words}
      </td>
    </tr>
  );
});

export function EventLogChart({ chart, digest }: ManyProps) {
  const place = useRef<HTMLDivElement>(null);
  const theme = useTheme();
  const [feed, rows] = useKeyRows(digest, useSeen(place));
  const at = useLive(useCallback(() => Math.floor(instantOf(get(), [feed]) / SECOND) * SECOND, [feed]));
  const { window } = useLive(useCallback(() => viewOf(get()), []));
  const isGroup = useBoard((state) => state.sources[sourceId(chart)]?.grouped ?? false);
  const display = useDisplay(digest);
  const register = useMemo(() => registerOfValues(valuesOf(rows.rows), display), [rows, display]);
  const changes = useMemo(() => selectChanges(rows.rows, window, at + SECOND), [rows, window, at]);
  const kind = drawnKind(rows.kind ?? "bool");
  return (
    <div className="rows-chart">
      <div
        className="rows-scroll"
        ref={place}
        tabIndex={0}
        role="region"
        aria-label={`Changes of ${chart.node}`}
      >
        <table className="changes">
          <thead className="visually-hidden">
            <tr>
              <th>Time</th>
              <th>Key</th>
              <th>Value</th>
            </tr>
          </thead>
          <tbody>
            {changes.map(({ t, key, value, isSloped }) => (
              <ChangeRow
                key={`${String(t)} ${key}`}
                t={t}
                name={key}
                href={lanesHref(chart, isGroup, key)}
                words={value === null ? "unknown" : spellValue(value, chart.unit ?? "", isSloped, display)}
                swatch={hasSwatch(kind, value, display) ? swatchOf(value, theme, register) : null}
              />
            ))}
          </tbody>
        </table>
        {rows.heard && rows.rows.length > 0 && changes.length === 0 && (
          <p className="faint">No changes in this time range.</p>
        )}
      </div>
      {changes.length === MAX_CHANGES && (
        <div className="rows-foot faint">The newest {MAX_CHANGES} changes</div>
      )}
      <Empty feed={feed} />
    </div>
  );
}
