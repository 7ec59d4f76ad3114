/** The charts of each type. */
import { lazy, Suspense, useCallback, useMemo, useRef } from "react";
import type { Chart, ChartType } from "../core/api/dashboards";
import { describeLeftOut, leftOutAt } from "../timechart/thinned";
import { colourOf, swatchOf, colourNamed, hasSwatch } from "../timechart/colours";
import { readingAt } from "../timechart/spans";
import { registerOf, registerOfValues } from "../timechart/colourRegister";
import { formatLength } from "../core/ui/format";
import { laneFeed, type LaneFeed } from "./feeds";
import { EventLogChart } from "./EventLogChart";
import { useFollow, useLive, useSeen, useTheme } from "./hooks";
import { GaugeChart } from "./GaugeChart";
import { HistogramChart } from "./HistogramChart";
import { instantOf, useLane, type OneProps } from "./instants";
import { KeyRowsChart } from "./KeyRowsChart";
import { StatusGrid } from "./StatusGrid";
import { lanePainter, linePainter, linesPainter, stackPainter } from "./painters";
import { numberAt, type ScaleBounds } from "./series";
import { get } from "./store";
import { Empty, useRank, type ManyProps } from "./ranks";
import { TableChart } from "./TableChart";
import { TimeChart } from "./TimeChart";
import { lengthOfRange, spellLength } from "../core/time/range";
import { spellChange, spellValue } from "./words";
import { thresholdOf } from "../timechart/display";
import { useDisplay } from "../timechart/displays";

/** A value after its swatch, as it is at the cursor or now. */
export function Reading({ feed, unit, digest }: { feed: LaneFeed; unit: string; digest: string }) {
  const theme = useTheme();
  const display = useDisplay(digest);
  const { words, swatch } = useLive(
    useCallback(() => {
      const { pieces, leftOut, kind, heard, error } = feed.state;
      const at = instantOf(get(), [feed]);
      const busy = leftOutAt(leftOut, at);
      if (busy)
        return {
          words: `${busy.changes.toLocaleString("en")} changes: ${describeLeftOut(busy)}`,
          swatch: null,
        };
      const reading = readingAt(pieces, at);
      if (!reading) return { words: heard && error === null ? "no data yet" : "", swatch: null };
      return {
        words: spellValue(reading.value, unit, reading.slope !== 0, display),
        swatch: hasSwatch(kind, reading.value, display)
          ? swatchOf(reading.value, theme, registerOf(pieces, leftOut, display))
          : null,
      };
    }, [feed, unit, theme, display]),
  );
  return (
    <span className="reading" title={words}>
      {swatch !== null && <span className="swatch" style={{ background: swatch }} aria-hidden="true" />}
      <span className="reading-words">{words}</span>
    </span>
  );
}

function LaneChart({ chart, digest, pinned }: OneProps) {
  const [feed, feeds] = useLane(digest, pinned, true);
  const display = useDisplay(digest);
  const painterOf = useCallback(() => {
    const { kind, pieces, leftOut } = feed.state;
    const isLine = kind === "number" || kind === "ratio";
    return (isLine ? linePainter : lanePainter)(pieces, leftOut, display);
  }, [feed, display]);
  return (
    <>
      <TimeChart feeds={feeds} painterOf={painterOf} label={`${chart.node} of ${pinned} over time`} />
      <Empty feed={feed} />
    </>
  );
}

function useBounds({ low = null, high = null }: Chart): ScaleBounds {
  return useMemo(() => ({ low, high }), [low, high]);
}

function LineChart({ chart, digest, pinned }: OneProps) {
  const [feed, feeds] = useLane(digest, pinned, true);
  const display = useDisplay(digest);
  const bounds = useBounds(chart);
  const painterOf = useCallback(
    () => ({ ...linePainter(feed.state.pieces, feed.state.leftOut, display), bounds }),
    [feed, display, bounds],
  );
  return (
    <>
      <TimeChart feeds={feeds} painterOf={painterOf} label={`${chart.node} of ${pinned} over time`} />
      <Empty feed={feed} />
    </>
  );
}

interface LegendProps {
  feeds: readonly LaneFeed[];
  keys: readonly string[];
  unit: string;
  digest: string;
}

function Legend({ feeds, keys, unit, digest }: LegendProps) {
  const theme = useTheme();
  const display = useDisplay(digest);
  const register = useMemo(() => registerOfValues(keys), [keys]);
  const values = useLive(
    useCallback(() => {
      const at = instantOf(get(), feeds);
      const numbers = feeds.map((feed) => numberAt(feed.state.pieces, at));
      const steady = numbers.some((number) => number !== null && !Number.isInteger(number));
      return feeds.map((feed, i) =>
        feed.state.heard ? spellValue(numbers[i] ?? null, unit, steady, display) : "",
      );
    }, [feeds, unit, display]),
  );
  return (
    <ul className="legend">
      {keys
        .map((key, i) => (
          <li key={key} title={`${key}: ${values[i] ?? ""}`}>
            <span
              className="swatch"
              style={{ background: colourOf(key, theme, register) }}
              aria-hidden="true"
            />
            <span className="legend-key">{key}</span>
            <span className="legend-value">{values[i]}</span>
          </li>
        ))
        .reverse()}
    </ul>
  );
}

