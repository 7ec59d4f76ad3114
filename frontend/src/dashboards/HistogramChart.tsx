/** How many keys have which value now, or at the cursor. */
import { useCallback, useMemo, useRef } from "react";
import type { Scalar } from "../core/api/types";
import { registerOfValues } from "../timechart/colourRegister";
import { swatchOf } from "../timechart/colours";
import { AS_GUESSED, labelOf, type Display } from "../timechart/display";
import { useDisplay } from "../timechart/displays";
import { readingAt } from "../timechart/spans";
import { binNumbers, binStates, type Bin } from "./bins";
import { useLive, useSeen, useTheme } from "./hooks";
import { instantOf } from "./instants";
import { useKeyRows } from "./KeyRowsChart";
import type { KeyRows } from "./keysFeed";
import { Empty, type ManyProps } from "./ranks";
import { get } from "./store";
import { spellNumber, spellValue } from "./words";

function binsAt({ rows, kind }: KeyRows, at: number, unit: string, display: Display): Bin[] {
  const values = rows.map(({ pieces }) => readingAt(pieces, at)?.value ?? null);
  const scalars = values.filter((one): one is Scalar => one !== null);
  if (kind === "bool" || kind === "text") return binStates(scalars, (value) => labelOf(value, display));
  const isPlain = unit === "" && display === AS_GUESSED;
  const spell = (value: number) => (isPlain ? spellNumber(value) : spellValue(value, unit, false, display));
  return binNumbers(
    scalars.filter((scalar) => typeof scalar === "number"),
    spell,
  );
}

function BinBar({ bin, most, colour }: { bin: Bin; most: number; colour: string | null }) {
  const style = {
    height: `${(bin.count / most) * 100}%`,
    ...(colour === null ? {} : { background: colour }),
  };
  return (
    <li title={`${bin.label}: ${bin.count.toLocaleString("en")} keys`}>
      <span className="bin-count">{bin.count > 0 ? bin.count.toLocaleString("en") : ""}</span>
      <span className="bin-place">
        <span className="bin-bar" style={style} />
      </span>
      <span className="bin-label faint">{bin.label}</span>
    </li>
  );
}

export function HistogramChart({ chart, digest }: ManyProps) {
  const place = useRef<HTMLDivElement>(null);
  const theme = useTheme();
  const [feed, rows] = useKeyRows(digest, useSeen(place));
  const unit = chart.unit ?? "";
  const display = useDisplay(digest);
  const bins = useLive(
    useCallback(() => binsAt(rows, instantOf(get(), [feed]), unit, display), [rows, feed, unit, display]),
  );
  const register = useMemo(
    () =>
      registerOfValues(
        bins.map(({ state }) => state),
        display,
      ),
    [bins, display],
  );
  const most = Math.max(1, ...bins.map(({ count }) => count));
  return (
    <div className="histogram-chart" ref={place}>
      <ol className="bins" aria-label={`Keys of ${chart.node} by value`}>
        {bins.map((bin) => (
          <BinBar
            key={String(bin.state ?? bin.label)}
            {...{ bin, most }}
            colour={bin.state === null ? null : swatchOf(bin.state, theme, register)}
          />
        ))}
      </ol>
      <Empty feed={feed} />
    </div>
  );
}
