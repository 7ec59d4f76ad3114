/** The place of a chart's drawing, shared by what Plotly draws and what is drawn upon it. Pure. */
import { FONT } from "../core/ui/font";
import { rgba, type Theme } from "../timechart/colours";
import type { Window } from "../timechart/window";
import { formatOffsets } from "../core/time/format";
import { formatTick, layTicks } from "../core/time/ticks";
import { spellNumber } from "./words";

export interface Box {
  readonly width: number;
  readonly height: number;
  /** Size of the type, pixels. */
  readonly type: number;
}

interface Margins {
  readonly l: number;
  readonly r: number;
  readonly t: number;
  readonly b: number;
}

export type Scale = readonly [low: number, high: number];

/** With a scale there is room for its numbers. */
function marginsOf(box: Box, scaled: boolean): Margins {
  const { type } = box;
  return { l: scaled ? Math.round(type * 4.4) : 8, r: 8, t: 8, b: Math.round(type * 1.8) };
}

export interface Mapping {
  x(t: number): number;
  y(value: number): number;
  t(x: number): number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

export function buildMapping(box: Box, window: Window, scale: Scale | null): Mapping {
  const { l, r, t: top, b } = marginsOf(box, scale !== null);
  const [right, bottom] = [box.width - r, box.height - b];
  const wide = Math.max(1, right - l) / (window.end - window.start);
  const [low, high] = scale ?? [0, 1];
  const tall = Math.max(1, bottom - top) / (high - low);
  return {
    x: (t) => l + (t - window.start) * wide,
    y: (value) => bottom - (value - low) * tall,
    t: (x) => window.start + (x - l) / wide,
    left: l,
    right,
    top,
    bottom,
  };
}

/** At the right end of the axis: how far its clocks are ahead of UTC. */
const zoneNote = (text: string, { type }: Box, { b }: Margins, theme: Theme): object => ({
  text,
  showarrow: false,
  xref: "paper",
  yref: "paper",
  x: 1,
  y: 0,
  xanchor: "right",
  yanchor: "bottom",
  yshift: -b,
  font: { family: FONT, size: type, color: theme.faint },
});

/** Plotly's layout: fixed ranges and margins, so that others can draw in the same place. */
export function layoutOf(box: Box, window: Window, scale: Scale | null, theme: Theme): object {
  const margins = marginsOf(box, scale !== null);
  const room = box.width - margins.l - margins.r;
  const { at: ticks, step } = layTicks(window, Math.max(2, Math.floor(room / (box.type * 7))));
  const zone = formatOffsets(window.start, window.end);
  const still = { zeroline: false, fixedrange: true, color: theme.faint };
  const grid = { showgrid: true, gridcolor: rgba(theme.faint, 0.18) };
  const shown = ticks.filter((t) => {
    const x = ((t - window.start) / (window.end - window.start)) * room;
    return x > box.type * 1.5 && x < room - box.type * (2 + zone.length * 0.6);
  });
  const rows = scale === null ? [] : rowsOf(scale, Math.max(2, Math.floor(box.height / (box.type * 4))));
  return {
    uirevision: "kept",
    width: box.width,
    height: box.height,
    margin: margins,
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    font: { family: FONT, size: box.type, color: theme.faint },
    uniformtext: { mode: "hide", minsize: box.type - 2 },
    showlegend: false,
    hovermode: false,
    dragmode: false,
    bargap: 0,
    barmode: "overlay",
    annotations: [zoneNote(zone, box, margins, theme)],
    xaxis: {
      ...still,
      ...grid,
      range: [window.start / 1000, window.end / 1000],
      tickmode: "array",
      tickvals: shown.map((t) => t / 1000),
      ticktext: shown.map((t) => formatTick(t, step, window)),
      tickangle: 0,
    },
    yaxis:
      scale === null
        ? { ...still, showgrid: false, range: [0, 1], showticklabels: false }
        : {
            ...still,
            ...grid,
            range: [...scale],
            tickmode: "array",
            tickvals: rows,
            ticktext: rows.map((row) => spellNumber(row)),
          },
    yaxis2: { ...still, showgrid: false, showticklabels: false, range: [0, 1], overlaying: "y" },
  };
}

/** Round values on a scale. */
export function rowsOf([low, high]: Scale, most: number): number[] {
  const rough = (high - low) / Math.min(most, 5);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 2.5, 5].find((one) => one * power >= rough * 0.999) ?? 10) * power;
  const first = Math.ceil(low / step - 1e-9) * step;
  const count = Math.max(0, Math.floor((high - first) / step + 1e-9) + 1);
  return Array.from({ length: count }, (_, i) => Number((first + i * step).toPrecision(12)));
}