function GroupsChart(props: ManyProps) {
  const { chart, digest } = props;
  const place = useRef<HTMLDivElement>(null);
  const seen = useSeen(place);
  const [rank, ranks] = useRank(props);
  const bounds = useBounds(chart);
  useFollow(ranks, seen);
  // By name, so that layers keep their places while their values change.
  const { keys, left } = useLive(
    useCallback(() => {
      const found = rank.state.rows.map((row) => row.key).sort();
      return { keys: found, left: rank.state.total - found.length };
    }, [rank]),
  );
  const listed = keys.join("\n");
  const feeds = useMemo(
    () => (listed === "" ? [] : listed.split("\n").map((key) => laneFeed(digest, key))),
    [digest, listed],
  );
  const painterOf = useCallback(() => {
    const names = listed === "" ? [] : listed.split("\n");
    const groups = names.map((key, i) => ({ key, pieces: feeds[i]?.state.pieces ?? [] }));
    return { ...(chart.type === "lines" ? linesPainter : stackPainter)(groups), bounds };
  }, [feeds, listed, chart.type, bounds]);
  return (
    <div className="stack-chart" ref={place}>
      <TimeChart feeds={feeds} painterOf={painterOf} label={`${chart.node} by group over time`} />
      <div className="stack-side">
        <Legend feeds={feeds} keys={keys} unit={chart.unit ?? ""} digest={digest} />
        {left > 0 && <p className="faint">and {left.toLocaleString("en")} more</p>}
      </div>
      <Empty feed={rank} />
    </div>
  );
}

function NumberChart({ chart, digest, pinned }: OneProps) {
  const place = useRef<HTMLDivElement>(null);
  const [feed, feeds] = useLane(digest, pinned, false);
  const seen = useSeen(place);
  const since = chart.change ? (lengthOfRange(chart.change) ?? 0) : 0;
  useFollow(feeds, seen, since);
  const display = useDisplay(digest);
  const theme = useTheme();
  const isPlain = display.format === undefined || display.format === "number";
  const unit = isPlain ? (chart.unit ?? "") || (display.unit ?? "") : "";
  const told = useLive(
    useCallback(() => {
      const { pieces, heard, error } = feed.state;
      const at = instantOf(get(), [feed]);
      const reading = readingAt(pieces, at);
      const value = reading?.value ?? null;
      const now = typeof value === "number" ? value : null;
      const change = since === 0 ? null : spellChange(now, numberAt(pieces, at - since), display);
      const spelled = isPlain ? { ...display, unit: undefined } : display;
      const words = reading
        ? spellValue(value, "", reading.slope !== 0, spelled)
        : (error ?? (heard ? "–" : ""));
      const reached = now === null ? null : thresholdOf(now, display);
      const held =
        now === null && reading?.from != null ? formatLength(Math.max(0, at - reading.from)) : null;
      return { words, change, held, isNumber: now !== null, reached };
    }, [feed, since, display, isPlain]),
  );
  const small = told.isNumber && unit !== "" ? (unit.length + 1) / 2 : 0;
  return (
    <div className="number-chart" ref={place} data-reached={told.reached ?? undefined}>
      <p
        className="number-value"
        style={{ "--letters": Math.max(4, told.words.length + small) } as React.CSSProperties}
      >
        {told.words}
        {unit !== "" && told.isNumber && <span className="number-unit"> {unit}</span>}
      </p>
      {told.reached !== null && (
        <span
          className="number-reached"
          style={{ background: colourNamed(told.reached, theme) }}
          aria-hidden="true"
        />
      )}
      <p className="number-change faint">
        {told.change !== null && chart.change ? `${told.change} in ${spellLength(chart.change)}` : ""}
        {told.held !== null ? `for ${told.held}` : ""}
      </p>
    </div>
  );
}

const LazyFunnel = lazy(() => import("./FunnelChart").then((module) => ({ default: module.FunnelChart })));

/** Few dashboards have one: it is loaded with the first. */
function FunnelChart(props: ManyProps) {
  return (
    <Suspense fallback={<p className="chart-empty faint">Loading.</p>}>
      <LazyFunnel {...props} />
    </Suspense>
  );
}

export const OF_ONE: Readonly<Partial<Record<ChartType, (props: OneProps) => React.JSX.Element>>> = {
  lane: LaneChart,
  line: LineChart,
  number: NumberChart,
  gauge: GaugeChart,
};

export const OF_MANY: Readonly<Partial<Record<ChartType, (props: ManyProps) => React.JSX.Element>>> = {
  lines: GroupsChart,
  stack: GroupsChart,
  bars: TableChart,
  table: TableChart,
  states: KeyRowsChart,
  heat: KeyRowsChart,
  grid: StatusGrid,
  changes: EventLogChart,
  histogram: HistogramChart,
  funnel: FunnelChart,
};
